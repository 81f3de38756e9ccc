// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import KithLocalMessages
import SandboxSupport
import TestSupport
import Testing

@testable import KithSandbox

@Suite(.timeLimit(.minutes(1))) struct StreamServerTests {
  private func words(_ answer: LocalResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

  // MARK: - Frames

  @Test func theFramesOfTheNewerWireAreThoseOfTheLexicon() async throws {
    let questions = StreamQuestions()
    let (sandbox, alice, stranger) = (questions.sandbox, questions.alice, questions.stranger)
    let reader = try await questions.connect()
    sandbox.follow(from: alice, to: stranger)
    let follow = try #require(sandbox.records(of: alice, in: App.Bsky.Graph.Follow.nsid).last)
    let frame = try #require(try await reader.text())
    #expect(
      frame.hasPrefix(
        #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#commit","seq":1,"did":"\#(alice)","#
          + #""time":"2025-10-09T08:53:20.000500Z","rev":""#))
    #expect(
      frame.hasSuffix(
        #"","operation":"create","collection":"app.bsky.graph.follow","rkey":"\#(follow.key)","record":{"$type":"app.bsky.graph.follow","#
          + #""createdAt":"2025-10-09T08:53:20.000Z","subject":"\#(stranger)"},"cid":"\#(follow.value.contentID)"}}"#
      ))
    sandbox.unfollow(from: alice, to: stranger)
    let delete = try #require(try await reader.text())
    #expect(
      delete.contains(#""seq":2,"did":"\#(alice)","time":"2025-10-09T08:53:20.000501Z","rev":""#)
        && delete.hasSuffix(
          #","operation":"delete","collection":"app.bsky.graph.follow","rkey":"\#(follow.key)"}}"#)
    )
    sandbox.set(.deactivated, of: alice)
    sandbox.set(.active, of: alice)
    sandbox.rename(alice, to: try Handle(parsing: "new.test"))
    sandbox.sync(alice, withRecords: false)
    func event(_ name: String, _ seq: Int, _ fields: (String) -> String) -> String {
      let source = #""did":"\#(alice)","seq":\#(30_000_000_000 + seq),"time":"2025-10-09T08:53:20.000Z""#
      return
        #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#\#(name)","seq":\#(seq),"#
        + #""did":"\#(alice)","time":"2025-10-09T08:53:20.00050\#(seq - 1)Z","\#(name)":{\#(fields(source))}}}"#
    }
    #expect(
      try await reader.text() == event("account", 3) { #""active":false,\#($0),"status":"deactivated""# })
    #expect(try await reader.text() == event("account", 4) { #""active":true,\#($0)"# })
    #expect(try await reader.text() == event("identity", 5) { #"\#($0),"handle":"new.test""# })
    let sync = try #require(try await reader.text())
    #expect(
      sync.contains("subscribeEvents#sync\",\"seq\":6,")
        && sync.contains(#","blocks":{"$bytes":"OqJlcm9vdHOB"#))
  }

  @Test(arguments: [false, true])
  func theFramesOfTheOlderWireTellNumbersUnlessItIsALegacyServer(isLegacy: Bool) async throws {
    var manners = SandboxStream()
    manners.isLegacy = isLegacy
    let questions = StreamQuestions(manners)
    let (sandbox, alice, stranger) = (questions.sandbox, questions.alice, questions.stranger)
    let reader = try await questions.connectOlder()
    sandbox.follow(from: alice, to: stranger)
    // It never carries these.
    sandbox.sync(alice, withRecords: true)
    sandbox.set(.deleted, of: alice)
    let numbers = [questions.sandbox.stream.next - 1, 1]
    let cursors = numbers.map { isLegacy ? "" : #","cursor":\#($0)"# }
    let frame = try #require(try await reader.text())
    #expect(
      frame.hasPrefix(
        #"{"did":"\#(alice)","time_us":1760000000000500\#(cursors[1]),"kind":"commit","commit":{"rev":""#)
        && frame.contains(#","operation":"create","collection":"app.bsky.graph.follow","rkey":""#))
    let deleted = try #require(try await reader.text())
    #expect(
      deleted.contains(#"\#(cursors[0]),"kind":"account","account":{"active":false,"did":"\#(alice)","seq":"#)
        && deleted.hasSuffix(#","status":"deleted"}}"#))
  }

  // MARK: - The beginning

  @Test func aCursorIsInclusiveAndLeadsOnToLiveEvents() async throws {
    let questions = StreamQuestions()
    questions.happen(3)
    let reader = try await questions.connect("cursor=2")
    let older = try await questions.connectOlder("cursor=2")
    questions.happen(1)
    #expect(try await reader.numbers(3) == [2, 3, 4])
    #expect(try await older.numbers(3) == [2, 3, 4])
  }

  @Test(arguments: ["cursor=9", "cursor=1760000000900000", ""])
  func aCursorThatIsNotThereYetLeadsToLiveEventsSilently(query: String) async throws {
    let questions = StreamQuestions()
    questions.happen(3)
    let reader = try await questions.connect(query)
    let older = try await questions.connectOlder(query)
    questions.happen(1)
    #expect(try await reader.numbers(1) == [4])
    #expect(try await older.numbers(1) == [4])
  }

  @Test func whatIsTooOldIsToldOnTheNewerWireOnly() async throws {
    var manners = SandboxStream()
    manners.window = 2
    let questions = StreamQuestions(manners)
    questions.happen(5)
    let refusal = try await questions.answer("cursor=3")
    #expect(
      refusal.status == 400
        && words(refusal)
          == #"{"error":"CursorTooOld","message":"cursor is below the retention floor; floor seq is 4"}"#
    )
    let clamped = try await questions.connect("cursor=1760000000000500")
    #expect(
      try await clamped.text()
        == #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#info","name":"OutdatedCursor","#
        + #""message":"cursor is below the retention floor; resuming at seq 4"}}"#)
    #expect(try await clamped.numbers(2) == [4, 5])
    #expect(try await questions.connectOlder("cursor=3").numbers(2) == [4, 5])
    #expect(try await questions.connectOlder("cursor=1760000000000500").numbers(2) == [4, 5])
  }

  @Test(arguments: ["cursor=-1", "cursor=x", "%zz", "collections=follow&wantedCollections=follow"])
  func wrongParametersAreRefusedBeforeTheUpgrade(query: String) async throws {
    let questions = StreamQuestions()
    let refusal = try await questions.answer(query)
    #expect(refusal.status == 400 && words(refusal).hasPrefix(#"{"error":"InvalidRequest","message":""#))
    let older = try await questions.answer(query, path: "/subscribe")
    #expect(older.status == 400 && older.contentType == "text/plain; charset=utf-8")
  }

  @Test func compressionIsNotOffered() async throws {
    let questions = StreamQuestions()
    #expect(words(try await questions.answer("zstdDictionary=1")).contains("UnknownZstdDictionary"))
    #expect(try await questions.answer("compress=true", path: "/subscribe").status == 400)
  }

  @Test(arguments: [
    ("xrpc.v1.json", "xrpc.v1.json"), ("chat, xrpc.v1.json", "xrpc.v1.json"), ("XRPC.v1.json", nil),
  ])
  func theSubprotocolIsChosenByItsExactName(offered: String, chosen: String?) async throws {
    let field = HeaderField(name: "Sec-WebSocket-Protocol", value: offered)
    let answer = try await StreamQuestions().answer(fields: [field])
    #expect(try StreamReader(answer, WebSocketLimits()).subprotocol == chosen)
  }

  @Test func aPageOfAnotherSiteIsNotAnswered() async throws {
    let questions = StreamQuestions()
    let fields = [
      HeaderField(name: "Upgrade", value: "websocket"),
      HeaderField(name: "Origin", value: "https://evil.example"),
    ]
    for path in [StreamQuestions.path, "/subscribe"] {
      #expect(try await questions.answer(path: path, fields: fields).status == 403)
    }
  }

  // MARK: - What clients say

  @Test func aMessageOnTheNewerWireEndsTheConnection() async throws {
    let reader = try await StreamQuestions().connect()
    try await reader.connection.send(.text("{}"))
    #expect(await reader.end()?.closeCode == .policyViolation)
  }

  @Test func optionsReplaceTheFilterOfTheOlderWire() async throws {
    let questions = StreamQuestions()
    let (sandbox, alice, bob) = (questions.sandbox, questions.alice, questions.bob)
    let reader = try await questions.connectOlder("requireHello=true&wantedDids=\(alice)")
    sandbox.set(.active, of: alice)
    for message in [
      WebSocketMessage.binary([1]), .text(#"{"type":"hello"}"#),
      .text(#"{"type":"options_update","payload":{"wantedDids":["\#(bob)"],"wantedCollections":null}}"#),
    ] {
      try await reader.connection.send(message)
    }
    // Nothing tells a client that its options are taken; events come only after that.
    let arrived = Task { try await reader.text() }
    while sandbox.stream.waiterCount == 0 { await Task.yield() }
    sandbox.set(.active, of: alice)
    sandbox.set(.deactivated, of: bob)
    let frame = try #require(try await arrived.value)
    #expect(frame.hasPrefix(#"{"did":"\#(bob)","#))
  }

  @Test(
    arguments: [
      ("x", .invalidText), (#"{"type":1}"#, .invalidText), (#"{"type":"options_update"}"#, .invalidText),
      (#"{"type":"options_update","payload":{"wantedDids":[1]}}"#, .invalidText),
      (#"{"type":"options_update","payload":{"wantedDids":["alice"]}}"#, .policyViolation),
      (#"{"type":"options_update","payload":{"wantedCollections":["follow"]}}"#, .policyViolation),
      (String(repeating: " ", count: 10_000_001), .messageTooLarge),
    ] as [(String, WebSocketCloseCode)])
  func wrongOptionsEndTheConnection(message: String, code: WebSocketCloseCode) async throws {
    let reader = try await StreamQuestions().connectOlder()
    try await reader.connection.send(.text(message))
    #expect(await reader.end()?.closeCode == code)
  }

  // MARK: - Faults

  @Test(
    arguments: [
      (.dropped, nil, .abandoned), (.goingAway, .goingAway, .closed),
      (.consumerTooSlow, .policyViolation, .closed),
    ] as [(SandboxStream.Ending.Manner, WebSocketCloseCode?, WebSocketError.Code)])
  func connectionsEndAfterSomeEvents(
    manner: SandboxStream.Ending.Manner, closeCode: WebSocketCloseCode?, code: WebSocketError.Code
  ) async throws {
    var manners = SandboxStream()
    manners.ending = SandboxStream.Ending(manner, after: 3)
    let questions = StreamQuestions(manners)
    questions.happen(9)
    let reader = try await questions.connect("cursor=2")
    #expect(try await reader.numbers(3) == [2, 3, 4])
    if manner == .consumerTooSlow {
      #expect(
        try await reader.text()
          == #"{"$type":"error","error":"ConsumerTooSlow","message":"the consumer is too slow; reconnect with cursor=5"}"#
      )
    }
    let end = await reader.end()
    #expect(end?.closeCode == closeCode && end?.code == code)
    // A client that goes on gets all.
    #expect(try await questions.connect("cursor=5").numbers(3) == [5, 6, 7])
  }

  @Test(
    arguments: [
      (.slow, "opened"), (.serviceUnavailable, "503"), (.lost, "broken"), (.truncate, "broken"),
      (.html, "200"),
    ]
      as [(SandboxFaults.Kind, String)])
  func faultsOfTheNetworkMeetTheHandshake(kind: SandboxFaults.Kind, outcome: String) async throws {
    let sandbox = Sandbox(
      network: .shared(accounts: 100), configuration: .init(faults: SandboxFaults(rate: 1, kinds: [kind])))
    let answer = try await sandbox.answers(at: "http://127.0.0.1:2583")(LocalRequest(path: "/subscribe"))
    switch WebSocketAnswer(answer, limits: WebSocketLimits()) {
    case .opened: #expect(outcome == "opened")
    case .refused(let refusal): #expect(outcome == "\(refusal.head.status.code)")
    case nil: #expect(outcome == "broken")
    }
  }

  @Test func eventsAreRepeatedAfterAReconnection() async throws {
    var manners = SandboxStream()
    manners.repeats = 2
    let questions = StreamQuestions(manners)
    questions.happen(5)
    #expect(try await questions.connect("cursor=5").numbers(3) == [3, 4, 5])
  }

  @Test func connectionsAreRefusedAtFirst() async throws {
    var manners = SandboxStream()
    manners.refusals = 2
    let questions = StreamQuestions(manners)
    let refusal = try await questions.answer()
    #expect(refusal.status == 503 && words(refusal).hasPrefix(#"{"error":"ServiceUnavailable","#))
    #expect(try await questions.answer(path: "/subscribe").status == 503)
    _ = try await questions.connect()
  }

  @Test func aLegacyServerOnlyKnowsTimes() async throws {
    var manners = SandboxStream()
    manners.isLegacy = true
    let questions = StreamQuestions(manners)
    #expect(try await questions.answer().status == 404)
    questions.happen(3)
    let reader = try await questions.connectOlder("cursor=1760000000000501")
    #expect(try await reader.text()?.contains(#""time_us":1760000000000501,"#) == true)
    // A number of an event is a time long ago.
    let other = try await questions.connectOlder("cursor=3")
    #expect(try await other.text()?.contains(#""time_us":1760000000000500,"#) == true)
  }

  @Test func aRestartedServerCountsFromOneAgain() async throws {
    let questions = StreamQuestions()
    questions.happen(5)
    let reader = try await questions.connect("cursor=5")
    #expect(try await reader.numbers(1) == [5])
    questions.sandbox.stream.restart()
    #expect(await reader.end()?.code == .abandoned)
    // What happens before the client returns is lost to it, without a word.
    questions.happen(2)
    let again = try await questions.connect("cursor=5")
    questions.happen(1)
    #expect(try await again.numbers(1) == [3])
  }

  @Test func aSilentServerSendsNothing() async throws {
    var manners = SandboxStream()
    manners.isSilent = true
    let questions = StreamQuestions(manners)
    let reader = try await questions.connect("cursor=1")
    questions.happen(1)
    try await reader.connection.ping()
    #expect(reader.connection.bytesReceived == 0)
    await reader.connection.close()
  }

  @Test func aReaderThatIsOvertakenIsTold() async throws {
    var manners = SandboxStream()
    manners.window = 10
    let questions = StreamQuestions(manners)
    questions.happen(1)
    let reader = try await questions.connect("cursor=1")
    #expect(try await reader.numbers(1) == [1])
    questions.sandbox.stream.hold()
    questions.happen(500)
    questions.sandbox.stream.release()
    #expect(try await reader.text()?.contains(#""error":"ConsumerTooSlow""#) == true)
    #expect(await reader.end()?.closeCode == .policyViolation)
  }

  // MARK: - What happens

  @Test func recordsOfARepositoryFollowASync() async throws {
    let questions = StreamQuestions()
    let (sandbox, alice) = (questions.sandbox, questions.alice)
    let reader = try await questions.connect("collections=app.bsky.graph.follow&kinds=commit&kinds=sync")
    _ = sandbox.setRecords(
      [try RecordKey(parsing: "unseen"): ["subject": .string(questions.stranger.description)]],
      in: App.Bsky.Graph.Follow.nsid, of: alice, isStreamed: false)
    sandbox.sync(alice, withRecords: true)
    #expect(try await reader.text()?.contains("subscribeEvents#sync") == true)
    let follows = sandbox.records(of: alice, in: App.Bsky.Graph.Follow.nsid)
    for follow in follows {
      let frame = try #require(try await reader.text())
      #expect(frame.contains(#""operation":"create""#) && frame.contains(#""rkey":"\#(follow.key)""#))
    }
    #expect(follows.contains { $0.key.description == "unseen" })
  }

  @Test func theStoryIsStreamed() async throws {
    let questions = StreamQuestions(accounts: 1_000, days: 30)
    var told: [String] = []
    while let events = questions.sandbox.passDay() {
      told += events.map { event in
        switch event.kind {
        case .followed: "\(event.account) create"
        case .unfollowed: "\(event.account) delete"
        case .blocked: "\(event.account) create"
        case .renamed: "\(event.account) identity"
        case .reactivated: "\(event.account) active"
        default: "\(event.account) inactive"
        }
      }
    }
    var streamed: [String] = []
    let reader = try await questions.connect("cursor=1")
    for _ in 1..<questions.sandbox.stream.next {
      let frame = try JSONCoding.decode(DataValue.self, from: Array((try await reader.text() ?? "{}").utf8))
      let payload = try #require(frame["payload"])
      let active = payload["account"]?["active"]?.bool
      let what =
        payload["operation"]?.string ?? active.map { $0 ? "active" : "inactive" } ?? "identity"
      streamed.append("\(payload["did"]?.string ?? "") \(what)")
    }
    #expect(streamed == told && Set(told.map { $0.split(separator: " ")[1] }).count > 3)
  }
}
