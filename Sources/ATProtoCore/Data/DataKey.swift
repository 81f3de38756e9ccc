// SPDX-License-Identifier: Apache-2.0

/// The name of an object's field, as it travels.
///
/// One type of key for all objects: generated types read and write their fields by it.
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
  /// Refuses keys beside the one that makes the object something else than an object.
  func requireOnly(_ key: DataKey) throws {
    for other in allKeys where other.stringValue != key.stringValue {
      throw DecodingError.dataCorruptedError(
        forKey: other, in: self, debugDescription: "nothing may stand beside \(key.stringValue)")
    }
  }
}
