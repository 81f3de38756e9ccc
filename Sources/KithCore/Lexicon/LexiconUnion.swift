// SPDX-License-Identifier: Apache-2.0

/// One of several objects, distinguished by `$type`. Generated enums conform to it.
///
/// An open union has a case `unknown` with an ``UnknownUnionMember``; decoding a closed one throws instead.
public protocol LexiconUnion: Codable, Sendable, Hashable {}

extension LexiconUnion {
  /// The `$type` of the object being decoded.
  public static func memberType(of decoder: any Decoder) throws -> String {
    try decoder.container(keyedBy: DataKey.self).decode(String.self, forKey: .type)
  }

  /// Decodes a member that keeps unknown fields; `$type` is not one of them, because the union encodes it.
  public static func member<Member: LexiconObject>(of decoder: any Decoder) throws -> Member {
    var member = try Member(from: decoder)
    member.unknownFields[DataKey.type.stringValue] = nil
    return member
  }

  /// Returns the error for a member that is not in a closed union.
  public static func unexpectedMember(of decoder: any Decoder) throws -> DecodingError {
    let container = try decoder.container(keyedBy: DataKey.self)
    let type = try container.decode(String.self, forKey: .type)
    return DecodingError.dataCorruptedError(
      forKey: .type, in: container, debugDescription: "\(type) is not a member of this closed union")
  }

  /// Encodes a member with its `$type`.
  public static func encode(_ member: some Encodable, as type: String, to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataKey.self)
    try container.encode(type, forKey: .type)
    try member.encode(to: encoder)
  }
}
