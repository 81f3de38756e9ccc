// SPDX-License-Identifier: Apache-2.0

/// A link to a block, of the lexicon type `cid-link`: `{"$link": "bafy…"}`.
///
/// Only a ``CID`` with ``CID/bytes`` can be a link; others are rejected by decoding and encoding.
/// Specification: <https://atproto.com/specs/data-model#link>.
public struct CIDLink: Sendable, Hashable {
  /// The CID of the block.
  public var cid: CID

  /// Creates a link.
  public init(_ cid: CID) { self.cid = cid }
}

extension CIDLink: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataKey.self)
    try container.requireOnly(.link)
    cid = try container.decode(CID.self, forKey: .link)
    guard cid.isBinary else {
      throw DecodingError.dataCorruptedError(
        forKey: .link, in: container, debugDescription: "a link must be in base32, not \"\(cid)\"")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    guard cid.isBinary else {
      throw EncodingError.invalidValue(
        cid,
        .init(codingPath: encoder.codingPath, debugDescription: "a link must be in base32, not \"\(cid)\"")
      )
    }
    var container = encoder.container(keyedBy: DataKey.self)
    try container.encode(cid, forKey: .link)
  }
}
