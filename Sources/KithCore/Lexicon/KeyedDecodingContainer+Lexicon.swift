// SPDX-License-Identifier: Apache-2.0

extension KeyedDecodingContainer {
  /// Decodes a field that may be absent but, unlike with `decodeIfPresent`, not null.
  public func decodeUnlessAbsent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    contains(key) ? try decode(type, forKey: key) : nil
  }

  /// Decodes a field that may be absent, and whose absence says nothing: nil also if it cannot be read.
  @inlinable
  @inline(__always)
  public func decodeIfReadable<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
    contains(key) ? try? decode(type, forKey: key) : nil
  }

  /// Throws unless the field has the single value that the lexicon allows.
  public func decodeConstant<Value: Decodable & Equatable>(_ constant: Value, forKey key: Key) throws {
    let value = try decode(Value.self, forKey: key)
    guard value == constant else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "the value must be \(constant), not \(value)")
    }
  }
}

extension KeyedDecodingContainer<DataKey> {
  /// Decodes an optional field of an object that is kept: one that cannot be read is nil, and noted, so that it is kept as it is.
  public func decodeReadable<Value: Decodable>(
    _ type: Value.Type, forKey key: DataKey, noting unread: inout UnreadFields
  ) -> Value? {
    guard contains(key) else { return nil }
    do { return try decode(type, forKey: key) } catch {
      unread.add(key.stringValue, because: error)
      return nil
    }
  }
}
