// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// The role of an object: a whole definition, the body of a request or response, or a part of something.
  enum ObjectRole {
    case definition, body, part
  }

  /// Returns a struct with its own scope.
  func structure(
    of object: ObjectSchema, named name: String, in context: Context, as role: ObjectRole
  ) -> TypeDeclaration {
    var scope = Scope(taken: [name])
    var type = structure(of: object, named: name, in: context, as: role, scope: &scope)
    type.members += scope.types
    return type
  }

  /// Returns a struct whose nested types go to a scope that the caller adds to it.
  func structure(
    of object: ObjectSchema, named name: String, in context: Context, as role: ObjectRole,
    scope: inout Scope
  ) -> TypeDeclaration {
    let fields = fields(of: object, in: context, scope: &scope)
    var type = TypeDeclaration(introducer: .structure, name: name)
    let isPayload = role == .body || role == .definition && usage.payloads.contains(context.owner)
    let checks = context.isValidated ? self.checks(of: fields) : []
    if isPayload { type.conformances.append("XRPCPayload") }
    if context.keepsUnknownFields {
      type.conformances.append("LexiconObject")
    } else {
      type.conformances += isPayload ? ["Codable"] : ["Codable", "Hashable", "Sendable"]
    }
    if !checks.isEmpty, !isPayload { type.conformances.append("ConstrainedValue") }
    if role == .definition { type.documentation = "`\(context.owner)`." }
    type.members = storage(of: fields, keepingUnknownFields: context.keepsUnknownFields)
    type.members += coding(
      of: fields, keepingUnknownFields: context.keepsUnknownFields, isShown: !context.isValidated)
    if !checks.isEmpty { type.members.append(validation(checks)) }
    return type
  }

  func fields(of object: ObjectSchema, in context: Context, scope: inout Scope) -> [Field] {
    object.properties.map { property in
      Field(
        property: property, name: Naming.property(property.name),
        type: type(of: property.schema, named: property.name, in: context, scope: &scope))
    }
  }

  /// Returns the stored properties and the memberwise initializer.
  func storage(of fields: [Field], keepingUnknownFields: Bool) -> [Member] {
    var members = fields.map { field in
      if let value = field.fixedValue {
        return Member.computed(
          name: field.name, type: field.type, body: [.line(value)], documentation: "Always \(value).")
      }
      return .stored(
        Member.Stored(
          name: field.name, type: field.storedType, isBoxed: extent.isLarge(field.property),
          documentation: limits(of: field.property.schema)))
    }
    if keepingUnknownFields {
      members.append(
        .stored(Member.Stored(name: "unknownFields", type: "DataObject", value: "[:]")))
    }
    let variable = fields.filter { $0.fixedValue == nil }
    members.append(
      .initializer(
        parameters: variable.map {
          Member.Parameter(name: $0.parameter, type: $0.storedType, value: $0.isOptional ? "nil" : nil)
        }, throwing: nil, body: variable.map { .line("self.\($0.bareName) = \($0.name)") }))
    return members
  }
}
