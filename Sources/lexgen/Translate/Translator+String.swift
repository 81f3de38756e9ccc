// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns `String`, the type of the format, or an enum that is added to the scope.
  func type(of string: StringSchema, named name: String, scope: inout Scope) -> String {
    if string.choices.isEmpty, string.knownValues.isEmpty { return plainType(of: string) }
    let name = scope.claim(Naming.type(name))
    if let type = enumeration(of: string, named: name) { scope.add(.type(type)) }
    return name
  }

  /// Returns the type of a string without a list of values.
  func plainType(of string: StringSchema) -> String {
    switch string.format {
    case nil: "String"
    case .atIdentifier: "ATIdentifier"
    case .atURI: "ATURI"
    case .cid: "CID"
    case .datetime: "Datetime"
    case .did: "DID"
    case .handle: "Handle"
    case .language: "LanguageTag"
    case .nsid: "NSID"
    case .recordKey: "RecordKey"
    case .tid: "TID"
    case .uri: "URI"
    }
  }

  /// Returns an open enum of known values or a closed one of allowed values; nil for a string without a list.
  func enumeration(
    of string: StringSchema, named name: String, documentation: String? = nil
  ) -> TypeDeclaration? {
    if !string.choices.isEmpty {
      return TypeDeclaration(
        introducer: .enumeration, name: name, conformances: ["String", "Codable", "Hashable", "Sendable"],
        documentation: documentation,
        members: zip(names(of: string.choices), string.choices).map { name, value in
          .enumCase(name: name, payload: nil, rawValue: name == value ? nil : Literal.string(value))
        })
    }
    if string.knownValues.isEmpty { return nil }
    let values = zip(names(of: string.knownValues), string.knownValues).map { name, value in
      Member.constant(name: name, type: "Self", value: "Self(rawValue: \(Literal.string(value)))")
    }
    return TypeDeclaration(
      introducer: .structure, name: name, conformances: ["OpenEnum"], documentation: documentation,
      members: values + [
        .stored(Member.Stored(name: "rawValue", type: "String", isConstant: true)),
        .initializer(
          parameters: [Member.Parameter(name: "rawValue", type: "String")], throwing: nil,
          body: [.line("self.rawValue = rawValue")]),
      ])
  }

  /// A token is named by its fragment; if that is taken, by its full name.
  private func names(of values: [String]) -> [String] {
    var taken: Set<String> = []
    return values.map { value in
      let short = value.split(separator: "#").last.map(String.init) ?? value
      var name = Naming.member(short)
      if !taken.insert(name).inserted {
        name = Naming.member(value)
        taken.insert(name)
      }
      return name
    }
  }
}
