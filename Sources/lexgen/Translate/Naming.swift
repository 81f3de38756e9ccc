// SPDX-License-Identifier: Apache-2.0

/// Turns names of lexicons into names of Swift.
enum Naming {
  /// `getRelationships` → `GetRelationships`, `cid-link` → `CidLink`; names that would hide another get `Value`.
  static func type(_ name: String) -> String {
    let joined = words(of: name).map(capitalized).joined()
    let valid = joined.first.map(\.isNumber) == true ? "_" + joined : joined
    return hiding.contains(valid) ? valid + "Value" : valid
  }

  /// `cid-link` → `cidLink`; keywords stand in backticks.
  static func member(_ name: String) -> String {
    let plain = label(name)
    return keywords.contains(plain) ? "`\(plain)`" : plain
  }

  /// As ``member(_:)``, but a name that generated types have themselves gets `Value`.
  static func property(_ name: String) -> String {
    taken.contains(label(name)) ? label(name) + "Value" : member(name)
  }

  /// As ``member(_:)``, without backticks: arguments may be called by any word.
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

  /// The types of ATProtoCore that generated code names.
  static let runtime: Set<String> = [
    "ATIdentifier", "ATURI", "Blob", "Boxed", "Bytes", "CID", "CIDLink", "ConstrainedValue", "DID", "DataKey",
    "DataValue", "Datetime", "Handle", "Indirect", "LanguageTag", "LexiconObject", "LexiconRecord",
    "LexiconUnion", "NSID", "Nullable", "OpenEnum", "RawPayload", "RecordKey", "TID", "URI",
    "UnknownUnionMember", "Validation", "ValidationError", "XRPCErrorName", "XRPCParameters", "XRPCPayload",
    "XRPCProcedure", "XRPCQuery", "XRPCQueryItem", "XRPCSubscription",
  ]

  /// Names that a generated type must not hide, and words that Swift keeps for itself.
  private static let hiding: Set<String> = runtime.union([
    "Any", "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys", "Decoder", "Encoder", "Hashable",
    "Int", "Protocol", "Self", "Sendable", "String", "Type",
  ])

  /// Members that generated types of some kind have.
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
