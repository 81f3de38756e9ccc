// SPDX-License-Identifier: Apache-2.0

import KithLocalHTTP
import Testing

@testable import KithSandbox

@Suite struct SandboxOriginTests {
  private let questions = SandboxQuestions(
    SandboxNetwork(configuration: SandboxNetwork.Configuration(accounts: 14)))

  @Test(arguments: [
    ("/xrpc/app.bsky.feed.getFeed", 501, "MethodNotImplemented"),
    ("/xrpc/com.example.nothing", 501, "MethodNotImplemented"),
    ("/xrpc/", 400, "InvalidRequest"), ("/xrpc/a", 400, "InvalidRequest"),
    ("/xrpc/app.bsky.graph.getFollows/", 400, "InvalidRequest"), ("/xrpc/%zz", 400, "InvalidRequest"),
    ("/", 404, "NotFound"), ("", 404, "NotFound"), ("//", 404, "NotFound"), ("/%", 404, "NotFound"),
    ("/profile/alice.test", 404, "NotFound"),
  ])
  func answersUnknownPaths(path: String, status: Int, name: String) {
    let answer = questions.raw(path)
    #expect(answer.status == status)
    #expect(questions.fault(of: answer).name == name)
  }

  @Test func requiresGETForQueries() {
    let answer = questions.raw("/xrpc/app.bsky.actor.getProfile", query: "actor=bob.test", method: "POST")
    #expect(answer.status == 400)
    #expect(
      questions.fault(of: answer) == .invalidRequest("Incorrect HTTP method (POST) expected GET"))
  }

  @Test func countsUnderAFixedSetOfNames() {
    func label(_ path: String) -> String { questions.origin.label(of: LocalRequest(path: path)) }
    #expect(label("/xrpc/app.bsky.graph.getRelationships") == "app.bsky.graph.getRelationships")
    #expect(label("/xrpc/app.bsky.graph.made.up") == "other")
    #expect(label("/did:plc:x") == "/{did}")
    #expect(label("/.well-known/atproto-did") == "/.well-known/atproto-did")
    #expect(label("/xrpc/_health") == "_health")
    #expect(label("/anything") == "other")
  }
}
