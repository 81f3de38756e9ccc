// SPDX-License-Identifier: Apache-2.0

/// Encodes a value as JSON; passed to `encode(to:)`.
///
/// Foundation's encoder keeps members by names that are equal if they look the same, and would lose one of two.
struct JSONValueEncoder: Encoder {
  private let draft: JSONDraft
  let codingPath: [any CodingKey]

  init(_ draft: JSONDraft, at path: [any CodingKey]) { (self.draft, codingPath) = (draft, path) }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    draft.become(.object)
    return KeyedEncodingContainer(JSONMemberEncoder(draft, at: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    draft.become(.array)
    return JSONElementEncoder(draft, at: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { draft.set(token: "null") }
  func encode(_ value: Bool) { draft.set(token: value ? "true" : "false") }
  func encode(_ value: Int) { encode(number: value) }
  func encode(_ value: Int8) { encode(number: value) }
  func encode(_ value: Int16) { encode(number: value) }
  func encode(_ value: Int32) { encode(number: value) }
  func encode(_ value: Int64) { encode(number: value) }
  func encode(_ value: UInt) { encode(number: value) }
  func encode(_ value: UInt8) { encode(number: value) }
  func encode(_ value: UInt16) { encode(number: value) }
  func encode(_ value: UInt32) { encode(number: value) }
  func encode(_ value: UInt64) { encode(number: value) }
  func encode(_ value: Float) throws { try encode(float: value) }
  func encode(_ value: Double) throws { try encode(float: value) }

  func encode(_ value: String) { draft.set(string: value) }

  func encode<Value: Encodable>(_ value: Value) throws {
    guard Value.self == DataValue.self, let value = value as? DataValue else {
      return try value.encode(to: self)
    }
    var writer = DataValueWriter(at: codingPath)
    var json: [UInt8] = []
    try writer.write(value, to: &json)
    draft.set(json: json)
  }

  private func encode(number: some BinaryInteger) { draft.set(token: "\(number)") }

  private func encode(float: some BinaryFloatingPoint & CustomStringConvertible) throws {
    guard float.isFinite else {
      throw EncodingError.invalidValue(
        float, .init(codingPath: codingPath, debugDescription: "JSON has only finite numbers"))
    }
    let text = float.description
    draft.set(token: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

/// Encodes the members of an object.
private struct JSONMemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let draft: JSONDraft
  let codingPath: [any CodingKey]

  init(_ draft: JSONDraft, at path: [any CodingKey]) { (self.draft, codingPath) = (draft, path) }

  private func encoder(_ key: any CodingKey) -> JSONValueEncoder {
    JSONValueEncoder(draft.member(key.stringValue), at: codingPath + [key])
  }

  func encodeNil(forKey key: Key) { encoder(key).encodeNil() }

  func encode(_ value: some Encodable, forKey key: Key) throws { try encoder(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    JSONValueEncoder(draft.openMember(key.stringValue), at: codingPath + [key]).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    JSONValueEncoder(draft.openMember(key.stringValue), at: codingPath + [key]).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(JSONPathKey.name("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

/// Encodes the elements of an array.
private struct JSONElementEncoder: UnkeyedEncodingContainer {
  private let draft: JSONDraft
  let codingPath: [any CodingKey]

  init(_ draft: JSONDraft, at path: [any CodingKey]) { (self.draft, codingPath) = (draft, path) }

  var count: Int { draft.count }

  private func encoder() -> JSONValueEncoder {
    let path = codingPath + [JSONPathKey.index(count)]
    return JSONValueEncoder(draft.element(), at: path)
  }

  func encodeNil() { encoder().encodeNil() }

  func encode(_ value: some Encodable) throws { try encoder().encode(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }
}
