// SPDX-License-Identifier: Apache-2.0

/// The name of an object's field in JSON.
///
/// All objects share this key type; generated types decode and encode their fields with it.
public struct DataKey: CodingKey, ExpressibleByStringLiteral {
  public let stringValue: String

  static let link: DataKey = "$link"
  static let bytes: DataKey = "$bytes"
  static let type: DataKey = "$type"

  @inlinable
  public init(stringValue: String) { self.stringValue = stringValue }

  @inlinable
  public init(stringLiteral: String) { stringValue = stringLiteral }

  public var intValue: Int? { nil }
  public init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<DataKey> {
  /// Throws if the object has other keys than this one, which makes it a link or binary data.
  func requireOnly(_ key: DataKey) throws {
    for other in allKeys where other.stringValue != key.stringValue {
      throw DecodingError.dataCorruptedError(
        forKey: other, in: self, debugDescription: "no other field is allowed beside \(key.stringValue)")
    }
  }
}
