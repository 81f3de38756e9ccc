// SPDX-License-Identifier: Apache-2.0

/// Finds the parts of an object that would make it large although they are usually absent.
struct InlineSize {
  let library: Library

  /// An optional object of more values than this is stored on the heap.
  private static let mostInPlace = 8

  /// Whether a property is such a part.
  func isLarge(_ property: ObjectSchema.Property) -> Bool { isLarge(property, within: []) }

  private func isLarge(_ property: ObjectSchema.Property, within path: Set<DefinitionID>) -> Bool {
    guard !property.isRequired, !property.isNullable else { return false }
    return switch property.schema {
    case .object, .reference: values(in: property.schema, within: path) > Self.mostInPlace
    default: false
    }
  }

  /// Returns the number of values that a value of a schema stores inline.
  private func values(in schema: Schema, within path: Set<DefinitionID>) -> Int {
    switch schema {
    case .object(let object):
      return object.properties.reduce(0) {
        $0 + (isLarge($1, within: path) ? 1 : values(in: $1.schema, within: path))
      }
    case .reference(let reference):
      let id = reference.target
      guard !path.contains(id), let definition = library[id] else { return 1 }
      return definition.schemas.reduce(0) { $0 + values(in: $1.schema, within: path.union([id])) }
    default: return 1
    }
  }
}
