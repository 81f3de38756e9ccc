// SPDX-License-Identifier: Apache-2.0

/// A member of an open union that the lexicon does not list, kept unchanged so that it can be encoded again.
public struct UnknownUnionMember: Codable, Sendable, Hashable {
  /// The member's `$type`.
  public let type: String
  /// The member itself, including its `$type`.
  public let value: DataValue

  /// Keeps the object being decoded.
  ///
  /// - Throws: `DecodingError` if it is not an object or has no `$type`.
  public init(from decoder: any Decoder) throws {
    type = try decoder.container(keyedBy: DataKey.self).decode(String.self, forKey: .type)
    value = try DataValue(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
