// SPDX-License-Identifier: Apache-2.0

/// `ref`: the type that another definition names.
struct ReferenceSchema {
  let target: DefinitionID
  /// Where the reference stands, for a complaint about its target.
  let node: Node

  init?(_ node: Node) {
    guard let text = Fields(node, required: ["ref"])?["ref"] else { return nil }
    self.init(text: text)
  }

  /// Reads `nsid`, `nsid#name` or `#name`.
  init?(text node: Node) {
    guard let reference = node.string() else { return nil }
    target = DefinitionID(reference: reference, in: node.source.nsid)
    self.node = node
  }
}
