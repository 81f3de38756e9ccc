// SPDX-License-Identifier: Apache-2.0

internal import KithCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A token in the form of a JWT, whose claims clients can read.
///
/// Its signature is random: the sandbox looks its tokens up and does not sign anything.
struct SandboxToken: Sendable, Hashable {
  /// The scope of a token.
  enum Scope: String, Codable {
    // The passwords of this network are app passwords, which have this scope in production.
    case access = "com.atproto.appPass"
    case refresh = "com.atproto.refresh"
  }

  let text: String
  let scope: Scope
  /// When it expires: a whole second, from which on it is invalid.
  let expires: Instant

  init(_ scope: Scope, did: DID, at now: Instant, lifetime: Duration) {
    let issued = now.secondsSinceEpoch
    expires = Instant(secondsSinceEpoch: issued + lifetime.components.seconds)
    self.scope = scope
    let header = Header(typ: scope == .access ? "at+jwt" : "refresh+jwt", alg: "HS256")
    let claims = Claims(
      scope: scope, sub: did, aud: Identities.pds, iat: issued, exp: expires.secondsSinceEpoch,
      jti: Self.base64(Self.randomBytes(16)))
    let parts = [Self.json(header), Self.json(claims), Self.randomBytes(32)].map(Self.base64)
    text = parts.joined(separator: ".")
  }

  private struct Header: Encodable {
    let typ: String
    let alg: String
  }

  private struct Claims: Encodable {
    let scope: Scope
    let sub: DID
    let aud: DID
    let iat: Int64
    let exp: Int64
    let jti: String
  }

  /// Encodes texts and numbers, which never fails.
  private static func json(_ value: some Encodable) -> [UInt8] { (try? JSONCoding.encode(value)) ?? [] }

  private static func randomBytes(_ count: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// Base64url without padding: RFC 4648, section 5.
  private static func base64(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
  }
}
