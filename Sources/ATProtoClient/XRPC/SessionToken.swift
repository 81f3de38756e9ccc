// SPDX-License-Identifier: Apache-2.0

/// A token of a session: who holds it acts as the account.
///
/// It is never shown: descriptions, dumps and reflection give its kind only, and errors that quote it lose it.
public struct SessionToken: Sendable, Hashable {
  /// The token itself, for stores and for `Authorization`. Nothing else may hold it.
  public let secret: String

  /// The most bytes of a token; those of real servers have a few hundred, and heads of requests have bounds.
  private static let mostBytes = 8 << 10

  /// Takes what a server issued; nil where it could not stand in a header field (RFC 6750, 2.1).
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
  /// Takes a token from an answer.
  ///
  /// - Throws: `DecodingError` that does not quote it.
  init(answered text: String) throws {
    guard let token = SessionToken(text) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: "a token is empty, too long or holds other characters"))
    }
    self = token
  }
}
