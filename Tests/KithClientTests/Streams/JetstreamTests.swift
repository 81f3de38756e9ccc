// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import KithTestSupport
import TestSupport
import Testing

@testable import KithClient

@Suite("A subscription to a Jetstream", .timeLimit(.minutes(1)))
struct JetstreamTests {
  /// What a host does with one connection.
  private typealias Scene = @Sendable (TransportRequest, WebSocketLimits) async throws -> WebSocketAnswer

  private let clock = ManualClock()
  private let host = ServiceURL(knownHost: "jetstream.test")

  private func stream(
    _ scenes: [Scene], filter: JetstreamFilter = JetstreamFilter(collections: ["app.bsky.graph.follow"])
  ) -> (Jetstream, ScriptedTransport) {
    let rest = PosixMutex(scenes[...])
    let transport = ScriptedTransport(
      webSockets: { request, limits in
        guard let scene = rest.withLock({ $0.popFirst() }) else {
          throw TransportError(.closed, host: "jetstream.test", detail: "the script is over")
        }
        return try await scene(request, limits)
      }, { _ in throw TransportError(.unsupported, host: "jetstream.test") })
    let stream = Jetstream(
      filter, host: host, transport: transport, time: clock.timeSource(), random: { 1 })
    return (stream, transport)
  }

  private static func follow(
    _ sequence: Int64, collection: String = "app.bsky.graph.follow"
  ) -> WebSocketMessage {
    .text(
      """
      {"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#commit","seq":\(sequence),\
      "did":"\(Accounts.did(1))","time":"2026-08-13T10:00:00.000001Z","rev":"3l","operation":"delete",\
      "collection":"\(collection)","rkey":"3lbmr6nl3zk2c"}}
      """)
  }

  /// Sends messages, and then does something with the connection.
  private static func sends(
    _ messages: [WebSocketMessage],
    then end: @escaping @Sendable (any WebSocketConnection) async throws -> Void
  ) -> Scene {
    { _, limits in
      .scripted(limits: limits) { connection in
        for message in messages { try await connection.send(message) }
        try await end(connection)
      }
    }
  }

  private static let staysOpen: @Sendable (any WebSocketConnection) async throws -> Void = { connection in
    while try await connection.next() != nil {}
  }

  private static func refuses(_ status: Int, _ body: String = "", _ fields: HTTPFields = [:]) -> Scene {
    { _, _ in
      .refused(
        TransportResponse(
          head: HTTPResponse(status: .init(code: status), headerFields: fields), body: Array(body.utf8)))
    }
  }

  private func describe(_ elements: [JetstreamElement]) -> [String] {
    elements.map { element in
      switch element {
      case .event(let event): "event \(event.cursor.sequence ?? 0)"
      case .connected(let connection):
        "connected \(connection.wire)" + (connection.resumedAfter?.sequence.map { " after \($0)" } ?? "")
      case .disconnected(let error, let wait):
        "\((error as? WebSocketError)?.detail ?? "\(error)"), in \(wait)"
      case .gap(let gap): "gap \(gap.reason.rawValue)"
      }
    }
  }

  /// Reads some elements, and lets all waits pass.
  private func read(_ count: Int, _ elements: inout JetstreamElements.AsyncIterator) async throws -> [String]
  {
    var found: [JetstreamElement] = []
    while found.count < count {
      if case .disconnected(_, let wait)? = found.last { clock.advance(by: wait) }
      found += try await elements.next(atMost: 1)
    }
    return describe(found)
  }

