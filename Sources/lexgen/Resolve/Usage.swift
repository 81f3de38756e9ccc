// SPDX-License-Identifier: Apache-2.0

/// The definitions that are reachable from the roots, and their roles.
struct Usage {
  /// All definitions to generate.
  let reachable: Set<DefinitionID>
  /// Objects that are stored, or decoded and encoded again, and therefore keep unknown fields.
  let keepingUnknownFields: Set<DefinitionID>
  /// Definitions that are written or sent, and therefore can be validated first.
  let validated: Set<DefinitionID>
  /// Objects that are a whole body.
  let payloads: Set<DefinitionID>

  init(of roots: [LexiconDocument], in library: Library) {
    let reachable = Usage.reach(
      from: roots.flatMap { root in
        root.definitions.map { DefinitionID(nsid: root.nsid, name: $0.name) }
      }, in: library)
    var starts: [Definition.Use: Set<DefinitionID>] = [:]
    var records: Set<DefinitionID> = []
    var payloads: Set<DefinitionID> = []
    for id in reachable {
      guard let definition = library[id] else { continue }
      if case .record = definition { records.insert(id) }
      for (use, schema) in definition.schemas {
        starts[use, default: []].formUnion(schema.references.map(\.target))
        if use == .input || use == .output, case .reference(let reference) = schema {
          payloads.insert(reference.target)
        }
      }
    }
    func reach(_ use: Definition.Use) -> Set<DefinitionID> {
      Usage.reach(from: starts[use] ?? [], in: library)
    }
    let stored = Usage.reach(from: records, in: library)
    let sent = reach(.input)
    self.reachable = reachable
    self.payloads = payloads
    keepingUnknownFields = stored.union(sent.intersection(reach(.output)))
    validated = stored.union(sent).union(reach(.parameters))
  }

  private static func reach(
    from starts: some Sequence<DefinitionID>, in library: Library
  ) -> Set<DefinitionID> {
    var reached: Set<DefinitionID> = []
    var waiting = Array(starts)
    while let id = waiting.popLast() {
      guard let definition = library[id], reached.insert(id).inserted else { continue }
      for (_, schema) in definition.schemas { waiting += schema.references.map(\.target) }
    }
    return reached
  }
}
