// SPDX-License-Identifier: Apache-2.0

extension KeyedDecodingContainer {
  /// Decodes a field that may be absent but, unlike with `decodeIfPresent`, not null.
  public func decodeUnlessAbsent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    contains(key) ? try decode(type, forKey: key) : nil
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
