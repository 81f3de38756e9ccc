// SPDX-License-Identifier: Apache-2.0

/// A link to a block, as lexicons of type `cid-link` have it: `{"$link": "bafy…"}`.
///
/// Only a ``CID`` with ``CID/bytes`` can be a link: others are refused when they are read or written.
/// Specification: <https://atproto.com/specs/data-model#link>.
public struct CIDLink: Sendable, Hashable {
  /// What it leads to.
  public var cid: CID

  /// Makes a link.
  public init(_ cid: CID) { self.cid = cid }
}

extension CIDLink: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataKey.self)
    try container.requireOnly(.link)
    cid = try container.decode(CID.self, forKey: .link)
    guard cid.isBinary else {
      throw DecodingError.dataCorruptedError(
        forKey: .link, in: container, debugDescription: "a link is in base32, \"\(cid)\" is not")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    guard cid.isBinary else {
      throw EncodingError.invalidValue(
        cid, .init(codingPath: encoder.codingPath, debugDescription: "a link is in base32, \"\(cid)\" is not")
      )
    }
    var container = encoder.container(keyedBy: DataKey.self)
    try container.encode(cid, forKey: .link)
  }
}
