// SPDX-License-Identifier: Apache-2.0

/// A token of a session: its holder can act as the account.
///
/// It is never shown: descriptions, dumps and reflection only give its kind, and errors that quote it are
/// redacted.
public struct SessionToken: Sendable, Hashable {
  /// The token itself, for stores and for `Authorization`. Do not keep it anywhere else.
  public let secret: String

  /// The maximum length in bytes; tokens of real servers have a few hundred, and request heads are limited.
  private static let mostBytes = 8 << 10

  /// Wraps a token issued by a server; nil if it is not valid in a header field (RFC 6750, 2.1).
  public init?(_ secret: String) {
    guard !secret.isEmpty, secret.utf8.count <= Self.mostBytes, secret.utf8.allSatisfy(Self.isOfTokens)
    else { return nil }
    self.secret = secret
  }

  private static func isOfTokens(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "-._~+/=".utf8.contains(byte)
    }
  }
}

extension SessionToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "a session token" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SessionToken {
  /// Reads a token from a response.
  ///
  /// - Throws: `DecodingError` that does not quote it.
  init(answered text: String) throws {
    guard let token = SessionToken(text) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: "a token is empty, too long or has invalid characters"))
    }
    self = token
  }
}
