// SPDX-License-Identifier: Apache-2.0

/// A key of an object whose keys no lexicon names, and the reserved ones.
struct DataKey: CodingKey {
  let stringValue: String

  static let link = DataKey(stringValue: "$link")
  static let bytes = DataKey(stringValue: "$bytes")
  static let type = DataKey(stringValue: "$type")

  init(stringValue: String) { self.stringValue = stringValue }

  var intValue: Int? { nil }
  init?(intValue: Int) { nil }
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
