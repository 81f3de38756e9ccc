// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

@Suite struct SessionTests {
  private typealias Server = Com.Atproto.Server

  private func isGood(_ token: String, of alice: PDSQuestions) -> Bool {
    (try? alice.questions.ask(Server.GetSession.self, NoParameters(), token: token)) != nil
  }

  private func fault(_ alice: PDSQuestions, _ token: String?) -> XRPCFault? {
    do {
      _ = try alice.questions.ask(Server.GetSession.self, NoParameters(), token: token)
      return nil
    } catch { return error as? XRPCFault }
  }

  @Test(arguments: ["alice.test", "ALICE.test", "did"]) func begin(with name: String) throws {
    let alice = try PDSQuestions()
    let session = try alice.questions.call(
      Server.CreateSession.self,
      .init(identifier: name == "did" ? alice.did.description : name, password: "pw-alice"))
    #expect(session.did == alice.did && session.handle.description == "alice.test" && session.active == true)
    #expect(session.didDoc?["service"]?[0]?["serviceEndpoint"]?.string == "http://127.0.0.1:2583")
    let asked = try alice.questions.ask(
      Server.GetSession.self, NoParameters(), token: session.accessJwt)
    #expect(asked.did == alice.did)
  }

  @Test(arguments: [("alice.test", "pw-bob"), ("alice.test", ""), ("nobody.test", "pw-absent"), ("?", "x")])
  func refuseWrongPasswords(identifier: String, password: String) throws {
    let alice = try PDSQuestions()
    let fault = #expect(throws: XRPCFault.self) {
      try alice.questions.call(
        Server.CreateSession.self, .init(identifier: identifier, password: password))
    }
    #expect(fault?.status == 401 && fault?.name == "AuthenticationRequired")
  }

  @Test func haveTokensThatClientsCanRead() throws {
    struct Claims: Decodable {
      let scope: String
      let sub: String
      let exp: Int64
      let iat: Int64
    }
    let alice = try PDSQuestions(writing: SandboxWriting(accessLifetime: .seconds(60)))
    func claims(_ token: String) throws -> Claims {
      let parts = token.split(separator: ".")
      #expect(parts.count == 3)
      let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
      let padding = String(repeating: "=", count: -text.utf8.count & 3)
      let data = Data(base64Encoded: String(text) + padding) ?? Data()
      return try JSONDecoder().decode(Claims.self, from: data)
    }
    let access = try claims(alice.access)
    #expect(access.sub == alice.did.description && access.scope == "com.atproto.appPass")
    #expect(access.iat == 1_750_000_000 && access.exp == 1_750_000_060)
    #expect(try claims(alice.refresh).scope == "com.atproto.refresh")
  }

  @Test func expire() throws {
    let alice = try PDSQuestions(writing: SandboxWriting(accessLifetime: .seconds(60)))
    alice.pass(59)
    #expect(isGood(alice.access, of: alice))
    alice.pass(1)
    #expect(fault(alice, alice.access)?.name == "ExpiredToken")
    #expect(fault(alice, alice.access)?.status == 400)
    let niaj = alice.questions.did(.niaj)
    let write = #expect(throws: XRPCFault.self) { try alice.create(alice.follow(niaj)) }
    #expect(write?.name == "ExpiredToken")
    let muted = #expect(throws: XRPCFault.self) {
      try alice.ask(App.Bsky.Graph.GetMutes.self, .init())
    }
    #expect(muted?.name == "ExpiredToken")
  }

  @Test func refuseOtherTokensThanAccessTokens() throws {
    let alice = try PDSQuestions()
    #expect(fault(alice, nil) == .authMissing)
    #expect(fault(alice, "nonsense")?.name == "InvalidToken")
    #expect(fault(alice, alice.refresh)?.name == "InvalidToken")
    let refresh = #expect(throws: XRPCFault.self) {
      try alice.questions.call(Server.RefreshSession.self, NoContent(), token: alice.access)
    }
    #expect(refresh?.name == "InvalidToken")
  }

  @Test func rotateWhenRefreshed() throws {
    let alice = try PDSQuestions()
    let next = try alice.questions.call(Server.RefreshSession.self, NoContent(), token: alice.refresh)
    #expect(next.did == alice.did && next.accessJwt != alice.access && next.refreshJwt != alice.refresh)
    #expect(isGood(alice.access, of: alice) && isGood(next.accessJwt, of: alice))
    let fault = #expect(throws: XRPCFault.self) {
      try alice.questions.call(Server.RefreshSession.self, NoContent(), token: alice.refresh)
    }
    #expect(fault?.status == 400 && fault?.name == "ExpiredToken")
    _ = try alice.questions.call(Server.RefreshSession.self, NoContent(), token: next.refreshJwt)
  }

  @Test func endWithTheirTokens() throws {
    let alice = try PDSQuestions()
    let (access, refresh) = (alice.access, alice.refresh)
    try alice.signIn()
    _ = try alice.questions.call(Server.DeleteSession.self, NoContent(), token: refresh)
    #expect(fault(alice, access)?.name == "ExpiredToken")
    #expect(throws: XRPCFault.self) {
      try alice.questions.call(Server.RefreshSession.self, NoContent(), token: refresh)
    }
    #expect(isGood(alice.access, of: alice), "the other session of the account goes on")
  }

  @Test func areLimitedInNumber() throws {
    let alice = try PDSQuestions()
    func attempt(_ password: String) throws -> LocalResponse {
      try alice.questions.rawCall(
        Server.CreateSession.self, .init(identifier: "alice.test", password: password))
    }
    func field(_ name: String, _ answer: LocalResponse) -> String? {
      answer.fields.first { $0.name == name }?.value
    }
    for left in (0..<29).reversed() {
      let answer = try attempt(left.isMultiple(of: 2) ? "pw-alice" : "wrong")
      #expect(answer.status == (left.isMultiple(of: 2) ? 200 : 401))
      #expect(field("RateLimit-Remaining", answer) == "\(left)")
      #expect(field("RateLimit-Policy", answer) == "30;w=300")
      #expect(field("RateLimit-Reset", answer) == "1750000300")
    }
    alice.pass(100)
    let refused = try attempt("pw-alice")
    #expect(refused.status == 429 && field("Retry-After", refused) == "200")
    #expect(alice.questions.fault(of: refused).name == "RateLimitExceeded")
    alice.pass(200)
    #expect(try attempt("pw-alice").status == 200)
  }

  @Test func ofInactiveAccountsDependOnTheirStatus() throws {
    let alice = try PDSQuestions()
    let oscar = try alice.questions.call(
      Server.CreateSession.self, .init(identifier: "oscar.test", password: "pw-oscar"))
    #expect(oscar.active == false && oscar.status == .deactivated)
    let trent = #expect(throws: XRPCFault.self) {
      try alice.questions.call(
        Server.CreateSession.self, .init(identifier: "trent.test", password: "pw-trent"))
    }
    #expect(trent?.name == "AccountTakedown")
  }

  @Test func mayRequireACodeBesidesThePassword() throws {
    let handle = try Handle(parsing: "judy.test")
    let alice = try PDSQuestions(writing: SandboxWriting(accountsWithCode: [handle]))
    func attempt(_ password: String, _ code: String?) -> String {
      do {
        return try alice.questions.call(
          Server.CreateSession.self,
          .init(identifier: "judy.test", password: password, authFactorToken: code)
        ).handle.description
      } catch { return (error as? XRPCFault)?.name ?? "\(error)" }
    }
    #expect(attempt("pw-judy", nil) == "AuthFactorTokenRequired")
    #expect(attempt("wrong", nil) == "AuthenticationRequired")
    #expect(attempt("pw-judy", "00000-00000") == "InvalidToken")
    #expect(attempt("pw-judy", SandboxWriting.signInCode) == "judy.test")
  }

  @Test func allEndIfTheOwnerWantsIt() throws {
    let alice = try PDSQuestions()
    let access = alice.access
    try alice.signIn()
    alice.questions.origin.live.endSessions(of: alice.did)
    #expect(fault(alice, access)?.name == "ExpiredToken")
    #expect(fault(alice, alice.access)?.name == "ExpiredToken")
    try alice.signIn()
    #expect(isGood(alice.access, of: alice))
  }

  @Test func continueFromAnEarlierRunWithARefresh() throws {
    let (earlier, alice) = (try PDSQuestions(), try PDSQuestions())
    let live = alice.questions.origin.live
    #expect(fault(alice, earlier.access)?.name == "InvalidToken")
    #expect(live.continueSession(of: alice.did, accessToken: earlier.access, refreshToken: earlier.refresh))
    #expect(fault(alice, earlier.access)?.name == "ExpiredToken")
    let renewed = try alice.questions.call(
      Server.RefreshSession.self, NoContent(), token: earlier.refresh)
    #expect(renewed.did == alice.did && isGood(renewed.accessJwt, of: alice))
    #expect(isGood(alice.access, of: alice))
    let stranger = try #require(DID("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"))
    #expect(!live.continueSession(of: stranger, accessToken: "a", refreshToken: "b"))
  }
}
