// SPDX-License-Identifier: Apache-2.0

/// An error that a method can return.
struct ErrorSchema {
  let name: String

  init?(_ node: Node) {
    guard let name = Fields(node, required: ["name"])?.string("name") else { return nil }
    if name.isEmpty || name.contains(where: \.isWhitespace) {
      node.report("an error name must not have white space")
    }
    self.name = name
  }
}
