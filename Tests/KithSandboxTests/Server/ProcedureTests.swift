// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

/// What a procedure's request must look like.
@Suite struct ProcedureTests {
  private let questions = SandboxQuestions()
  private static let login = #"{"identifier":"alice.test","password":"pw-alice"}"#

  private func post(
    _ nsid: String = "com.atproto.server.createSession", _ body: String = login,
    type: String? = "application/json", method: String = "POST", authorization: String? = nil
  ) -> LocalResponse {
    questions.origin.answer(
      LocalRequest(
        method: method, path: "/xrpc/\(nsid)", authorization: authorization, contentType: type,
        body: Array(body.utf8)))
  }

  @Test func isDeclaredAsJSON() {
    #expect(post().status == 200)
    #expect(post(type: "Application/JSON; charset=utf-8").status == 200)
    for type in [nil, "text/plain", "application/jsonx"] { #expect(post(type: type).status == 400) }
  }

  @Test(arguments: ["", "{", "[]", "{}", #"{"identifier":1,"password":"x"}"#])
  func matchesTheLexicon(body: String) {
    let fault = questions.fault(of: post("com.atproto.server.createSession", body))
    #expect(fault.status == 400 && fault.name == "InvalidRequest" && fault.message.hasPrefix("Input: "))
  }

  @Test func isPosted() {
    let fault = questions.fault(of: post(method: "GET"))
    #expect(fault == .invalidRequest("Incorrect HTTP method (GET) expected POST"))
  }

  @Test func isNotTooLarge() {
    let answer = post("com.atproto.repo.applyWrites", String(repeating: " ", count: 1_000_001))
    #expect(answer.status == 413 && questions.fault(of: answer).name == "PayloadTooLarge")
  }

  @Test func hasNoBodyIfNoneIsExpected() {
    #expect(questions.fault(of: post("com.atproto.server.refreshSession", "{}")).status == 400)
    let answer = post("com.atproto.server.refreshSession", "", type: nil)
    #expect(questions.fault(of: answer) == .authMissing)
  }

  @Test func hasAnEmptyAnswerWithoutAType() throws {
    let alice = try PDSQuestions()
    let answer = try alice.questions.rawCall(
      App.Bsky.Graph.UnmuteActor.self, .init(actor: .did(alice.questions.did(.bob))), token: alice.access)
    #expect(answer.status == 200 && answer.body.isEmpty && answer.contentType == nil)
  }

  @Test(arguments: [
    (nil, nil), ("Bearer a.b.c", "a.b.c"), ("bearer a", "a"), ("Basic a", nil), ("Bearer", nil), ("", nil),
  ])
  func tellsWhoAsks(field: String?, token: String?) {
    let caller = XRPCCaller(LocalRequest(path: "/", authorization: field))
    #expect(caller.bearerToken == token)
  }
}
