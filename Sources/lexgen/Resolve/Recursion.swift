// SPDX-License-Identifier: Apache-2.0

/// Finds the types that would contain themselves, and therefore need a box.
struct Recursion {
  let library: Library

  /// Whether a union in `owner` leads back to `owner` without an array in between.
  func isIndirect(_ union: UnionSchema, in owner: DefinitionID) -> Bool {
    union.references.contains { reaches(from: $0.target, to: owner, boxingUnions: false) }
  }

  /// Whether a reference in `owner` leads back to it even though such unions are boxed.
  func isBoxed(_ reference: ReferenceSchema, in owner: DefinitionID) -> Bool {
    reaches(from: reference.target, to: owner, boxingUnions: true)
  }

  private func reaches(from start: DefinitionID, to goal: DefinitionID, boxingUnions: Bool) -> Bool {
    var seen: Set<DefinitionID> = []
    var waiting = [start]
    while let id = waiting.popLast() {
      if id == goal { return true }
      guard seen.insert(id).inserted, let definition = library[id] else { continue }
      for (_, schema) in definition.schemas {
        waiting += stored(in: schema, of: id, boxingUnions: boxingUnions)
      }
    }
    return false
  }

  /// Returns the definitions whose values a value of a schema stores inline.
  private func stored(in schema: Schema, of owner: DefinitionID, boxingUnions: Bool) -> [DefinitionID] {
    switch schema {
    case .reference(let reference): [reference.target]
    case .union(let union):
      boxingUnions && isIndirect(union, in: owner) ? [] : union.references.map(\.target)
    case .object(let object):
      object.properties.flatMap { stored(in: $0.schema, of: owner, boxingUnions: boxingUnions) }
    case .array, .boolean, .integer, .string, .bytes, .cidLink, .blob, .unknown: []
    }
  }
}
