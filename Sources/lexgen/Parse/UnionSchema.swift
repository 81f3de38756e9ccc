// SPDX-License-Identifier: Apache-2.0

/// `union`: one of several objects, distinguished by `$type`; open to others unless it is closed.
struct UnionSchema {
  let references: [ReferenceSchema]
  let isClosed: Bool

  init?(_ node: Node) {
    guard let fields = Fields(node, required: ["refs"], optional: ["closed"]),
      let nodes = fields["refs"]?.elements()
    else { return nil }
    references = nodes.compactMap(ReferenceSchema.init(text:))
    isClosed = fields.boolean("closed") ?? false
    if isClosed, references.isEmpty { node.report("is closed but has no members") }
    var seen: Set<DefinitionID> = []
    for reference in references where !seen.insert(reference.target).inserted {
      reference.node.report("\"\(reference.target)\" occurs twice")
    }
  }
}
