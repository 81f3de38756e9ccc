// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// What the compiler cannot make: coding of constants, of null, and of fields that are not known.
  ///
  /// Empty where it can, but for the keys of renamed properties.
  func coding(of fields: [Field], keepingUnknownFields: Bool, isRecord: Bool = false) -> [Member] {
    let isCustom =
      keepingUnknownFields || isRecord || fields.contains { $0.fixedValue != nil || $0.property.isNullable }
    if !isCustom {
      return fields.contains { $0.bareName != $0.property.name }
        ? [codingKeys(of: fields, areListed: false)] : []
    }
    var members = fields.isEmpty ? [] : [codingKeys(of: fields, areListed: keepingUnknownFields)]
    members.append(decoding(of: fields, keepingUnknownFields: keepingUnknownFields, isRecord: isRecord))
    members.append(encoding(of: fields, keepingUnknownFields: keepingUnknownFields, isRecord: isRecord))
    return members
  }

  private func codingKeys(of fields: [Field], areListed: Bool) -> Member {
    let plain = fields.filter { $0.bareName == $0.property.name }.map(\.name)
    let renamed = fields.filter { $0.bareName != $0.property.name }.map { field in
      Member.enumCase(name: field.name, payload: nil, rawValue: Literal.string(field.property.name))
    }
    return .type(
      TypeDeclaration(
        introducer: .codingKeys, name: "CodingKeys",
        conformances: ["String", "CodingKey"] + (areListed ? ["CaseIterable"] : []),
        members: (plain.isEmpty ? [] : [.enumCases(plain)]) + renamed))
  }

  private func decoding(of fields: [Field], keepingUnknownFields: Bool, isRecord: Bool) -> Member {
    var body: [Statement] = isRecord ? [.line("try Self.checkType(in: decoder)")] : []
    if !fields.isEmpty {
      body.append(.line("let container = try decoder.container(keyedBy: CodingKeys.self)"))
    }
    for field in fields {
      body.append(.line(decoding(of: field, isStrict: keepingUnknownFields)))
    }
    if keepingUnknownFields {
      let keys = fields.isEmpty ? "" : ", besides: CodingKeys.self"
      body.append(.line("self.unknownFields = try Self.unknownFields(in: decoder\(keys))"))
    }
    return .initializer(
      parameters: [Member.Parameter(name: "from decoder", type: "any Decoder")], throwing: "throws",
      body: body)
  }

  /// Strict means that null is not taken for absent.
  private func decoding(of field: Field, isStrict: Bool) -> String {
    let key = "forKey: .\(field.bareName)"
    if let value = field.fixedValue { return "try container.decodeConstant(\(value), \(key))" }
    let call =
      switch (field.property.isRequired, field.property.isNullable) {
      case (true, false): "decode(\(field.type).self, \(key))"
      case (true, true): "decode(\(field.type)?.self, \(key))"
      case (false, false):
        "\(isStrict ? "decodeUnlessAbsent" : "decodeIfPresent")(\(field.type).self, \(key))"
      case (false, true): "decodeUnlessAbsent(Nullable<\(field.type)>.self, \(key))"
      }
    return "self.\(field.bareName) = try container.\(call)"
  }

  private func encoding(of fields: [Field], keepingUnknownFields: Bool, isRecord: Bool) -> Member {
    var body: [Statement] = []
    if !fields.isEmpty {
      body.append(.line("var container = encoder.container(keyedBy: CodingKeys.self)"))
    }
    for field in fields {
      let call = field.property.isRequired ? "encode" : "encodeIfPresent"
      body.append(.line("try container.\(call)(\(field.access), forKey: .\(field.bareName))"))
    }
    if isRecord { body.append(.line("try encodeType(to: encoder)")) }
    if keepingUnknownFields { body.append(.line("try encodeUnknownFields(to: encoder)")) }
    return .function(
      name: "encode", parameters: [Member.Parameter(name: "to encoder", type: "any Encoder")],
      throwing: "throws", body: body)
  }
}
