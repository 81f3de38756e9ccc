// SPDX-License-Identifier: Apache-2.0

/// A reference from a record to a file, which is stored outside the repository.
///
/// In JSON: `{"$type": "blob", "ref": {"$link": …}, "mimeType": …, "size": …}`. The legacy form `{"cid": …,
/// "mimeType": …}` of old records is also decoded, and encoded in the same form again: there ``size`` is nil.
/// Specification: <https://atproto.com/specs/data-model#blob-type>.
public struct Blob: Sendable, Hashable {
  /// The hash of the file.
  public var ref: CID
  /// The MIME type, as the uploader declared it.
  public var mimeType: String
  /// The length of the file in bytes; nil in the legacy form, which has no size.
  public var size: Int?

  /// Creates a reference; without a size, in the legacy form.
  public init(ref: CID, mimeType: String, size: Int?) {
    self.ref = ref
    self.mimeType = mimeType
    self.size = size
  }
}

extension Blob: Codable {
  static let typeName = "blob"

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataKey.self)
    mimeType = try container.decode(String.self, forKey: "mimeType")
    guard container.contains(.type) || !container.contains("cid") else {
      ref = try container.decode(CID.self, forKey: "cid")
      return
    }
    guard try container.decode(String.self, forKey: .type) == Self.typeName else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "a blob must have the $type \"\(Self.typeName)\"")
    }
    ref = try container.decode(CIDLink.self, forKey: "ref").cid
    let size = try container.decode(Int.self, forKey: "size")
    guard size >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: "size", in: container, debugDescription: "the size of a blob must not be negative")
    }
    self.size = size
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataKey.self)
    try container.encode(mimeType, forKey: "mimeType")
    guard let size else {
      try container.encode(ref, forKey: "cid")
      return
    }
    try container.encode(Self.typeName, forKey: .type)
    try container.encode(CIDLink(ref), forKey: "ref")
    try container.encode(size, forKey: "size")
  }
}
