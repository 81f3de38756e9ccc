// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A definition of a document.
enum Definition {
  case record(RecordSchema)
  case method(MethodSchema)
  case permissionSet(PermissionSet)
  /// A name that is its own meaning, used as the value of a string.
  case token
  case schema(Schema)

  /// Parses a definition; records, methods and permission sets are only allowed under `main`.
  init?(_ node: Node, isMain: Bool) {
    guard case .object(let members) = node.value,
      case .string(let type)? = members.first(where: { $0.name == "type" })?.value
    else {
      node.report("has no \"type\"")
      return nil
    }
    switch type {
    case "record": self.init(RecordSchema(node), Definition.record)
    case "query", "procedure", "subscription":
      self.init(MethodSchema(node, kind: type), Definition.method)
    case "permission-set": self.init(PermissionSet(node), Definition.permissionSet)
    case "token":
      guard Fields(node) != nil else { return nil }
      self = .token
    case "ref", "union", "unknown", "params", "permission", "null":
      node.report("\"\(type)\" cannot be a named definition")
      return nil
    default: self.init(Schema(node), Definition.schema)
    }
    if !isMain, isPrimary { node.report("a \(type) must be named \"main\"") }
  }

  private init?<Construct>(_ construct: Construct?, _ wrap: (Construct) -> Definition) {
    guard let construct else { return nil }
    self = wrap(construct)
  }

  private var isPrimary: Bool {
    switch self {
    case .record, .method, .permissionSet: true
    case .token, .schema: false
    }
  }

  /// All schemas directly inside the definition, with their use.
  var schemas: [(use: Use, schema: Schema)] {
    switch self {
    case .record(let record): [(.record, .object(record.object))]
    case .method(let method): method.schemas
    case .permissionSet, .token: []
    case .schema(let schema): [(.definition, schema)]
    }
  }

  /// The role of a schema in a definition.
  enum Use {
    case record, parameters, input, output, message, definition
  }
}
