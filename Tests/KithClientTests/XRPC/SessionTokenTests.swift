// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct SessionTokenTests {
  private func token(claims: String) throws -> SessionToken {
    let part = Data(claims.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
    return try #require(SessionToken("eyJhbGciOiJub25lIn0.\(part).sig"))
  }

  @Test func isNeverShown() throws {
    let token = try #require(SessionToken("secret-of-alice"))
    let session = try Self.session(token)
    var texts = [
      "\(token)", String(reflecting: token), "\([token])", "\(session)", String(reflecting: session),
    ]
    for value in [token as Any, session as Any, [session] as Any] {
      var text = ""
      dump(value, to: &text)
      texts.append(text)
    }
    let password = try #require(Password("secret-of-alice"))
    texts += [
      "\(password)", String(reflecting: password), "\(Mirror(reflecting: password).children.map(\.value))",
    ]
    for text in texts { #expect(!text.contains("secret-of-alice")) }
  }

  @Test(arguments: ["", "a b", "a\r\nX-Evil: 1", "a,b", "é", "a\u{0}", String(repeating: "a", count: 8_193)])
  func takesNothingThatCouldNotStandInAHeader(text: String) {
    #expect(SessionToken(text) == nil)
  }

  @Test(
    arguments: [
      (#"{"iat":1000,"exp":1600}"#, 600), (#"{"exp":1760000300}"#, 300), (#"{"iat":5,"exp":4}"#, nil),
      (#"{"iat":1000}"#, nil), (#"{"exp":"soon"}"#, nil), (#"{"exp":1e3}"#, nil), ("[]", nil), ("", nil),
      (#"{"iat":-9223372036854775808,"exp":9223372036854775807}"#, nil),
      (#"{"iat":0,"exp":9223372036854775807}"#, nil), ("\u{0}\u{ff}", nil),
    ] as [(String, Int?)])
  func readsTheLifetimeOfAToken(claims: String, seconds: Int?) throws {
    let life = TokenClaims(try token(claims: claims)).life(receivedAt: 1_760_000_000_000_000)
    #expect(life == seconds.map { .seconds($0) })
  }

  @Test(arguments: ["opaque", "a.b", "a.b.c.d", "..", "a.====.c", "a.!.c", "a.eyJ.c"])
  func readsNothingFromATokenThatIsNotAWebToken(text: String) {
    let life = SessionToken(text).map { TokenClaims($0).life(receivedAt: 0) }
    #expect(life == nil || life == .some(nil))
  }

  @Test func survivesMutations() throws {
    let right = Array(try token(claims: #"{"iat":1000,"exp":1600,"sub":"did:plc:a"}"#).secret.utf8)
    var lives: [Duration?] = []
    for seed in 0..<1_000 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var text = right
      for _ in 0..<2 { text[Int(random.next() % UInt64(text.count))] = UInt8(random.next() % 128) }
      guard let token = SessionToken(String(decoding: text, as: UTF8.self)) else { continue }
      lives.append(TokenClaims(token).life(receivedAt: 0))
    }
    #expect(lives.compactMap(\.self).allSatisfy { $0 > .zero })
    // Some mutations leave the claims unchanged, others make them unreadable.
    #expect(lives.contains(.seconds(600)))
    #expect(lives.contains(nil))
  }

  @Test(
    arguments: [
      (#"{"scope":"com.atproto.access"}"#, true), (#"{"scope":"com.atproto.appPass"}"#, false),
      (#"{"scope":["com.atproto.access"]}"#, false), (#"{"scope":"com.atproto.access "}"#, false),
      ("{}", false),
    ])
  func distinguishesTheMainPasswordFromAnAppPassword(claims: String, hasFullAccess: Bool) throws {
    #expect(try Self.session(try token(claims: claims)).hasFullAccess == hasFullAccess)
    let opaque = try Self.session(try #require(SessionToken("opaque")))
    #expect(!opaque.hasFullAccess)
  }

  /// The server's clock is a day ahead of the local one; only the lifetime of the token counts.
  @Test func isDueByItsAgeAndNotByTheServersClock() throws {
    let day: Int64 = 86_400
    var session = try Self.session(try token(claims: #"{"iat":\#(1_000 + day),"exp":\#(1_600 + day)}"#))
    session.receivedAt = 1_000_000_000
    func isDue(after seconds: Int64) -> Bool {
      session.isDue(at: session.receivedAt + seconds * 1_000_000, margin: .seconds(60))
    }
    #expect(!isDue(after: 0) && !isDue(after: 539))
    #expect(isDue(after: 540) && isDue(after: 100_000))
  }

  @Test func aShortLifeHasAShortMargin() throws {
    var session = try Self.session(try token(claims: #"{"iat":10,"exp":15}"#))
    session.receivedAt = 0
    #expect(!session.isDue(at: 3_000_000, margin: .seconds(60)))
    #expect(session.isDue(at: 4_000_000, margin: .seconds(60)))
  }

  private static func session(_ token: SessionToken) throws -> Session {
    Session(
      did: Accounts.did(1), handle: Accounts.handle(1), pds: try ServiceURL(parsing: "https://pds.test"),
      pdsIsUserSpecified: false, accessToken: token, refreshToken: token, receivedAt: 0)
  }
}
