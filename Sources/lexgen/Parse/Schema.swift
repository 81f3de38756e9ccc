// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The type of a field.
indirect enum Schema {
  case boolean(BooleanSchema)
  case integer(IntegerSchema)
  case string(StringSchema)
  case bytes(BytesSchema)
  case cidLink
  case blob(BlobSchema)
  case array(ArraySchema)
  case object(ObjectSchema)
  case reference(ReferenceSchema)
  case union(UnionSchema)
  case unknown

  /// Parses a schema by its `type`; nil, with a report, if there is none or it is unknown.
  init?(_ node: Node) {
    guard case .object(let members) = node.value,
      case .string(let type)? = members.first(where: { $0.name == "type" })?.value
    else {
      node.report("has no \"type\"")
      return nil
    }
    switch type {
    case "boolean": self.init(BooleanSchema(node), Schema.boolean)
    case "integer": self.init(IntegerSchema(node), Schema.integer)
    case "string": self.init(StringSchema(node), Schema.string)
    case "bytes": self.init(BytesSchema(node), Schema.bytes)
    case "cid-link": self.init(Fields(node)) { _ in .cidLink }
    case "blob": self.init(BlobSchema(node), Schema.blob)
    case "array": self.init(ArraySchema(node), Schema.array)
    case "object": self.init(ObjectSchema(node), Schema.object)
    case "ref": self.init(ReferenceSchema(node), Schema.reference)
    case "union": self.init(UnionSchema(node), Schema.union)
    case "unknown": self.init(Fields(node)) { _ in .unknown }
    default:
      node.report("the type \"\(type)\" is unknown")
      return nil
    }
  }

  private init?<Construct>(_ construct: Construct?, _ wrap: (Construct) -> Schema) {
    guard let construct else { return nil }
    self = wrap(construct)
  }

  /// All references in the schema, including those in inline objects.
  var references: [ReferenceSchema] {
    switch self {
    case .reference(let reference): [reference]
    case .union(let union): union.references
    case .array(let array): array.items.references
    case .object(let object): object.properties.flatMap(\.schema.references)
    case .boolean, .integer, .string, .bytes, .cidLink, .blob, .unknown: []
    }
  }
}
