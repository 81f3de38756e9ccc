// SPDX-License-Identifier: Apache-2.0

/// A domain name that identifies an account (`alice.example.com`).
///
/// At least two segments of 1 to 63 letters, digits and inner hyphens, the last not starting with a digit; at
/// most 253 bytes. Upper case is accepted and converted to lower case. Top-level domains that cannot be
/// registered are accepted: they are a matter of resolution, not of syntax.
/// Specification: <https://atproto.com/specs/handle>.
public struct Handle: SyntaxIdentifier, ScannedIdentifier {
  /// The handle in lower case.
  public let description: String

  /// The placeholder that services show for a handle that does not resolve to its account.
  public static let invalid = Handle(unchecked: "handle.invalid")

  static let subject = "handle"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    try Self.check(bytes)
    self.init(unchecked: bytes)
  }

  /// Creates a value from bytes, in any case, that were checked before.
  init(unchecked bytes: UTF8Bytes) {
    description = String(unsafeUninitializedCapacity: bytes.count) { buffer in
      for (index, byte) in bytes.enumerated() { buffer.initializeElement(at: index, to: byte.lowercased) }
      return bytes.count
    }
  }

  private init(unchecked lowercased: String) { description = lowercased }

  /// Whether a service shows ``invalid`` in place of the account's handle.
  public var isInvalid: Bool { self == .invalid }

  static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    let most = 253
    guard bytes.count <= most else { throw SyntaxFault("longer than 253 bytes", at: most) }
    var start = 0
    for offset in 0..<bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "."):
        if offset == start { throw SyntaxFault("a segment is empty", at: offset) }
        if bytes[offset - 1] == UInt8(ascii: "-") {
          throw SyntaxFault("a segment ends with a hyphen", at: offset - 1)
        }
        start = offset + 1
      case UInt8(ascii: "-"):
        if offset == start { throw SyntaxFault("a segment starts with a hyphen", at: offset) }
      case let byte where byte.isAlphanumeric: break
      default: throw SyntaxFault("only letters, digits, hyphens and dots are allowed", at: offset)
      }
      if offset - start >= 63 { throw SyntaxFault("a segment is longer than 63 bytes", at: offset) }
    }
    guard start < bytes.count else { throw SyntaxFault("a segment is empty", at: start) }
    if bytes[bytes.count - 1] == UInt8(ascii: "-") {
      throw SyntaxFault("a segment ends with a hyphen", at: bytes.count - 1)
    }
    guard start > 0 else { throw SyntaxFault("fewer than two segments", at: bytes.count) }
    guard !bytes[start].isDigit else { throw SyntaxFault("the last segment starts with a digit", at: start) }
  }
}
