// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages
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

  /// A page whose own name leads to this machine is a page of this machine for the browser: it must read nothing either.
  @Test(
    arguments: [
      ("GET", "evil.example", nil, false), ("GET", "127.0.0.1:2583", nil, true),
      ("GET", "alice.test", nil, true),
      ("GET", "localhost:2583", "https://evil.example", true), ("GET", nil, nil, true),
      ("POST", "localhost:2583", "https://evil.example", false), ("POST", "evil.example", nil, false),
      ("POST", "127.0.0.1:2583", "http://localhost:3000", true),
    ] as [(String, String?, String?, Bool)])
  func onlyThisMachineIsAnswered(method: String, host: String?, origin: String?, isAnswered: Bool) {
    let fields = [("Host", host), ("Origin", origin)].compactMap { name, value in
      value.map { HeaderField(name: name, value: $0) }
    }
    let answer = questions.origin.answer(
      LocalRequest(method: method, path: "/xrpc/com.atproto.server.describeServer", fields: fields))
    #expect((answer.status != 403) == isAnswered)
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
