// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns the coding of an object, with one key type for all objects: synthesized key enums would be half
  /// of a program's type metadata, which every lookup goes through.
  ///
  /// Empty if there is nothing to decode or encode.
  func coding(of fields: [Field], keepingUnknownFields: Bool, isRecord: Bool = false) -> [Member] {
    guard !fields.isEmpty || keepingUnknownFields || isRecord else { return [] }
    return [
      decoding(of: fields, keepingUnknownFields: keepingUnknownFields, isRecord: isRecord),
      encoding(of: fields, keepingUnknownFields: keepingUnknownFields, isRecord: isRecord),
    ]
  }

  private func decoding(of fields: [Field], keepingUnknownFields: Bool, isRecord: Bool) -> Member {
    var body: [Statement] = isRecord ? [.line("try Self.checkType(in: decoder)")] : []
    if !fields.isEmpty {
      body.append(.line("let container = try decoder.container(keyedBy: DataKey.self)"))
    }
    for field in fields {
      body.append(.line(decoding(of: field, isStrict: keepingUnknownFields)))
    }
    if keepingUnknownFields {
      let keys = fields.isEmpty ? "" : ", besides: \(Literal.array(fields.map(\.property.name)))"
      body.append(.line("self.unknownFields = try Self.unknownFields(in: decoder\(keys))"))
    }
    return .initializer(
      parameters: [Member.Parameter(name: "from decoder", type: "any Decoder")], throwing: "throws",
      body: body)
  }

  /// Strict means that null is not treated as absent.
  private func decoding(of field: Field, isStrict: Bool) -> String {
    let key = "forKey: \(Literal.string(field.property.name))"
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
      body.append(.line("var container = encoder.container(keyedBy: DataKey.self)"))
    }
    for field in fields {
      let call = field.property.isRequired ? "encode" : "encodeIfPresent"
      let key = Literal.string(field.property.name)
      body.append(.line("try container.\(call)(\(field.access), forKey: \(key))"))
    }
    if isRecord { body.append(.line("try encodeType(to: encoder)")) }
    if keepingUnknownFields { body.append(.line("try encodeUnknownFields(to: encoder)")) }
    return .function(
      name: "encode", parameters: [Member.Parameter(name: "to encoder", type: "any Encoder")],
      throwing: "throws", body: body)
  }
}
