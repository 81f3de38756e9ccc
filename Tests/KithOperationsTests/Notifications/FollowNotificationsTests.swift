// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithHistory
import KithPosts
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport

/// New notifications of a served network, which come by the stream or once a minute.
@Suite(.timeLimit(.minutes(1))) struct FollowNotificationsTests {
  /// What a run has said so far, and what it may learn.
  private struct Scene {
    var rows: [NotificationRow] = []
    var notes: [Note] = []
    /// Questions that were answered.
    var polls = 0
    /// The collections of the streams that were opened.
    var streams: [[String]] = []
    /// Whether the AppView does not show new notifications yet.
    var lags = false
    /// What takes the place of the answers of the network.
    var answer: (@Sendable (RequestQuery) -> TransportResponse)?
    /// Changes the notifications of an answer.
    var edit: (@Sendable (inout [RewritingNetwork.Fields]) -> Void)?
  }

  /// A network whose lists of notifications a test changes.
  private struct EditedNetwork: HTTPTransport {
    let network: FaultyNetwork
    let scene: Watched<Scene>
    var hasStream = true

    var capabilities: TransportCapabilities {
      hasStream ? network.capabilities : network.capabilities.subtracting(.webSocket)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let query = RequestQuery(request)
      guard query.method == "app.bsky.notification.listNotifications" else {
        return try await network.send(request)
      }
      defer { scene.withLock { $0.polls += 1 } }
      if let answer = scene.withLock(\.answer) { return answer(query) }
      let edit = scene.withLock(\.edit)
      return try await RewritingNetwork(network: network) { _, answer in
        guard let edit, var all = answer["notifications"] as? [RewritingNetwork.Fields] else { return }
        edit(&all)
        answer["notifications"] = all
      }.send(request)
    }

    func openWebSocket(
      _ request: TransportRequest, limits: WebSocketLimits
    ) async throws -> WebSocketAnswer {
      scene.withLock { $0.streams.append(RequestQuery(request)["collections"]) }
      return try await network.openWebSocket(request, limits: limits)
    }
  }

  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let scene = Watched(Scene())
  private let alice, bob, carol: DID

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(on: network)
    (alice, bob, carol) = (try user.did("alice"), try user.did("bob"), try user.did("carol"))
    for account in [bob, carol] { network.live.unlink(.follow, from: account, to: alice) }
    clock.advance(by: .seconds(100))
  }

  private var start: Datetime { Datetime(at: network.time.instant) }

  private func run(
    _ operation: FollowNotifications, hasStream: Bool = true
  ) -> Task<ReadNotifications.Outcome, any Error> {
    Task { [user, scene, network] in
      try await operation.run(
        in: user.workspace(over: EditedNetwork(network: network, scene: scene, hasStream: hasStream)),
        Reporter(
          rows: { new in scene.withLock { $0.rows += new } },
          note: { note in scene.withLock { $0.notes.append(note) } }))
    }
  }

  /// Waits until it is connected, and waits for the next minute.
  private func isFollowing() async throws {
    try await eventually { network.stream.waiterCount == 1 }
    await clock.untilAsleep(2)
  }

  private func follow(by account: DID, streamed: Bool = true) throws {
    clock.advance(by: .milliseconds(10))
    let value: DataValue = [
      "$type": "app.bsky.graph.follow", "subject": .string(alice.description),
      "createdAt": .string(start.description),
    ]
    let key = RecordKey(tid: TID(at: network.time.instant, clockID: 7))
    #expect(
      network.live.setRecords([key: value], in: .follow, of: account, isStreamed: streamed))
  }

  /// Lets time pass until a number of questions was answered.
  private func pass(_ wait: Duration, sleepers: Int = 3, polls: Int = 1) async {
    let before = scene.withLock(\.polls)
    await clock.untilAsleep(sleepers)
    clock.advance(by: wait)
    await scene.until { $0.polls >= before + polls }
  }

  private var names: [String?] {
    scene.withLock { $0.rows.map { $0.notification.author.handle?.description } }
  }
  private var codes: [String] { scene.withLock { $0.notes.map(\.code) } }

  /// The collections of `FollowLive` for the same account.
  private var collections: [String] {
    StreamInterpreter(
      of: [.followers, .follows, .blocks].map { HistoryListing($0, of: alice) }
    ).collections
  }

  // MARK: Rows

  @Test func listsWhatIsThereAndThenWhatIsNewTheOldestFirst() async throws {
    let there = try await user.run(ReadNotifications()).rows.map(\.notification)
    let following = run(FollowNotifications())
    try await isFollowing()
    #expect(scene.withLock { $0.rows.map(\.notification) } == there.reversed() && there.count == 50)
    try follow(by: bob)
    try follow(by: carol)
    await pass(.seconds(2))
    await scene.until { $0.rows.count == 52 }
    #expect(names.suffix(2) == ["bob.test", "carol.test"], "events that come together are one question")
    // Asked again, it is not told again.
    await pass(.seconds(60), sleepers: 2)
    following.cancel()
    let outcome = try await following.value
    #expect(outcome.ending == .interrupted(.cancelled) && outcome.count == 52 && outcome.rows.count == 52)
    #expect(scene.withLock { $0.rows.count } == 52 && codes == [])
    #expect(scene.withLock(\.streams) == [collections])
  }

  @Test func asksOnceAMinuteForWhatTheStreamDoesNotTell() async throws {
    let following = run(FollowNotifications(since: start))
    try await isFollowing()
    try follow(by: bob, streamed: false)
    let polls = scene.withLock(\.polls)
    clock.advance(by: .seconds(58))
    await clock.untilAsleep(2)
    #expect(names == [] && scene.withLock(\.polls) == polls)
    clock.advance(by: .seconds(2))
    await scene.until { $0.rows.count == 1 }
    #expect(names == ["bob.test"])
    following.cancel()
    _ = try await following.value
  }

  @Test func asksAgainWhileTheAppViewDoesNotKnowOfTheEvent() async throws {
    let following = run(FollowNotifications(since: start))
    try await isFollowing()
    let bob = bob.description
    scene.withLock { $0.edit = { all in all.removeAll { ($0["uri"] as? String)?.contains(bob) == true } } }
    try follow(by: self.bob)
    await pass(.seconds(2))
    await pass(.seconds(5))
    #expect(names == [])
    scene.withLock { $0.edit = nil }
    await pass(.seconds(15))
    await scene.until { $0.rows.count == 1 }
    // What the AppView never shows is not asked for without end.
    scene.withLock { $0.edit = { $0.removeAll() } }
    try follow(by: carol)
    for wait in [2, 5, 15] { await pass(.seconds(wait)) }
    let polls = scene.withLock(\.polls)
    await clock.untilAsleep(2)
    clock.advance(by: .seconds(10))
    await clock.untilAsleep(2)
    #expect(scene.withLock(\.polls) == polls && names == ["bob.test"])
    following.cancel()
    _ = try await following.value
  }

  @Test func endsAfterTheLimit() async throws {
    let none = try await run(FollowNotifications(limit: 7)).value
    #expect(none.ending == .done && none.count == 7 && scene.withLock { $0.rows.count } == 7)
    scene.withLock { $0.rows = [] }
    let following = run(FollowNotifications(since: start, limit: 1))
    try await isFollowing()
    try follow(by: bob)
    try follow(by: carol)
    await pass(.seconds(2))
    let outcome = try await following.value
    #expect(outcome.ending == .done && outcome.count == 1 && names == ["bob.test"])
  }

  @Test func filtersChooseAmongNewOnes() async throws {
    let following = run(FollowNotifications(ofKinds: [.init(rawValue: "like")], since: start))
    await clock.untilAsleep(1)
    let unread = run(FollowNotifications(unread: true, since: start))
    try await isFollowing()
    // Another app has marked it as seen.
    scene.withLock { $0.edit = { all in for place in all.indices { all[place]["isRead"] = true } } }
    try follow(by: bob)
    await pass(.seconds(60), sleepers: 4, polls: 2)
    scene.withLock { $0.edit = nil }
    try follow(by: carol, streamed: false)
    await pass(.seconds(60), sleepers: 3, polls: 2)
    await scene.until { $0.rows.count == 1 }
    #expect(names == ["carol.test"], "one that is read is not listed, and one of another kind neither")
    #expect(scene.withLock(\.streams) == [collections], "the stream tells of no likes")
    for task in [following, unread] {
      task.cancel()
      _ = try await task.value
    }
  }

  /// A server that marks, dates and orders them in another way tells of nothing new.
  @Test func aRecordIsToldOnceWhateverTheServerSaysOfIt() async throws {
    let following = run(FollowNotifications())
    try await isFollowing()
    let before = scene.withLock(\.rows).count
    scene.withLock {
      $0.edit = { all in
        for place in all.indices {
          all[place]["isRead"] = place % 2 == 0
          all[place]["indexedAt"] = "9999-12-31T00:00:00.000Z"
        }
        if all.count > 1 { all.swapAt(0, 1) }
      }
    }
    await pass(.seconds(60), sleepers: 2)
    try follow(by: bob)
    await pass(.seconds(2))
    await scene.until { $0.rows.count == before + 1 }
    network.setClock(wrongBy: .days(-400))
    await pass(.seconds(60), sleepers: 2)
    await clock.untilAsleep(2)
    #expect(scene.withLock(\.rows).count == before + 1)
    following.cancel()
    _ = try await following.value
  }

  /// - Parameter count: how many there are, a second apart.
  private func list(_ count: Int) {
    let (bob, start) = (bob, network.time.instant)
    scene.withLock {
      $0.answer = { request in
        let from = request["cursor"].first.flatMap { Int($0) } ?? 0
        let page = (from..<min(from + 50, count)).map { place in
          """
          {"uri":"at://\(bob)/app.bsky.feed.like/\(count - place)","reason":"like","record":{},
          "author":{"did":"\(bob)","handle":"bob.test"},"isRead":false,
          "indexedAt":"\(Datetime(at: start - .seconds(place)))"}
          """
        }
        let cursor = from + 50 < count ? #""cursor":"\#(from + 50)","# : ""
        return TransportResponse("{\(cursor)\"notifications\":[\(page.joined(separator: ","))]}")
      }
    }
  }

  @Test func readsOnToWhatIsKnownWithinBounds() async throws {
    var operation = FollowNotifications()
    operation.mostPages = 2
    list(60)
    let following = run(operation, hasStream: false)
    await clock.untilAsleep(1)
    #expect(scene.withLock(\.rows).count == 50)
    list(130)
    await pass(.seconds(60), sleepers: 1, polls: 2)
    await scene.until { $0.rows.count == 120 }
    #expect(codes == ["streamUnavailable"])
    list(300)
    await pass(.seconds(60), sleepers: 1, polls: 2)
    await scene.until { $0.rows.count == 220 }
    await clock.untilAsleep(1)
    let last = scene.withLock(\.notes).last
    #expect(last?.code == "notificationsMissed" && last?.fields.first?.value == .integer(100))
    // What was passed over does not come later.
    await pass(.seconds(60), sleepers: 1)
    await clock.untilAsleep(1)
    let rows = scene.withLock(\.rows).map { $0.notification.uri.recordKey?.description }
    #expect(rows == (Array(11...130) + Array(201...300)).map { "\($0)" })
    following.cancel()
    _ = try await following.value
  }

  // MARK: Faults

  @Test func anOutageIsNotedOnceAndNothingIsLost() async throws {
    let following = run(FollowNotifications(since: start))
    try await isFollowing()
    network.begin(.pdsDown)
    try follow(by: bob)
    try await eventually {
      clock.advance(by: .seconds(10))
      return codes.contains("notificationsNotRead") && clock.now.offset > .seconds(1_000)
    }
    network.begin(.none)
    try await eventually {
      clock.advance(by: .seconds(10))
      return scene.withLock { $0.rows.count } == 1
    }
    #expect(names == ["bob.test"] && codes == ["notificationsNotRead"])
    following.cancel()
    _ = try await following.value
  }

  @Test func withoutAStreamItAsksOnceAMinute() async throws {
    let following = run(FollowNotifications(since: start), hasStream: false)
    await clock.untilAsleep(1)
    for (account, count) in [(bob, 1), (carol, 2)] {
      try follow(by: account)
      await pass(.seconds(60), sleepers: 1)
      await scene.until { $0.rows.count == count }
    }
    #expect(codes == ["streamUnavailable"])
    following.cancel()
    _ = try await following.value
  }

  @Test func endsIfTheAccountMayNotAskAnyMore() async throws {
    let following = run(FollowNotifications(since: start))
    try await isFollowing()
    scene.withLock { $0.answer = { _ in .xrpcError(403, "Forbidden", "Not any more") } }
    clock.advance(by: .seconds(60))
    let outcome = try await following.value
    #expect(outcome.rows.interruption.map { FailureKind(any: $0) } == .notAllowed && codes == [])
  }

  @Test func itLeavesTheReaderOfTheHistoryAlone() async throws {
    let heard = Watched(0)
    let live = Task { [user, alice] in
      try await FollowLive(of: .these([alice])).run(
        in: user.workspace(), Reporter(rows: { new in heard.withLock { $0 += new.count } }))
    }
    try await eventually { network.stream.waiterCount == 1 }
    let following = run(FollowNotifications(since: start))
    try await eventually { network.stream.waiterCount == 2 }
    try follow(by: bob)
    await heard.until { $0 == 1 }
    following.cancel()
    _ = try await following.value
    live.cancel()
    #expect(try await live.value.ending == .interrupted(.cancelled))
  }
}
