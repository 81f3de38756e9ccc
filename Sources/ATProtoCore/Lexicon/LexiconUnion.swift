// SPDX-License-Identifier: Apache-2.0

/// One of several objects, told apart by `$type`. Generated enums conform to it.
///
/// An open union has a case `unknown` for a ``UnknownUnionMember``; a closed one throws.
public protocol LexiconUnion: Codable, Sendable, Hashable {}

extension LexiconUnion {
  /// The `$type` of the object being decoded.
  public static func memberType(of decoder: any Decoder) throws -> String {
    try decoder.container(keyedBy: DataKey.self).decode(String.self, forKey: .type)
  }

  /// Decodes a member that keeps unknown fields; its `$type` is the union's to write, so it is none.
  public static func member<Member: LexiconObject>(of decoder: any Decoder) throws -> Member {
    var member = try Member(from: decoder)
    member.unknownFields[DataKey.type.stringValue] = nil
    return member
  }

  /// The error for a member that a closed union does not have.
  public static func unexpectedMember(of decoder: any Decoder) throws -> DecodingError {
    let container = try decoder.container(keyedBy: DataKey.self)
    let type = try container.decode(String.self, forKey: .type)
    return DecodingError.dataCorruptedError(
      forKey: .type, in: container, debugDescription: "\(type) is no member of this closed union")
  }

  /// Encodes a member with its `$type`.
  public static func encode(_ member: some Encodable, as type: String, to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataKey.self)
    try container.encode(type, forKey: .type)
    try member.encode(to: encoder)
  }
}
