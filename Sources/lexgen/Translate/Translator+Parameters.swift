// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns a struct that converts itself to query items, and back.
  func parameters(_ parameters: ObjectSchema, id: DefinitionID) -> TypeDeclaration {
    let context = Context(owner: id, keepsUnknownFields: false, isValidated: true)
    var scope = Scope(taken: ["Parameters"])
    let fields = fields(of: parameters, in: context, scope: &scope)
    var type = TypeDeclaration(introducer: .structure, name: "Parameters", conformances: ["XRPCParameters"])
    type.members = storage(of: fields, keepingUnknownFields: false)
    type.members.append(reading(of: fields))
    let appends = fields.map { field in
      Statement.line("items.append(\(Literal.string(field.property.name)), \(argument(of: field)))")
    }
    type.members.append(
      .computed(
        name: "queryItems", type: "[XRPCQueryItem]",
        body: [.line("var items: [XRPCQueryItem] = []")] + appends + [.line("return items")],
        documentation: nil))
    let checks = checks(of: fields)
    if !checks.isEmpty { type.members.append(validation(checks)) }
    type.members += scope.types
    return type
  }

  private func reading(of fields: [Field]) -> Member {
    let body = fields.filter { $0.fixedValue == nil }.map { field in
      let isArray = if case .array = field.property.schema { true } else { false }
      let call = isArray ? "each" : field.isOptional ? "optional" : "required"
      return Statement.line(
        "self.\(field.bareName) = try query.\(call)(\(Literal.string(field.property.name)))")
    }
    return .initializer(
      parameters: [Member.Parameter(name: "reading query", type: "XRPCQueryReader")],
      throwing: "throws(ValidationError)", body: body)
  }

  private func argument(of field: Field) -> String {
    switch field.property.schema {
    case .array(let array):
      if case .string(let string) = array.items, !string.choices.isEmpty {
        return "each: \(field.access)\(field.isOptional ? "?" : "").map(\\.rawValue)"
      }
      return "each: \(field.access)"
    case .string(let string) where !string.choices.isEmpty:
      return "\(field.access)\(field.isOptional ? "?" : "").rawValue"
    default: return field.access
    }
  }
}
