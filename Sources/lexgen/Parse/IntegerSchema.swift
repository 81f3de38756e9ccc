// SPDX-License-Identifier: Apache-2.0

/// `integer`: a signed number of at most 64 bits.
struct IntegerSchema {
  let limits: Limits
  /// The allowed values; empty if any value is allowed.
  let choices: [Int]
  let constant: Int?
  let defaultValue: Int?

  init?(_ node: Node) {
    guard let fields = Fields(node, optional: ["minimum", "maximum", "enum", "default", "const"]) else {
      return nil
    }
    limits = fields.limits("minimum", "maximum", notNegative: false)
    choices = fields["enum"]?.elements()?.compactMap { $0.integer() } ?? []
    constant = fields.integer("const")
    defaultValue = fields.integer("default")
    if let defaultValue, !choices.isEmpty, !choices.contains(defaultValue) {
      fields["default"]?.report("is not among the values of \"enum\"")
    }
  }
}
