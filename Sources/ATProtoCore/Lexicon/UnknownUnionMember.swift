// SPDX-License-Identifier: Apache-2.0

/// A member of an open union that the lexicon does not name, kept whole so that it can be written back.
public struct UnknownUnionMember: Codable, Sendable, Hashable {
  /// The member's `$type`.
  public let type: String
  /// The member itself, its `$type` included.
  public let value: DataValue

  /// Keeps the object being decoded.
  ///
  /// - Throws: `DecodingError` when it is no object or has no `$type`.
  public init(from decoder: any Decoder) throws {
    type = try decoder.container(keyedBy: DataKey.self).decode(String.self, forKey: .type)
    value = try DataValue(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
