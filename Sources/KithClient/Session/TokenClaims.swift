// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The claims of a token about its lifetime and scope, if it is a JSON Web Token. Unverified, because only
/// its server can verify them.
///
/// Tokens are opaque and may have any form; one that cannot be parsed simply has no claims.
/// Specification: <https://www.rfc-editor.org/rfc/rfc7519#section-4.1>.
struct TokenClaims: Sendable, Hashable {
  let expiresAt: Instant?
  let issuedAt: Instant?
  /// What it authorizes, as the reference PDS calls it: `com.atproto.access` for everything,
  /// `com.atproto.appPass` for the rights of an app password.
  let scope: String?

  /// The maximum lifetime; longer ones are ignored.
  private static let longestLife = Duration.days(366)

  init(_ token: SessionToken) {
    let parts = token.secret.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let json = Self.decode(base64URL: parts[1]),
      let claims = try? JSONCoding.decode(DataValue.self, from: json)
    else {
      (expiresAt, issuedAt, scope) = (nil, nil, nil)
      return
    }
    expiresAt = claims["exp"]?.integer.map(Instant.init(secondsSinceEpoch:))
    issuedAt = claims["iat"]?.integer.map(Instant.init(secondsSinceEpoch:))
    scope = claims["scope"]?.string
  }

  /// Returns the lifetime of the token from the time it was received.
  ///
  /// Counted from its own time of issue if it has one, so the server's clock may differ from the local one.
  /// - Returns: nil if the token has no expiry, or an implausible one.
  func life(receivedAt: Instant) -> Duration? {
    guard let expiresAt else { return nil }
    let life = expiresAt - (issuedAt ?? receivedAt)
    return life > .zero && life <= Self.longestLife ? life : nil
  }

  private static func decode(base64URL text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 3)
    var (buffer, bits) = (UInt32(0), 0)
    for byte in text where byte != UInt8(ascii: "=") {
      guard let value = value(of: byte) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
    case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
