// SPDX-License-Identifier: Apache-2.0

/// The members of an object whose names are fixed by the lexicon language.
struct Fields {
  let node: Node
  private let nodes: [String: Node]

  /// Parses an object. `type` and `description` are always allowed; any other unexpected name is an error.
  ///
  /// Nil if the node is not an object or lacks a required member; both are reported.
  init?(_ node: Node, required: [String] = [], optional: [String] = []) {
    guard let members = node.members() else { return nil }
    self.node = node
    nodes = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.node) })
    for member in members
    where member.name != "type" && !required.contains(member.name) && !optional.contains(member.name) {
      if member.name == "description" {
        _ = member.node.string()
      } else {
        node.report("\"\(member.name)\" is not allowed here")
      }
    }
    let missing = required.filter { nodes[$0] == nil }
    for name in missing { node.report("\"\(name)\" is missing") }
    if !missing.isEmpty { return nil }
  }

  subscript(_ name: String) -> Node? { nodes[name] }

  func string(_ name: String) -> String? { nodes[name]?.string() }
  func integer(_ name: String) -> Int? { nodes[name]?.integer() }
  func boolean(_ name: String) -> Bool? { nodes[name]?.boolean() }
  func strings(_ name: String) -> [String]? { nodes[name]?.strings() }

  /// Parses two limits; the first must not be above the second.
  func limits(_ low: String, _ high: String, notNegative: Bool = true) -> Limits {
    let limits = Limits(min: integer(low), max: integer(high))
    if let min = limits.min, let max = limits.max, min > max { node.report("\(low) is above \(high)") }
    if notNegative {
      for (name, limit) in [(low, limits.min), (high, limits.max)] {
        if let limit, limit < 0 { nodes[name]?.report("must not be negative") }
      }
    }
    return limits
  }
}
