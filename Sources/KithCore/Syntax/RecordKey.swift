// SPDX-License-Identifier: Apache-2.0

/// The key of a record within its collection: usually a ``TID``, or a fixed word such as `self`.
///
/// 1 to 512 letters, digits and `.` `_` `:` `~` `-`; not `.` and not `..`. Compared byte by byte:
/// `[a-zA-Z0-9._:~-]{1,512}`.
/// Specification: <https://atproto.com/specs/record-key>.
public struct RecordKey: SyntaxIdentifier, ScannedIdentifier {
  /// The key as written.
  public let description: String

  /// `self`, the key of the only record of its collection, such as a profile.
  public static let literalSelf = RecordKey(unchecked: "self")

  static let subject = "record key"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    try Self.check(bytes)
    description = String(decoding: bytes, as: UTF8.self)
  }

  /// Creates the key of a record that is named by its time.
  public init(tid: TID) { description = tid.description }

  init(unchecked text: String) { description = text }

  /// The key as a ``TID``; nil if it is not one.
  public var tid: TID? { TID(description) }

  private static let allowed = ASCIISet.alphanumerics.union("._:~-")

  static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    let most = 512
    guard !bytes.isEmpty else { throw SyntaxFault("the record key is empty", at: 0) }
    guard bytes.count <= most else {
      throw SyntaxFault("the record key is longer than 512 bytes", at: most)
    }
    if let odd = bytes.firstIndex(where: { !Self.allowed.contains($0) }) {
      throw SyntaxFault("only letters, digits and . _ : ~ - are allowed", at: odd)
    }
    if bytes.count <= 2, bytes.allSatisfy({ $0 == UInt8(ascii: ".") }) {
      throw SyntaxFault("\".\" and \"..\" are not record keys", at: 0)
    }
  }
}
