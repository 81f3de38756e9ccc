// SPDX-License-Identifier: Apache-2.0

/// `ref`: the type of another definition.
struct ReferenceSchema {
  let target: DefinitionID
  /// The location of the reference, for errors about its target.
  let node: Node

  init?(_ node: Node) {
    guard let text = Fields(node, required: ["ref"])?["ref"] else { return nil }
    self.init(text: text)
  }

  /// Parses `nsid`, `nsid#name` or `#name`.
  init?(text node: Node) {
    guard let reference = node.string() else { return nil }
    target = DefinitionID(reference: reference, in: node.source.nsid)
    self.node = node
  }
}