  @Test func deliversEventsInOrderAndAsksForWhatItWants() async throws {
    let (stream, transport) = stream(
      [Self.sends([Self.follow(1), Self.follow(2)], then: Self.staysOpen)],
      filter: JetstreamFilter(collections: ["app.bsky.graph.*"], accounts: [Accounts.did(1)]))
    var elements = stream.elements(after: nil).makeAsyncIterator()
    #expect(try await read(3, &elements) == ["connected v2", "event 1", "event 2"])
    #expect(
      transport.paths == [
        "/xrpc/network.bsky.jetstream.subscribeEvents?collections=app.bsky.graph.%2A&dids=\(Accounts.did(1))"
      ])
    #expect(transport.requests.first?.head.headerFields[.secWebSocketProtocol] == "xrpc.v1.json")
    #expect(elements.statistics.events == 2)
  }

  @Test func aBrokenConnectionContinuesAfterTheLastEventThatWasTaken() async throws {
    let (stream, transport) = stream([
      Self.sends([Self.follow(1), Self.follow(2)], then: { $0.drop() }),
      Self.sends([Self.follow(2), Self.follow(3)], then: { await $0.close(.goingAway, "restart") }),
      Self.sends([Self.follow(3), Self.follow(4)], then: Self.staysOpen),
    ])
    var elements = stream.elements(after: nil).makeAsyncIterator()
    #expect(
      try await read(9, &elements) == [
        "connected v2", "event 1", "event 2",
        "the connection ended without a close frame, in 0.25 seconds",
        "connected v2 after 2", "event 3",
        "the connection was closed with code 1001 (restart), in 0.25 seconds",
        "connected v2 after 3", "event 4",
      ])
    #expect(elements.statistics.repeated == 2)
    #expect(transport.paths.map { $0.split(separator: "cursor=").last }.dropFirst() == ["2", "3"])
  }

  @Test func waitsLongerAfterEachConnectionThatBringsNothing() async throws {
    let (stream, _) = stream(
      (0..<9).map { _ in Self.refuses(503, #"{"error":"ServiceUnavailable","message":"manifest warming up"}"#)
      })
    var elements = stream.elements(after: nil).makeAsyncIterator()
    let waits = try await read(9, &elements).compactMap { $0.split(separator: ", in ").last.map(String.init) }
    #expect(
      waits == ["0.25", "0.5", "1.0", "2.0", "4.0", "8.0", "16.0", "30.0", "30.0"].map { "\($0) seconds" })
  }

  @Test(arguments: [
    ("7", "7.0 seconds"), ("9000", "300.0 seconds"), ("-1", "0.25 seconds"), ("soon", "0.25 seconds"),
  ])
  func waitsAsLongAsAHostAsksWithinBounds(asked: String, wait: String) async throws {
    let (stream, _) = stream([Self.refuses(429, "slow down", [.retryAfter: asked])])
    var elements = stream.elements(after: nil).makeAsyncIterator()
    #expect(
      try await read(1, &elements) == ["the connection is closed (it answered 429: slow down), in \(wait)"])
  }

  @Test func aHostWithoutTheSecondVersionIsReadByTheFirst() async throws {
    let first =
      #"{"did":"\#(Accounts.did(1))","time_us":1750000000000001,"kind":"identity","identity":{"did":"\#(Accounts.did(1))"}}"#
    let (stream, transport) = stream([
      Self.refuses(404, "not found"), Self.sends([.text(first)], then: { $0.drop() }),
      Self.sends([.text(first)], then: Self.staysOpen),
    ])
    var elements = stream.elements(after: nil).makeAsyncIterator()
    #expect(try await read(2, &elements) == ["connected v1", "event 0"])
    #expect(transport.paths.last == "/subscribe?wantedCollections=app.bsky.graph.follow")
    _ = try await read(2, &elements)
    #expect(
      transport.paths.last == "/subscribe?wantedCollections=app.bsky.graph.follow&cursor=1749999940000001")
  }

  @Test func aCursorThatIsTooOldLeavesAGapAndContinuesByTime() async throws {
    let (stream, transport) = stream([
      Self.refuses(400, #"{"error":"CursorTooOld","message":"floor 900"}"#),
      Self.sends([Self.follow(950)], then: Self.staysOpen),
    ])
    let old = StreamCursor(
      host: "jetstream.test", sequence: 5, at: Instant(microsecondsSinceEpoch: 1_780_000_000_000_000))
    var elements = stream.elements(after: old).makeAsyncIterator()
    #expect(
      try await read(3, &elements) == ["connected v2 after 5", "gap cursor-too-old", "event 950"])
    #expect(transport.paths.last?.hasSuffix("cursor=1779999940000000") == true)
  }

  @Test func aNoticeOfAnOutdatedCursorIsAGap() async throws {
    let info =
      #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#info","name":"OutdatedCursor"}}"#
    let (stream, _) = stream([Self.sends([.text(info), Self.follow(9)], then: Self.staysOpen)])
    let other = StreamCursor(
      host: "other.test", sequence: 5, at: Instant(microsecondsSinceEpoch: 1_780_000_000_000_000))
    var elements = stream.elements(after: other).makeAsyncIterator()
    #expect(try await read(3, &elements) == ["connected v2 after 5", "gap cursor-too-old", "event 9"])
  }

  @Test func aHostThatDropsASlowReaderIsAskedAgain() async throws {
    let slow = #"{"$type":"error","error":"ConsumerTooSlow","message":"cursor=2"}"#
    let (stream, _) = stream([
      Self.sends([Self.follow(1), .text(slow)], then: Self.staysOpen),
      Self.sends([Self.follow(1), Self.follow(2)], then: Self.staysOpen),
    ])
    var elements = stream.elements(after: nil).makeAsyncIterator()
    #expect(
      try await read(5, &elements) == [
        "connected v2", "event 1", "the connection is closed (ConsumerTooSlow: cursor=2), in 0.25 seconds",
        "connected v2 after 1", "event 2",
      ])
  }

  @Test func aReaderThatIsTooSlowTakesWhatWaitsAndContinuesThere() async throws {
    let hasEnded = Turnstile()
    let (stream, transport) = stream([
      { _, limits in
        .scripted(limits: limits) { connection in
          for number in 1...6_000 { try? await connection.send(Self.follow(Int64(number))) }
          try? await hasEnded.pass {}
        }
      },
      Self.sends((4_096...6_000).map { Self.follow($0) }, then: Self.staysOpen),
    ])
    var elements = stream.elements(after: nil).makeAsyncIterator()
    var events: [Int64] = []
    #expect(describe(try await elements.next(atMost: 1)) == ["connected v2"])
    await hasEnded.untilArrived(1)
    while events.count < 6_000 {
      for element in try await elements.next(atMost: 500) {
        switch element {
        case .event(let event): events.append(event.cursor.sequence ?? 0)
        case .disconnected(_, let wait): clock.advance(by: wait)
        default: break
        }
      }
    }
    #expect(events == Array(1...6_000))
    #expect(transport.requests.count == 2)
  }

  @Test func aSilentConnectionIsReplaced() async throws {
    let silent = SilentConnection()
    let (stream, _) = stream([
      { _, _ in .opened(silent, subprotocol: nil) }, Self.sends([Self.follow(1)], then: Self.staysOpen),
    ])
    let reading = Task {
      var elements = stream.elements(after: nil).makeAsyncIterator()
      return try await describe([elements.next(atMost: 1), elements.next(atMost: 1)].flatMap(\.self))
    }
    await clock.untilAsleep(1)
    clock.advance(by: Jetstream.silence)
    await silent.pings.untilArrived(1)
    await clock.untilAsleep(1)
    clock.advance(by: Jetstream.patience)
    #expect(
      try await reading.value == [
        "connected v2", "the connection ended without a close frame, in 0.25 seconds",
      ])
  }

  /// A connection that delivers nothing and answers no ping.
  private final class SilentConnection: WebSocketConnection {
    let pings = Turnstile()
    private let isDropped = Turnstile(isOpen: false)
    let bytesReceived = 0

    func next() async throws -> WebSocketMessage? {
      try await isDropped.pass {}
      throw WebSocketError(.abandoned)
    }

    func send(_ message: WebSocketMessage) async throws {}
    func ping() async throws { try await pings.pass {} }
    func close(_ code: WebSocketCloseCode, _ reason: String) async {}
    func drop() { isDropped.open() }
  }

  @Test(arguments: [
    (
      400, #"{"error":"InvalidRequest","message":"unknown kind"}"#,
      "it refused the stream: 400 InvalidRequest: unknown kind"
    ),
    (403, "", "it refused the stream: 403"),
  ])
  func whatIsRefusedForGoodEndsTheStream(status: Int, body: String, detail: String) async {
    let (stream, _) = stream([Self.refuses(status, body)])
    let error = await #expect(throws: StreamError.self) {
      for try await _ in stream.elements(after: nil) {}
    }
    #expect(error?.code == .refused)
    #expect(error?.detail == detail)
  }

  @Test func aServerWithoutStreamsIsNamed() async {
    let (stream, _) = stream([Self.refuses(404), Self.refuses(404)])
    let error = await #expect(throws: StreamError.self) {
      for try await _ in stream.elements(after: nil) {}
    }
    #expect(error?.code == .notAStream)
    #expect(error?.subject == "jetstream.test")
  }

  @Test func aHostThatIgnoresTheFilterIsLeft() async {
    let likes = (1...200).map { Self.follow($0, collection: "app.bsky.feed.like") }
    let (stream, _) = stream([Self.sends(likes, then: Self.staysOpen)])
    let error = await #expect(throws: StreamError.self) {
      for try await _ in stream.elements(after: nil) {}
    }
    #expect(error?.code == .filterIgnored)
  }

  @Test func aTransportWithoutWebSocketsIsNamed() async {
    let stream = Jetstream(
      JetstreamFilter(), host: host, transport: ScriptedTransport { _ in .json("{}") },
      time: clock.timeSource())
    let error = await #expect(throws: StreamError.self) {
      for try await _ in stream.elements(after: nil) {}
    }
    #expect(error?.code == .unsupported)
    #expect((error?.underlying as? TransportError)?.code == .unsupported)
  }

  @Test func stoppingClosesTheConnection() async throws {
    let (opened, closed) = (Turnstile(), Turnstile())
    let (stream, _) = stream([
      Self.sends([Self.follow(1)]) { connection in
        try await opened.pass {}
        _ = try? await connection.next()
        try await closed.pass {}
      }
    ])
    let reading = Task { for try await _ in stream.elements(after: nil) {} }
    await opened.untilArrived(1)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    await closed.untilArrived(1)
  }

  @Test func addressesOfStreamsMayBeginAsThoseOfWebSocketsDo() throws {
    #expect(try ServiceURL(parsingStream: "wss://one.test/").description == "https://one.test")
    #expect(try ServiceURL(parsingStream: "ws://localhost:6008").description == "http://localhost:6008")
    #expect(try ServiceURL(parsingStream: "https://one.test").description == "https://one.test")
  }
}
