// SPDX-License-Identifier: Apache-2.0

/// `object`, and `params`, which is an object of plain values: named properties in document order.
struct ObjectSchema {
  let properties: [Property]

  struct Property {
    /// The name in JSON.
    let name: String
    let schema: Schema
    let isRequired: Bool
    /// Whether null is a valid value, distinct from absence.
    let isNullable: Bool
  }

  init?(_ node: Node) {
    guard let fields = Fields(node, required: ["properties"], optional: ["required", "nullable"]),
      let members = fields["properties"]?.members()
    else { return nil }
    let required = fields.strings("required") ?? []
    let nullable = fields.strings("nullable") ?? []
    for (list, names) in [("required", required), ("nullable", nullable)] {
      for name in names where !members.contains(where: { $0.name == name }) {
        fields[list]?.report("\"\(name)\" is not a property")
      }
    }
    properties = members.compactMap { name, node in
      Schema(node).map {
        Property(
          name: name, schema: $0, isRequired: required.contains(name), isNullable: nullable.contains(name))
      }
    }
  }
}

extension ObjectSchema.Property {
  /// Whether it can have only one value, so nothing needs to be stored.
  var isFixed: Bool {
    guard isRequired, !isNullable else { return false }
    return switch schema {
    case .boolean(let boolean): boolean.constant != nil
    case .integer(let integer): integer.constant != nil
    case .string(let string): string.constant != nil && string.format == nil
    default: false
    }
  }
}
