// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns the coding of an object, with one key type for all objects: synthesized key enums would be half
  /// of a program's type metadata, which every lookup goes through.
  ///
  /// Empty if there is nothing to decode or encode.
  ///
  /// - Parameter isShown: whether it only comes from servers, which show it.
  func coding(
    of fields: [Field], keepingUnknownFields: Bool, isShown: Bool = false, isRecord: Bool = false
  ) -> [Member] {
    guard !fields.isEmpty || keepingUnknownFields || isRecord else { return [] }
    return [
      decoding(
        of: fields, keepingUnknownFields: keepingUnknownFields, isShown: isShown, isRecord: isRecord),
      encoding(of: fields, keepingUnknownFields: keepingUnknownFields, isRecord: isRecord),
    ]
  }

  private func decoding(
    of fields: [Field], keepingUnknownFields: Bool, isShown: Bool, isRecord: Bool
  ) -> Member {
    var body: [Statement] = isRecord ? [.line("try Self.checkType(in: decoder)")] : []
    if !fields.isEmpty {
      body.append(.line("let container = try decoder.container(keyedBy: DataKey.self)"))
    }
    let notesUnread =
      keepingUnknownFields && fields.contains { !$0.property.isRequired && $0.fixedValue == nil }
    if notesUnread { body.append(.line("var unread = UnreadFields()")) }
    for field in fields {
      body.append(.line(decoding(of: field, isKept: keepingUnknownFields, isShown: isShown)))
    }
    if keepingUnknownFields {
      let keys = fields.isEmpty ? "" : ", besides: \(Literal.array(fields.map(\.property.name)))"
      let unread = notesUnread ? ", unread: unread" : ""
      body.append(.line("self.unknownFields = try Self.unknownFields(in: decoder\(keys)\(unread))"))
    }
    return .initializer(
      parameters: [Member.Parameter(name: "from decoder", type: "any Decoder")], throwing: "throws",
      body: body)
  }

  /// A part that is optional and cannot be read does not make the rest unreadable. In objects that are kept it is noted, so that
  /// it is encoded again; null is a value there. In others null is absence, and what decides something is never taken for absent.
  private func decoding(of field: Field, isKept: Bool, isShown: Bool) -> String {
    let key = "forKey: \(Literal.string(field.property.name))"
    if let value = field.fixedValue { return "try container.decodeConstant(\(value), \(key))" }
    let call =
      switch (field.property.isRequired, field.property.isNullable) {
      case (true, false) where isShown && field.isUnknown:
        "try container.decode(ReadableValue.self, \(key)).value"
      case (true, false): "try container.decode(\(field.type).self, \(key))"
      case (true, true): "try container.decode(\(field.type)?.self, \(key))"
      case (false, false) where isKept:
        "container.decodeReadable(\(field.type).self, \(key), noting: &unread)"
      case (false, false):
        field.decides || !isShown
          ? "try container.decodeIfPresent(\(field.type).self, \(key))"
          : "container.decodeIfReadable(\(field.type).self, \(key))"
      case (false, true) where isKept:
        "container.decodeReadable(Nullable<\(field.type)>.self, \(key), noting: &unread)"
      case (false, true): "try container.decodeUnlessAbsent(Nullable<\(field.type)>.self, \(key))"
      }
    return "self.\(field.bareName) = \(call)"
  }

  private func encoding(of fields: [Field], keepingUnknownFields: Bool, isRecord: Bool) -> Member {
    var body: [Statement] = []
    if !fields.isEmpty {
      body.append(.line("var container = encoder.container(keyedBy: DataKey.self)"))
    }
    // Before the fields of the type, which replace one of the same name.
    if keepingUnknownFields { body.append(.line("try encodeUnknownFields(to: encoder)")) }
    for field in fields {
      let call = field.property.isRequired ? "encode" : "encodeIfPresent"
      let key = Literal.string(field.property.name)
      body.append(.line("try container.\(call)(\(field.access), forKey: \(key))"))
    }
    if isRecord { body.append(.line("try encodeType(to: encoder)")) }
    return .function(
      name: "encode", parameters: [Member.Parameter(name: "to encoder", type: "any Encoder")],
      throwing: "throws", body: body)
  }
}
