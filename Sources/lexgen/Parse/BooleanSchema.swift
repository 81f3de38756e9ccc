// SPDX-License-Identifier: Apache-2.0

/// `boolean`: true or false.
struct BooleanSchema {
  let constant: Bool?
  let defaultValue: Bool?

  init?(_ node: Node) {
    guard let fields = Fields(node, optional: ["default", "const"]) else { return nil }
    constant = fields.boolean("const")
    defaultValue = fields.boolean("default")
  }
}
