// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithLocalMessages
import KithRelationships
import KithTestSupport
import KithWriting
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport

/// The daemon of a user, and those that ask it, without a socket.
@Suite(.timeLimit(.minutes(1))) struct RunDaemonTests {
  /// What the daemon has said so far, and how to ask it.
  private struct Heard {
    var rows: [SnapshotRow] = []
    var notes: [Note] = []
    var beats: [DaemonHeartbeat] = []
    var answer: (@Sendable (LocalRequest) async -> LocalResponse)?

    var connections: Int { notes.count { $0.code == "streamConnected" } }
  }

  /// Leads to the daemon, if it runs.
  private struct DaemonTransport: HTTPTransport {
    let capabilities: TransportCapabilities = []
    let heard: Watched<Heard>
    let edit: @Sendable (LocalRequest, LocalResponse) -> LocalResponse

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard let answer = heard.withLock(\.answer) else {
        throw TransportError(.cannotConnect, host: "localhost")
      }
      return try await InProcessServer(at: "http://localhost") { [edit] in edit($0, await answer($0)) }
        .send(request)
    }
  }

  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let heard = Watched(Heard())
  private let alice, bob, carol, judy: DID

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(on: network)
    (alice, bob, carol, judy) = (
      try user.did("alice"), try user.did("bob"), try user.did("carol"), try user.did("judy")
    )
    for account in [bob, carol] { network.live.unlink(.follow, from: account, to: alice) }
    network.live.link(.follow, from: bob, to: alice)
    clock.advance(by: .seconds(100))
  }

  private func start() -> Task<RunDaemon.Outcome, any Error> {
    let daemon = RunDaemon(version: "1.2.3") { [heard] answer in
      heard.withLock { $0.answer = answer }
      for await _ in AsyncStream<Never>.makeStream().stream {}
      heard.withLock { $0.answer = nil }
    } heartbeat: { [heard] beat in
      heard.withLock { $0.beats.append(beat) }
    }
    return Task { [user, heard] in
      try await daemon.run(
        in: user.workspace(),
        Reporter(
          rows: { rows in heard.withLock { $0.rows += rows } },
          note: { note in heard.withLock { $0.notes.append(note) } }))
    }
  }

  /// Starts the daemon for alice, and waits until it is up to date.
  private func startFollowing() async throws -> Task<RunDaemon.Outcome, any Error> {
    _ = try await user.run(WatchAccounts([alice]))
    let daemon = start()
    await heard.until { $0.connections == 1 }
    // As long as the stream may still replay what came before, it is not believed to be current.
    #expect(try await check(carol).info.source == .appview)
    try await untilCurrent()
    return daemon
  }

  /// Lets the replay end, and waits until the daemon is up to date about alice.
  private func untilCurrent() async throws {
    clock.advance(by: .seconds(6))
    try await eventually {
      let daemon = try #require(asker().daemon)
      guard case .success(let status) = try await daemon.status(about: alice), status.isWatched,
        status.behindSince == nil
      else { return false }
      // It may be about to read a listing for the first time.
      for side: HistoryListing.Side in [.followers, .follows] {
        if try await daemon.edges(on: HistoryListing(side, of: alice)) == nil { return false }
      }
      return true
    }
  }

  private func end(_ daemon: Task<RunDaemon.Outcome, any Error>) async throws -> RunDaemon.Outcome {
    daemon.cancel()
    return try await daemon.value
  }

  /// A workspace of another process, which asks the daemon.
  private func asker(
    _ edit: @escaping @Sendable (LocalRequest, LocalResponse) -> LocalResponse = { $1 }
  ) -> Workspace {
    user.workspace(daemon: DaemonTransport(heard: heard, edit: edit))
  }

  private func check(
    _ target: DID, of actor: DID? = nil, in workspace: Workspace? = nil
  ) async throws -> (info: RelationshipInfo, calls: [String: Int]) {
    let workspace = workspace ?? asker()
    var check = CheckRelationships(
      of: .did(actor ?? alice), targets: TargetStream(origins: [.argument("\(target)")]))
    check.wantsRows = true
    let run = try await user.run(check, in: workspace)
    return (try #require(run.rows.first?.answer.info), run.calls)
  }

  private func act(_ body: (LiveNetwork) -> Void) {
    clock.advance(by: .seconds(1))
    body(network.live)
  }

  /// Lets time pass, a step whenever all has been looked at, until something holds.
  private func eventuallyLater(
    by step: Duration = RunDaemon.interval, _ holds: () async throws -> Bool
  ) async throws {
    while try await !holds() {
      await clock.untilAsleep(3)
      clock.advance(by: step)
    }
  }

  private let method = "app.bsky.graph.getRelationships"

  // MARK: Answers

  @Test func aCheckOfAWatchedAccountAsksTheDaemon() async throws {
    let daemon = try await startFollowing()
    let first = try await check(carol)
    #expect(first.info.source == .appview && first.calls[method] == nil, "the daemon has asked")
    #expect(!first.info.isFollowedBy)
    let second = try await check(carol)
    #expect(second.info.source == .daemon && second.calls[method] == nil)
    act { $0.link(.follow, from: carol, to: alice) }
    try await eventually { try await check(carol).info.isFollowedBy }
    let third = try await check(carol)
    #expect(third.info.source == .daemon && third.info.checkedAt == second.info.checkedAt)
    let other = try await check(alice, of: carol)
    #expect(other.info.source == .appview && other.calls[method] == 1, "carol is not watched")
    _ = try await end(daemon)
    #expect(try await check(carol).info.source == .appview, "there is no daemon any more")
  }

  @Test func whatIsForgottenIsAskedOfTheNetworkAgain() async throws {
    let daemon = try await startFollowing()
    _ = try await check(carol)
    let workspace = asker()
    #expect(try await check(carol, in: workspace).info.source == .daemon)
    clock.advance(by: .seconds(1))
    let signedIn = try await workspace.account()
    await workspace.relationships(mutesOf: signedIn).clearCache()
    #expect(try await check(carol, in: workspace).info.source == .appview)
    _ = try await end(daemon)
  }

  @Test(arguments: ["interface", "appview", "silence", "nonsense"])
  func aDaemonThatDoesNotFitIsNotAsked(fault: String) async throws {
    let daemon = try await startFollowing()
    _ = try await check(carol)
    let workspace = asker { [fault] request, response in
      guard request.path == "/kith",
        var status = try? JSONCoding.decode(DaemonStatus.self, from: response.body)
      else { return response }
      switch fault {
      case "interface": status.interface += 1
      case "appview": status.appview = "https://elsewhere.test"
      case "silence": return LocalResponse(status: 503, contentType: nil, body: [])
      default: return LocalResponse(body: Array("[]".utf8))
      }
      return LocalResponse(body: (try? JSONCoding.encode(status)) ?? [])
    }
    let answer = try await check(carol, in: workspace)
    #expect(answer.info.source == .appview && answer.calls[method] == 1)
    let state = try await #require(workspace.daemon).status()
    switch (fault, state) {
    case ("interface", .failure(.otherVersion("1.2.3"))), ("appview", .failure(.otherAppView)),
      ("silence", .failure(.none)), ("nonsense", .failure(.none)):
      break
    default: Issue.record("\(state)")
    }
    _ = try await end(daemon)
  }

  @Test func aDaemonThatIsBehindIsNotAsked() async throws {
    let daemon = try await startFollowing()
    _ = try await check(carol)
    network.stream.change { $0.refusals = .max }
    network.stream.dropReaders()
    await heard.until { $0.notes.contains { $0.code == "streamBroken" } }
    let workspace = asker()
    #expect(try await check(carol, in: workspace).info.source == .appview)
    guard case .success(let status) = try await #require(workspace.daemon).status(about: alice) else {
      Issue.record("no status")
      return
    }
    #expect(status.behindSince != nil && status.isWatched && status.watched == 1 && status.version == "1.2.3")
    _ = try await end(daemon)
  }

  @Test func listingsComeFromTheDaemonAndAreCurrent() async throws {
    let daemon = try await startFollowing()
    let query = ListingQuery(.followers(of: .did(alice)))
    let before = try await user.run(ListAccounts(query), in: asker())
    #expect(before.outcome.source == .daemon && before.calls["app.bsky.graph.getFollowers"] == nil)
    #expect(before.rows.map(\.view.account).contains(bob) && before.rows.allSatisfy { $0.view.record != nil })
    act { $0.link(.follow, from: carol, to: alice) }
    act { $0.unlink(.follow, from: bob, to: alice) }
    try await eventually { () async throws -> Bool in
      let rows = try await user.run(ListAccounts(query), in: asker()).rows
      return rows.first?.view.account == carol && !rows.contains { $0.view.account == bob }
    }
    let after = try await user.run(ListAccounts(query), in: asker())
    #expect(
      after.rows.first?.view.handle?.description == "carol.test", "the latest stands first, with its name")
    let plain = try await user.run(ListAccounts(query))
    #expect(plain.outcome.source == .appview)
    #expect(Set(plain.rows.map(\.view.account)) == Set(after.rows.map(\.view.account)))
    let limited = try await user.run(ListAccounts(query, limit: 1), in: asker())
    #expect(limited.outcome.source == .appview && limited.rows.count == 1 && limited.outcome.cursor != nil)
    let notFollowedBack = ListingQuery.notFollowedBack(by: .did(alice))
    let filtered = try await user.run(ListAccounts(notFollowedBack), in: asker())
    #expect(filtered.outcome.source == .daemon)
    #expect(
      Set(filtered.rows.map(\.view.account))
        == Set(try await user.run(ListAccounts(notFollowedBack)).rows.map(\.view.account)))
    let own = try await user.run(ListAccounts(.follows(of: .did(alice), in: .bluesky)), in: asker())
    #expect(own.outcome.source == .appview, "the own repository has them, with their dates")
    let (since, until) = (network.time.instant - .seconds(60), network.time.instant)
    try await user.workspace().history().recordGap(
      of: [HistoryListing(.followers, of: alice)], since: since, until: until)
    let withGap = try await user.run(ListAccounts(query), in: asker())
    #expect(withGap.outcome.source == .appview, "something may be missing")
    _ = try await end(daemon)
  }

  @Test func countsComeFromTheDaemonWithWhatCameSince() async throws {
    let daemon = try await startFollowing()
    let first = try await user.run(CountListings(of: [alice]), in: asker())
    #expect(first.rows.map(\.source) == [.daemon, .daemon] && first.calls.isEmpty)
    #expect(first.rows[0].streamed == 0)
    let plain = try await user.run(CountListings(of: [alice]))
    #expect(plain.rows.map(\.count) == first.rows.map(\.count))
    act { $0.link(.follow, from: carol, to: alice) }
    try await eventually { () async throws -> Bool in
      let rows = try await user.run(CountListings(of: [alice]), in: asker()).rows
      return rows[0].streamed == 1 && rows[0].counted == first.rows[0].counted
    }
    let both = try await user.run(CountListings(of: [alice, bob]), in: asker())
    #expect(both.rows.map(\.source) == [.daemon, .daemon, .appview, .appview])
    _ = try await end(daemon)
  }

  @Test(arguments: [
    ("POST", "/1/relationships", "", "{}", 400), ("POST", "/1/relationships", "", "no JSON", 400),
    ("GET", "/1/counts", "", "", 400), ("GET", "/1/counts", "actor=unnamed", "", 400),
    ("GET", "/1/counts", "actor=did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "", 410),
    ("GET", "/1/accounts", "side=mutes", "", 400), ("GET", "/2/accounts", "", "", 404),
    ("DELETE", "/kith", "", "", 404),
  ])
  func refusesWhatItCannotAnswer(
    method: String, path: String, query: String, body: String, status: Int
  ) async throws {
    let daemon = try await startFollowing()
    let answer = try #require(heard.withLock(\.answer))
    let response = await answer(
      LocalRequest(method: method, path: path, query: query, body: Array(body.utf8)))
    #expect(response.status == status && response.body.isEmpty)
    _ = try await end(daemon)
  }

  // MARK: Work

  @Test func takesASnapshotWhenTheLastOneIsADayOld() async throws {
    let daemon = try await startFollowing()
    // The first one is that of the stream.
    await clock.untilAsleep(4)
    #expect(heard.withLock { $0.rows.isEmpty })
    try await eventuallyLater(by: .seconds(3_600)) { heard.withLock { $0.rows.count } > 0 }
    await heard.until { $0.rows.count >= 3 }
    #expect(heard.withLock { $0.rows.allSatisfy { $0.snapshot.listing.actor == alice } })
    let outcome = try await end(daemon)
    #expect(outcome.ending == .interrupted(.cancelled) && outcome.snapshots >= 3)
  }

  @Test func whatWasDueWhileTheMachineSleptIsDoneWhenItWakes() async throws {
    let daemon = try await startFollowing()
    await clock.untilAsleep(4)
    act { $0.unlink(.follow, from: bob, to: alice) }
    clock.advance(by: .seconds(3 * 86_400))
    await heard.until { $0.connections >= 2 && $0.rows.count >= 3 }
    try await eventually { () async throws -> Bool in
      let changes = try await user.run(ListChanges(of: alice)).rows
      return changes.contains { $0.change.account == bob && $0.change.kind == .lost }
    }
    _ = try await end(daemon)
  }

  @Test func followsAccountsThatAreAddedLater() async throws {
    let daemon = start()
    await heard.until { $0.beats.first?.watched == 0 }
    _ = try await user.run(WatchAccounts([alice]))
    try await eventuallyLater {
      heard.withLock { $0.connections == 1 && $0.beats.last?.watched == 1 }
    }
    try await untilCurrent()
    let query = ListingQuery(.followers(of: .did(alice)))
    #expect(try await user.run(ListAccounts(query), in: asker()).outcome.source == .daemon)
    _ = try await user.run(UnwatchAccounts([alice]))
    try await eventuallyLater { heard.withLock { $0.beats.last?.watched == 0 } }
    try await eventually { try await check(carol).info.source == .appview }
    _ = try await end(daemon)
  }

  /// What no server answers stays open, and holds the stored cursor back: that is not another reader.
  @Test func aQuestionThatStaysOpenDoesNotMakeItConnectAgain() async throws {
    let daemon = try await startFollowing()
    network.begin(.serverError)
    act { $0.link(.follow, from: carol, to: alice) }
    for _ in 1...6 {
      await clock.untilAsleep(4)
      act { $0.link(.follow, from: judy, to: bob) }
      act { $0.unlink(.follow, from: judy, to: bob) }
      clock.advance(by: RunDaemon.interval)
    }
    #expect(heard.withLock { $0.connections } == 1)
    network.begin(.none)
    _ = try await end(daemon)
  }

  /// What the other reader is told, the daemon is not: it does not answer about that account.
  @Test func anotherReaderMayFollowAnAccountAndIsNotEnded() async throws {
    _ = try await user.run(WatchAccounts([bob]))
    let daemon = try await startFollowing()
    _ = try await (check(carol), check(carol, of: bob))
    #expect(try await check(carol).info.source == .daemon)
    let live = Task { [user, alice] in
      try await FollowLive(of: .these([alice])).run(in: user.workspace(), Reporter(rows: { _ in }))
    }
    try await eventually { try await check(carol).info.source == .appview }
    #expect(try await check(carol, of: bob).info.source == .daemon)
    act { $0.link(.follow, from: carol, to: alice) }
    #expect(try await check(carol).info.isFollowedBy)
    // It goes on with bob, and adds others, without taking alice back.
    let dave = try user.did("dave")
    _ = try await user.run(WatchAccounts([dave]))
    try await eventuallyLater { try await check(judy, of: dave).info.source == .daemon }
    #expect(try await check(carol).info.source == .appview)
    #expect(try await check(carol, of: bob).info.source != .cache)
    live.cancel()
    #expect(try await live.value.ending == .interrupted(.cancelled), "the daemon has not ended it")
    try await eventuallyLater { try await check(carol).info.source == .daemon }
    #expect(try await check(carol).info.isFollowedBy)
    _ = try await end(daemon)
  }

  @Test func anotherReaderMayFollowAllOfItsAccounts() async throws {
    let daemon = try await startFollowing()
    let live = Task { [user, alice] in
      try await FollowLive(of: .these([alice])).run(in: user.workspace(), Reporter(rows: { _ in }))
    }
    // Events show a reader that the accounts are no longer its own.
    try await eventuallyLater(by: .seconds(20)) {
      act { $0.link(.follow, from: judy, to: bob) }
      act { $0.unlink(.follow, from: judy, to: bob) }
      return try await check(carol).info.source == .appview
    }
    for _ in 1...5 {
      await clock.untilAsleep(4)
      clock.advance(by: RunDaemon.interval)
    }
    #expect(heard.withLock { $0.connections } == 1)
    live.cancel()
    #expect(try await live.value.ending == .interrupted(.cancelled), "the daemon has not ended it")
    try await eventuallyLater { heard.withLock { $0.connections } >= 2 }
    #expect(heard.withLock { !$0.notes.contains { $0.code == "daemonTaskFailed" } })
    _ = try await end(daemon)
  }

  @Test func takesBackWhatIsOver() async throws {
    var mute = Change(ChangeAccounts(.mute(.reposts), .cast(["bob"])))
    mute.lifetime = .seconds(300)
    #expect(try await user.run(mute).outcome.ending == .done)
    let daemon = try await startFollowing()
    await clock.untilAsleep(4)
    clock.advance(by: .seconds(200))
    await clock.untilAsleep(4)
    #expect(heard.withLock { !$0.notes.contains { $0.code == "jobEnded" } })
    try await eventuallyLater { heard.withLock { $0.notes.contains { $0.code == "jobEnded" } } }
    try await eventually { try await user.run(EndDueJobs(onlyListing: true)).rows.isEmpty }
    #expect(try await end(daemon).jobs == 1)
  }
}
