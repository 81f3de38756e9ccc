// SPDX-License-Identifier: Apache-2.0

/// Decodes one value of a document; passed to `init(from:)` for JSON from the network.
///
/// Two words, so that `any Decoder` stores it inline.
struct JSONValueDecoder: Decoder {
  let document: JSONDocument
  /// The node of the value.
  let index: Int

  /// Decodes the root of a document.
  init(root document: JSONDocument) { self.init(document: document, index: 0) }

  init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  /// Returns the decoder itself if it is of this type; cheaper than a cast.
  @inline(__always)
  init?<Other: Decoder>(_ decoder: Other) {
    guard Other.self == Self.self else { return nil }
    // The types were just compared.
    self = unsafeBitCast(decoder, to: Self.self)
  }

  var codingPath: [any CodingKey] { document.path(to: index) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try require(.object, as: [String: any Decodable].self)
    return KeyedDecodingContainer(JSONObjectContainer<Key>(document: document, object: index))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try require(.array, as: [any Decodable].self)
    return JSONArrayContainer(document: document, array: index)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder {
  @inline(__always)
  var kind: JSONNode.Kind { document.nodes[index].kind }

  /// The text of a string; valid while the document lives.
  @inline(__always)
  var utf8: UTF8Bytes { document.utf8(of: index) }

  @inline(__always)
  func require(_ kind: JSONNode.Kind, as type: Any.Type) throws {
    guard self.kind == kind else { throw mismatch(type, expected: kind.noun) }
  }

  /// Returns the error for a value of the wrong kind.
  func mismatch(_ type: Any.Type, expected: String) -> DecodingError {
    let context = context("expected \(expected), found \(kind.noun) at byte \(offset)")
    return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  /// Returns the error for a value of the right kind that is invalid.
  func corrupted(_ reason: String) -> DecodingError { .dataCorrupted(context(reason)) }

  func context(_ reason: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: reason)
  }

  /// The offset of the value's first byte in the document.
  var offset: Int { Int(document.nodes[index].offset) - (kind == .string ? 1 : 0) }
}

extension JSONNode.Kind {
  /// The kind with its article.
  var noun: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .otherNumber: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    case .name: "a name"
    }
  }
}
