// SPDX-License-Identifier: Apache-2.0

/// Converts lexicon names to Swift names.
enum Naming {
  /// `getRelationships` → `GetRelationships`, `cid-link` → `CidLink`; names that would hide another one get
  /// `Value`.
  static func type(_ name: String) -> String {
    let joined = words(of: name).map(capitalized).joined()
    let valid = joined.first.map(\.isNumber) == true ? "_" + joined : joined
    return hiding.contains(valid) ? valid + "Value" : valid
  }

  /// `cid-link` → `cidLink`; keywords are put in backticks.
  static func member(_ name: String) -> String {
    let plain = label(name)
    return keywords.contains(plain) ? "`\(plain)`" : plain
  }

  /// Like ``member(_:)``, but a name that generated types use themselves gets `Value`.
  static func property(_ name: String) -> String {
    taken.contains(label(name)) ? label(name) + "Value" : member(name)
  }

  /// Like ``member(_:)`` without backticks: argument labels may be any word.
  static func label(_ name: String) -> String {
    let words = words(of: name)
    guard let first = words.first else { return "empty" }
    let plain =
      words.count == 1 && first == first.uppercased() && first.count > 1
      ? first.lowercased() : ([lowercased(first)] + words.dropFirst().map(capitalized)).joined()
    return plain.first.map(\.isNumber) == true ? "_" + plain : plain
  }

  private static func words(of name: String) -> [Substring] {
    name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
  }

  private static func capitalized(_ word: some StringProtocol) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  private static func lowercased(_ word: some StringProtocol) -> String {
    word.prefix(1).lowercased() + word.dropFirst()
  }

  /// The types of KithCore that generated code uses.
  static let runtime: Set<String> = [
    "ATIdentifier", "ATURI", "AnswerBounds", "Blob", "Boxed", "Bytes", "CID", "CIDLink", "ConstrainedValue",
    "DID", "DataKey",
    "DataValue", "Datetime", "Handle", "Indirect", "LanguageTag", "LexiconObject", "LexiconRecord",
    "LexiconUnion", "NSID", "Nullable", "OpenEnum", "RawPayload", "RecordKey", "TID", "URI",
    "UnknownUnionMember", "Validation", "ValidationError", "XRPCErrorName", "XRPCParameters", "XRPCPayload",
    "XRPCProcedure", "XRPCQuery", "XRPCQueryItem", "XRPCQueryReader", "XRPCSubscription",
  ]

  /// Names that a generated type must not hide, and reserved words of Swift.
  private static let hiding: Set<String> = runtime.union([
    "Any", "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys", "Decoder", "Encoder", "Hashable",
    "Int", "Protocol", "Self", "Sendable", "String", "Type",
  ])

  /// Members that some generated types have.
  private static let taken: Set<String> = [
    "hashValue", "init", "payload", "queryItems", "self", "unknownFields", "validate",
  ]

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
    "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import",
    "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
