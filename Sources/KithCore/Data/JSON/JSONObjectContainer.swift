// SPDX-License-Identifier: Apache-2.0

/// Decodes the members of an object; each is looked up on demand.
struct JSONObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let document: JSONDocument
  /// The node of the object.
  let object: Int
  /// The bit set of its names.
  private let marks: UInt64

  init(document: JSONDocument, object: Int) {
    self.document = document
    self.object = object
    marks = document.marks(ofNamesIn: object).marks
  }

  var codingPath: [any CodingKey] { document.path(to: object) }

  var allKeys: [Key] { document.names(of: object).compactMap { Key(stringValue: document.text(of: $0)) } }

  func contains(_ key: Key) -> Bool { index(key) != nil }

  @inline(__always)
  private func index(_ key: Key) -> Int? {
    document.member(of: object, marks: marks, named: key.stringValue)
  }

  /// Returns the value of a member.
  @inline(__always)
  private func value(_ key: Key) throws -> JSONValueDecoder {
    guard let index = index(key) else { throw missing(key) }
    return JSONValueDecoder(document: document, index: index)
  }

  /// Returns the value of a member; nil if it is absent or null.
  @inline(__always)
  private func valueIfPresent(_ key: Key) -> JSONValueDecoder? {
    guard let index = index(key), document.nodes[index].kind != .null
    else { return nil }
    return JSONValueDecoder(document: document, index: index)
  }

  private func missing(_ key: Key) -> DecodingError {
    let reason = "\"\(key.stringValue)\" is missing in the object at byte \(document.nodes[object].offset)"
    return .keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
  }

  @inline(__always)
  private func decode<Value: Decodable>(_ type: Value.Type, from decoder: JSONValueDecoder) throws -> Value {
    let value = try decoder.value(type)
    // The contents of the value were looked up in the meantime, which moved the hint.
    document.nextName = document.end(of: decoder.index)
    return value
  }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).float(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).float(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).int64(as: type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).integer(type) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decode(type, from: value(key))
  }

  // The types that generated code decodes most. The standard library composes the others from `contains`,
  // `decodeNil` and `decode`, which takes three lookups instead of one.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try valueIfPresent(key)?.bool()
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try valueIfPresent(key)?.string()
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try valueIfPresent(key)?.integer(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let decoder = valueIfPresent(key) else { return nil }
    return try decode(type, from: decoder)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try value(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try value(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    guard let index = document.member(of: object, named: "super") else {
      let reason = "\"super\" is missing in the object at byte \(document.nodes[object].offset)"
      throw DecodingError.keyNotFound(
        JSONPathKey.name("super"), .init(codingPath: codingPath, debugDescription: reason))
    }
    return JSONValueDecoder(document: document, index: index)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}
