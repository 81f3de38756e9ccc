// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// `query`, `procedure` or `subscription`: a method of a server.
struct MethodSchema {
  let kind: Kind
  let parameters: ObjectSchema?
  let input: BodySchema?
  let output: BodySchema?
  /// The messages of a subscription.
  let message: UnionSchema?
  let errors: [ErrorSchema]

  enum Kind: String {
    case query, procedure, subscription
  }

  init?(_ node: Node, kind name: String) {
    guard let kind = Kind(rawValue: name) else { return nil }
    let own =
      switch kind {
      case .query: ["output"]
      case .procedure: ["input", "output"]
      case .subscription: ["message", "subprotocol"]
      }
    guard let fields = Fields(node, optional: ["parameters", "errors"] + own) else { return nil }
    self.kind = kind
    parameters = fields["parameters"].flatMap(MethodSchema.parameters)
    input = fields["input"].flatMap(BodySchema.init)
    output = fields["output"].flatMap(BodySchema.init)
    message = fields["message"].flatMap(MethodSchema.message)
    _ = fields.string("subprotocol")
    errors = fields["errors"]?.elements()?.compactMap(ErrorSchema.init) ?? []
    if kind == .subscription, fields["message"] == nil { node.report("\"message\" is missing") }
  }

  /// Parameters are sent in a query string, so they are plain values and arrays of plain values.
  private static func parameters(_ node: Node) -> ObjectSchema? {
    guard let fields = Fields(node, required: ["type", "properties"], optional: ["required"]) else {
      return nil
    }
    if fields.string("type") != "params" { node.report("must be of type \"params\"") }
    guard let object = ObjectSchema(node) else { return nil }
    for property in object.properties where !isPlain(property.schema) {
      node.child("properties", .null).child(property.name, .null)
        .report("a parameter must be a boolean, an integer, a string or an array of these")
    }
    return object
  }

  private static func isPlain(_ schema: Schema, inArray: Bool = false) -> Bool {
    switch schema {
    case .boolean, .integer, .string: true
    case .array(let array): !inArray && isPlain(array.items, inArray: true)
    default: false
    }
  }

  private static func message(_ node: Node) -> UnionSchema? {
    guard let schema = Fields(node, required: ["schema"])?["schema"] else { return nil }
    guard case .union(let union)? = Schema(schema) else {
      schema.report("must be of type \"union\"")
      return nil
    }
    return union
  }

  var schemas: [(use: Definition.Use, schema: Schema)] {
    var schemas: [(use: Definition.Use, schema: Schema)] = []
    if let parameters { schemas.append((.parameters, .object(parameters))) }
    if let schema = input?.schema { schemas.append((.input, schema)) }
    if let schema = output?.schema { schemas.append((.output, schema)) }
    if let message { schemas.append((.message, .union(message))) }
    return schemas
  }
}
