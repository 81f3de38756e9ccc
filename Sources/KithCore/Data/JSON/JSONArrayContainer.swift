// SPDX-License-Identifier: Apache-2.0

/// Decodes the elements of an array one after another. Three words, small enough to need no heap allocation.
struct JSONArrayContainer: UnkeyedDecodingContainer {
  private let document: JSONDocument
  /// The node of the array and of its next element; at the end, the node after the array's last one.
  private let array: UInt32
  private var next: UInt32
  private(set) var currentIndex = 0

  init(document: JSONDocument, array: Int) {
    self.document = document
    self.array = UInt32(truncatingIfNeeded: array)
    next = self.array + 1
  }

  var codingPath: [any CodingKey] { document.path(to: Int(array)) }
  var isAtEnd: Bool { next >= document.nodes[Int(array)].extent }

  var count: Int? {
    var count = currentIndex
    var index = Int(next)
    while index < document.nodes[Int(array)].extent {
      count += 1
      index = document.end(of: index)
    }
    return count
  }

  /// Decodes the next element and advances, unless decoding fails.
  @inline(__always)
  private mutating func read<Value>(
    _ type: Value.Type, _ read: (JSONValueDecoder) throws -> Value
  ) throws -> Value {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(
          codingPath: codingPath + [JSONPathKey.index(currentIndex)],
          debugDescription: "the array has no more elements"))
    }
    let value = try read(JSONValueDecoder(document: document, index: Int(next)))
    next = UInt32(truncatingIfNeeded: document.end(of: Int(next)))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    if !isAtEnd, document.nodes[Int(next)].kind != .null { return false }
    return try read(Bool.self) { $0.isNull }
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try read(type) { try $0.bool() } }
  mutating func decode(_ type: String.Type) throws -> String { try read(type) { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try read(type) { try $0.float(type) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try read(type) { try $0.float(type) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try read(type) { try $0.int64(as: type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try read(type) { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try read(type) { try $0.integer(type) } }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try read(type) { try $0.value(type) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try read(KeyedDecodingContainer<NestedKey>.self) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try read((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try read((any Decoder).self) { $0 } }
}
