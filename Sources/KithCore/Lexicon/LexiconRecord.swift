// SPDX-License-Identifier: Apache-2.0

/// A record of a repository: an object with a `$type` that names its collection.
///
/// Decoding throws if the `$type` is absent or another one; encoding writes it.
public protocol LexiconRecord: LexiconObject, ConstrainedValue {
  /// The collection, which is the record's `$type`.
  static var nsid: NSID { get }
}

extension LexiconRecord {
  public func validate() throws(ValidationError) {}

  /// Throws unless the `$type` of the object being decoded is this record's.
  public static func checkType(in decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataKey.self)
    let type = try container.decode(String.self, forKey: .type)
    guard type == nsid.description else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "expected a record of \(nsid), found \(type)")
    }
  }

  /// Returns the unknown fields as for other objects; here the `$type` is also a known field.
  public static func unknownFields(
    in decoder: any Decoder, besides known: [String]
  ) throws -> DataObject {
    try unknownFields(in: decoder, besides: known, unread: UnreadFields())
  }

  /// Returns the unknown fields as for other objects; here the `$type` is also a known field.
  public static func unknownFields(
    in decoder: any Decoder, besides known: [String], unread: UnreadFields
  ) throws -> DataObject {
    try fields(of: decoder, unread: unread) { name in
      ([DataKey.type.stringValue] + known).contains { $0.hasSameBytes(as: name) }
    }
  }

  /// Encodes the `$type`.
  public func encodeType(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataKey.self)
    try container.encode(Self.nsid.description, forKey: .type)
  }
}
