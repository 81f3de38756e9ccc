// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A token in the form of a JWT, whose claims clients may read.
///
/// Its signature is random: the sandbox knows its tokens by themselves, and signs nothing.
struct SessionToken: Sendable, Hashable {
  /// What a token is good for.
  enum Scope: String, Codable {
    // The passwords of this network are app passwords, which production marks so.
    case access = "com.atproto.appPass"
    case refresh = "com.atproto.refresh"
  }

  let text: String
  let scope: Scope
  /// The first second since 1970 in which it is good no more.
  let expires: Int64

  /// - Parameter now: microseconds since 1970.
  init(_ scope: Scope, did: DID, at now: Int64, lifetime: Duration) {
    let issued = now / 1_000_000
    expires = issued + lifetime.components.seconds
    self.scope = scope
    let header = Header(typ: scope == .access ? "at+jwt" : "refresh+jwt", alg: "HS256")
    let claims = Claims(
      scope: scope, sub: did, aud: Identities.pds, iat: issued, exp: expires,
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

  /// Texts and numbers always encode.
  private static func json(_ value: some Encodable) -> [UInt8] { (try? JSONCoding.encode(value)) ?? [] }

  private static func randomBytes(_ count: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// Base64 with the alphabet for URLs, unpadded: RFC 4648, section 5.
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
