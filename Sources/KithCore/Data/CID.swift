// SPDX-License-Identifier: Apache-2.0

/// A content identifier: the hash of a block of data, with its codec (`bafyrei…`).
///
/// A text of version 1 in base32 (`b…`) is parsed in full and has ``bytes``. Texts in other bases (8 to 256
/// letters, digits, `+` and `=`) are kept unparsed, because lexicons allow them in places that only name a
/// CID; they have no bytes and cannot be links. Version 0 (`Qm…`) is rejected.
///
/// A CID with a SHA-256 hash, as all CIDs of a repository, takes 40 bytes and no heap memory.
/// Specification: <https://atproto.com/specs/data-model#link-and-cid-formats>.
public struct CID: SyntaxIdentifier, ScannedIdentifier {
  private enum Storage: Hashable, Sendable {
    case sha256(SHA256CID)
    case text(String)
  }

  private let storage: Storage

  static let subject = "CID"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    guard bytes.first == UInt8(ascii: "b") else {
      try Self.checkOpaque(bytes)
      storage = .text(String(decoding: bytes, as: UTF8.self))
      return
    }
    guard bytes.count <= Self.longestText else { throw SyntaxFault("longer than 256 bytes", at: 256) }
    let binary = try Base32.decode(bytes)
    do throws(SyntaxFault) { try Self.check(binary) } catch {
      throw SyntaxFault(error.reason, at: Base32.textOffset(ofByte: error.offset))
    }
    storage = SHA256CID(binary).map(Storage.sha256) ?? .text(String(decoding: bytes, as: UTF8.self))
  }

  /// Parses the binary form: version, codec and multihash, with nothing after them.
  ///
  /// - Throws: ``SyntaxError``; its offset counts bytes of the binary form, its text is the base32 form.
  public init(bytes: [UInt8]) throws(SyntaxError) {
    do throws(SyntaxFault) { try Self.check(bytes) } catch {
      throw SyntaxError("CID", error.reason, at: error.offset, in: Base32.encode(bytes.prefix(128)))
    }
    storage = SHA256CID(bytes).map(Storage.sha256) ?? .text(Base32.encode(bytes))
  }

  /// The binary form; nil for a text that is not in base32.
  public var bytes: [UInt8]? {
    switch storage {
    case .sha256(let cid): cid.bytes
    case .text(let text):
      try? text.scanned(as: "CID") { bytes throws(SyntaxFault) in try Base32.decode(bytes) }
    }
  }

  /// Whether ``bytes`` is not nil, without computing it.
  var isBinary: Bool {
    switch storage {
    case .sha256: true
    case .text(let text): text.utf8.first == UInt8(ascii: "b")
    }
  }

  public var description: String {
    switch storage {
    case .sha256(let cid): Base32.encode(cid.bytes)
    case .text(let text): text
    }
  }

  private static let longestText = 256

  /// Checks a text in a base that is not parsed.
  private static func checkOpaque(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    guard bytes.count <= longestText else { throw SyntaxFault("longer than 256 bytes", at: 256) }
    if let odd = bytes.firstIndex(where: {
      !$0.isAlphanumeric && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "=")
    }) {
      throw SyntaxFault("only letters, digits, + and = are allowed", at: odd)
    }
    guard bytes.count >= 8 else { throw SyntaxFault("shorter than 8 bytes", at: bytes.count) }
    if bytes.starts(with: "Qm".utf8) { throw SyntaxFault("version 0 is not supported", at: 0) }
  }

  /// Checks a binary form.
  private static func check(_ bytes: [UInt8]) throws(SyntaxFault) {
    var reader = VarintReader(bytes: bytes)
    guard try reader.next() == 1 else { throw SyntaxFault("the version is not 1", at: 0) }
    _ = try reader.next()
    _ = try reader.next()
    let length = try reader.next()
    guard length == UInt64(bytes.count - reader.offset) else {
      throw SyntaxFault("the hash length does not match", at: reader.offset)
    }
  }
}
