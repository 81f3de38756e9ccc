// SPDX-License-Identifier: Apache-2.0

/// The address of a record, a collection or a whole repository (`at://did:plc:…/app.bsky.graph.follow/…`).
///
/// `at://`, a DID or handle, then optionally a collection, then optionally a record key; at most 8,192 bytes.
/// Queries, fragments and trailing slashes are rejected, because lexicons do not allow them. The text is kept
/// unchanged and compared byte by byte; its parts are extracted on demand.
/// Specification: <https://atproto.com/specs/at-uri-scheme>.
public struct ATURI: SyntaxIdentifier, ScannedIdentifier {
  /// The address as written.
  public let description: String

  private static let scheme: StaticString = "at://"

  static let subject = "AT-URI"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    try Self.check(bytes)
    description = String(decoding: bytes, as: UTF8.self)
  }

  /// Creates the address of a record.
  public init(authority: ATIdentifier, collection: NSID, recordKey: RecordKey) {
    description = "\(Self.scheme)\(authority)/\(collection)/\(recordKey)"
  }

  /// Creates the address of a collection, or of a repository if the collection is nil.
  public init(authority: ATIdentifier, collection: NSID? = nil) {
    description = "\(Self.scheme)\(authority)" + (collection.map { "/\($0)" } ?? "")
  }

  /// The account that owns the repository.
  public var authority: ATIdentifier {
    var text = part(0) ?? ""
    return text.withUTF8 { ATIdentifier(unchecked: $0) }
  }

  /// The collection; nil for the address of a whole repository.
  public var collection: NSID? { part(1).map { NSID(unchecked: String($0)) } }

  /// The key of the record; nil for the address of a repository or collection.
  public var recordKey: RecordKey? { part(2).map { RecordKey(unchecked: String($0)) } }

  /// Returns the part after this number of slashes; part 0 is the authority.
  private func part(_ position: Int) -> Substring? {
    var remaining = description.utf8.dropFirst(Self.scheme.utf8CodeUnitCount)
    for _ in 0..<position {
      guard let slash = remaining.firstIndex(of: UInt8(ascii: "/")) else { return nil }
      remaining = remaining[remaining.index(after: slash)...]
    }
    return Substring(remaining.prefix { $0 != UInt8(ascii: "/") })
  }

  private static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    let most = 8_192
    guard bytes.count <= most else { throw SyntaxFault("longer than 8192 bytes", at: most) }
    let start = scheme.utf8CodeUnitCount
    guard bytes.count >= start,
      UTF8Bytes(rebasing: bytes[..<start]).isSame(as: UTF8Bytes(start: scheme.utf8Start, count: start))
    else {
      throw SyntaxFault("it does not start with \"at://\"", at: 0)
    }
    func end(from start: Int) -> Int {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
      return end
    }
    func part(_ range: Range<Int>, _ check: (UTF8Bytes) throws(SyntaxFault) -> Void) throws(SyntaxFault) {
      do throws(SyntaxFault) {
        try check(UTF8Bytes(rebasing: bytes[range]))
      } catch {
        throw SyntaxFault(error.reason, at: range.lowerBound + error.offset)
      }
    }
    let authority = start..<end(from: start)
    try part(authority) { bytes throws(SyntaxFault) in try ATIdentifier.check(bytes) }
    guard authority.upperBound < bytes.count else { return }
    let collection = authority.upperBound + 1..<end(from: authority.upperBound + 1)
    try part(collection) { bytes throws(SyntaxFault) in try NSID.check(bytes) }
    guard collection.upperBound < bytes.count else { return }
    let recordKey = collection.upperBound + 1..<bytes.count
    try part(recordKey) { bytes throws(SyntaxFault) in try RecordKey.check(bytes) }
  }
}
