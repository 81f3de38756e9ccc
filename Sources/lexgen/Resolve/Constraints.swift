// SPDX-License-Identifier: Apache-2.0

/// Determines which types have constraints beyond their Swift type.
struct Constraints {
  private let library: Library
  private let constrained: Set<DefinitionID>

  init(of library: Library, among ids: Set<DefinitionID>) {
    var constrained: Set<DefinitionID> = []
    var grown = true
    while grown {
      grown = false
      for id in ids where !constrained.contains(id) {
        let schemas = library[id]?.schemas ?? []
        let isConstrained = schemas.contains { Constraints.holds($0.schema, constrained: constrained) }
        if isConstrained {
          constrained.insert(id)
          grown = true
        }
      }
    }
    self.library = library
    self.constrained = constrained
  }

  func holds(_ schema: Schema) -> Bool { Constraints.holds(schema, constrained: constrained) }
  func holds(_ id: DefinitionID) -> Bool { constrained.contains(id) }

  private static func holds(_ schema: Schema, constrained: Set<DefinitionID>) -> Bool {
    switch schema {
    case .boolean(let boolean): boolean.constant != nil
    case .integer(let integer):
      !integer.limits.isEmpty || !integer.choices.isEmpty || integer.constant != nil
    case .string(let string): !string.length.isEmpty || !string.graphemes.isEmpty || string.constant != nil
    case .bytes(let bytes): !bytes.length.isEmpty
    case .blob(let blob): !blob.accept.isEmpty || blob.maxSize != nil
    case .array(let array): !array.count.isEmpty || holds(array.items, constrained: constrained)
    case .object(let object):
      object.properties.contains { property in
        !property.isFixed && holds(property.schema, constrained: constrained)
      }
    case .reference(let reference): constrained.contains(reference.target)
    case .union(let union): union.references.contains { constrained.contains($0.target) }
    case .unknown: true
    case .cidLink: false
    }
  }
}
