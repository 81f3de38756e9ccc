// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

@Suite struct GraphWriterTests {
  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let follow = "app.bsky.graph.follow"
  private let block = "app.bsky.graph.block"
  private let clock = ManualClock(.skipping)

  /// A writer, the PDS that it writes to, and a service over an AppView that shows what the test says.
  private struct Scene {
    let pds: PDSDouble
    let transport: ScriptedTransport
    let service: FollowRelationshipService
    let writer: GraphWriter
    /// What the AppView shows of the account's own follows, by their records.
    let shown: PosixMutex<[DID: String]>

    func relationship(with other: DID) async throws -> RelationshipInfo {
      try await service.getRelationship(actor: pds.account, target: other)
    }
  }

  private func scene(
    _ manner: PDSDouble.Manner = .reference, turnstile: Turnstile = Turnstile(), shown: [DID: String] = [:],
    configuration: GraphWriter.Configuration = .init()
  ) throws -> Scene {
    let pds = PDSDouble(account: me, manner)
    let transport = ScriptedTransport(turnstile: turnstile) { try pds.answer($0) }
    let table = PosixMutex(shown)
    let source = ScriptedSource { actor, targets in
      var findings: [DID: RelationshipFinding] = [:]
      for target in targets {
        let key = table.withLock { $0[target] }
        findings[target] = .known(
          RelationshipInfo(
            actor: actor, target: target, following: key.flatMap { ATURI("at://\(actor)/\($0)") },
            checkedAt: Datetime(microsecondsSinceEpoch: 0), source: .appview))
      }
      return findings
    }
    let time = clock.timeSource()
    let client = try pds.client(transport, time)
    let service = FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client),
      configuration: .init(gatherWindow: .zero), time: time)
    let writer = GraphWriter(
      repository: PDSRepository(account: me, pds: client),
      survey: GraphSurvey(account: me, pds: client, appview: client, relationships: source),
      relationships: service, keys: TIDClock(clockID: 1) { time.microsecondsSinceEpoch },
      configuration: configuration, time: time)
    return Scene(pds: pds, transport: transport, service: service, writer: writer, shown: table)
  }

  private func failure(_ work: () async throws -> Void) async -> ChangeFailure? {
    do {
      try await work()
      return nil
    } catch {
      return error as? ChangeFailure
    }
  }

  private func keys(_ pds: PDSDouble, _ collection: String) -> [String] {
    pds.records.keys.filter { $0.hasPrefix(collection + "/") }.sorted()
  }

  // MARK: Verbs

  @Test(arguments: PDSDouble.Manner.allCases)
  func followsAndUnfollows(manner: PDSDouble.Manner) async throws {
    let scene = try scene(manner)
    let outcome = try await scene.writer.follow(other)
    #expect(outcome == ChangeOutcome(.follow(other), .done))
    #expect(keys(scene.pds, follow).count == 1)
    #expect(try await scene.writer.follow(other).ending == .held)
    #expect(try await scene.writer.unfollow(other).ending == .done)
    #expect(try await scene.writer.unfollow(other).ending == .held)
    #expect(scene.pds.records.isEmpty)
    #expect(scene.pds.commits.count == 2)
  }

  /// Q16.
  @Test(arguments: PDSDouble.Manner.allCases)
  func blocksInOneCommitAndUnfollowsEveryRecord(manner: PDSDouble.Manner) async throws {
    let scene = try scene(manner)
    for number in 0..<3 { scene.pds.put(follow, "3dup\(number)", subject: other) }
    scene.pds.put(follow, "3else", subject: Accounts.did(2))
    try await scene.writer.block(other)
    #expect(scene.pds.commits.map(\.count) == [4])
    #expect(keys(scene.pds, follow) == ["\(follow)/3else"])
    #expect(keys(scene.pds, block).count == 1)
    let outcome = try await scene.writer.unblock(other)
    #expect(outcome.notes.map(\.code).contains(.followsStayGone))
    #expect(keys(scene.pds, follow) == ["\(follow)/3else"])
    #expect(keys(scene.pds, block).isEmpty)
  }

  @Test func listsACollectionOnceForManyUnfollows() async throws {
    let scene = try scene()
    for number in 1..<60 { scene.pds.put(follow, "3k\(100 + number)", subject: Accounts.did(number)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1..<60 { group.addTask { try await scene.writer.unfollow(Accounts.did(number)) } }
      try await group.waitForAll()
    }
    #expect(scene.pds.records.isEmpty)
    #expect(scene.pds.commits.count == 59)
    // The page, and the empty one behind it.
    #expect(scene.transport.calls(of: "com.atproto.repo.listRecords") == 2)
  }

  @Test func mutesAndUnmutesAndBlocksLists() async throws {
    let scene = try scene()
    let list = try ATURI(parsing: "at://\(Accounts.did(9))/app.bsky.graph.list/3l")
    try await scene.writer.mute(other, scope: .reposts)
    #expect(try await scene.writer.mute(other, scope: .reposts).ending == .held)
    try await scene.writer.unmute(other)
    try await scene.writer.muteList(list)
    try await scene.writer.unmuteList(list)
    try await scene.writer.blockList(list)
    #expect(keys(scene.pds, "app.bsky.graph.listblock").count == 1)
    #expect(try await scene.writer.blockList(list).ending == .held)
    try await scene.writer.unblockList(list)
    #expect(scene.pds.records.isEmpty)
    #expect(
      scene.pds.calls.map { $0.prefix { $0 != " " } } == [
        "app.bsky.graph.muteActor", "app.bsky.graph.unmuteActor", "app.bsky.graph.muteActorList",
        "app.bsky.graph.unmuteActorList",
      ])
  }

  @Test func refusesWhatCannotBeWithoutAskingAnybody() async throws {
    let scene = try scene()
    let none = try ATURI(parsing: "at://\(me)/app.bsky.graph.follow/3l")
    for change in [GraphChange.follow(me), .block(me), .mute(me, .quotes), .blockList(none)] {
      guard case .refused? = await failure({ try await scene.writer.make(change) }) else {
        Issue.record("\(change)")
        continue
      }
    }
    #expect(scene.transport.requests.isEmpty)
  }

  /// Q6.
  @Test func refusesToUnblockWhatAListBlocks() async throws {
    let scene = try scene(shown: [:])
    let list = try ATURI(parsing: "at://\(Accounts.did(9))/app.bsky.graph.list/3l")
    let pds = scene.pds
    let client = try pds.client()
    let account = me
    let source = ScriptedSource { actor, targets in
      [
        targets[0]: .known(
          RelationshipInfo(
            actor: actor, target: targets[0], blockingByList: list,
            checkedAt: Datetime(microsecondsSinceEpoch: 0), source: .appview))
      ]
    }
    let writer = GraphWriter(
      repository: PDSRepository(account: account, pds: client),
      survey: GraphSurvey(account: account, pds: client, appview: client, relationships: source),
      keys: TIDClock(clockID: 1) { 0 }, time: clock.timeSource())
    let failure = await failure { try await writer.unblock(other) }
    guard case .refused(let refusal)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(refusal.code == .blockedByList)
  }

  // MARK: What is shown

  @Test func showsAWishAtOnceAndTheRecordAfterwards() async throws {
    let turnstile = Turnstile(isOpen: false)
    let scene = try scene(turnstile: turnstile)
    #expect(try await !scene.relationship(with: other).isFollowing)
    var changes = scene.service.changes.makeAsyncIterator()
    let task = Task { try await scene.writer.follow(other) }
    guard case .changed(let before, let now)? = try await changes.next() else {
      Issue.record("nothing was told")
      return
    }
    #expect(!before.isFollowing && now.isFollowing)
    #expect(try await scene.relationship(with: other).following == now.following)
    #expect(scene.pds.commits.isEmpty)
    turnstile.open()
    _ = try await task.value
    // The record got the very key that was shown.
    #expect(keys(scene.pds, follow).map { "at://\(me)/\($0)" } == [now.following?.description])
  }

  @Test func takesBackWhatTheServerRefusesAndSaysWhy() async throws {
    let scene = try scene()
    _ = try await scene.relationship(with: other)
    scene.pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", "Invalid record"))] }
    var changes = scene.service.changes.makeAsyncIterator()
    let failure = await failure { try await scene.writer.follow(other) }
    guard case .failed(let error)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(error.code == .refused)
    guard case .changed? = try await changes.next(),
      case .rolledBack(let from, let to, let reason)? = try await changes.next()
    else {
      Issue.record("it was not taken back")
      return
    }
    #expect(from.isFollowing && !to.isFollowing)
    #expect(reason == .failed(error))
    #expect(try await !scene.relationship(with: other).isFollowing)
    // The next one may pass, and is shown again.
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(try await scene.relationship(with: other).isFollowing)
  }

  /// Q21.
  @Test func trustsTheServerOverAnAppViewThatLags() async throws {
    let scene = try scene()
    try await scene.writer.follow(other)
    let record = try #require(keys(scene.pds, follow).first)
    for _ in 0..<2 {
      await scene.service.clearCache()
      #expect(try await scene.relationship(with: other).following?.description == "at://\(me)/\(record)")
    }
    // It has caught up; what it says later counts again.
    scene.shown.withLock { $0[other] = record }
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).isFollowing)
    scene.shown.withLock { $0[other] = nil }
    await scene.service.clearCache()
    #expect(try await !scene.relationship(with: other).isFollowing)
  }

  @Test func showsAnUnfollowThoughTheAppViewLags() async throws {
    let scene = try scene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await scene.relationship(with: other).isFollowing)
    try await scene.writer.unfollow(other)
    #expect(try await !scene.relationship(with: other).isFollowing)
    await scene.service.clearCache()
    #expect(try await !scene.relationship(with: other).isFollowing)
    #expect(try await scene.service.batchCheckFollows(actor: me, targets: [other]) == [other: false])
  }

  @Test func showsWhatTheRepositoryHoldsThoughTheAppViewDoesNot() async throws {
    let scene = try scene()
    scene.pds.put(follow, "3old", subject: other)
    _ = try await scene.relationship(with: other)
    #expect(try await scene.writer.follow(other).ending == .held)
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).following?.recordKey?.description == "3old")
  }

  // MARK: Rapid wishes

  @Test func endsInTheLastWishOfManyTasksWithTheFewestWrites() async throws {
    let turnstile = Turnstile(isOpen: false)
    let scene = try scene(turnstile: turnstile)
    // While it is learned how things stand, any number of wishes costs nothing.
    let first = Task { try await scene.writer.follow(other) }
    await turnstile.untilArrived(1)
    var tasks: [Task<ChangeOutcome, any Error>] = []
    for number in 0..<20 {
      tasks.append(
        Task {
          number.isMultiple(of: 2)
            ? try await scene.writer.unfollow(other) : try await scene.writer.follow(other)
        })
    }
    turnstile.open()
    _ = try await first.value
    for task in tasks { _ = try await task.value }
    let last = try await scene.writer.follow(other)
    #expect(last.ending == .held || last.ending == .done)
    #expect(keys(scene.pds, follow).count == 1)
    let before = scene.pds.commits.count
    try await scene.writer.unfollow(other)
    #expect(keys(scene.pds, follow).isEmpty)
    #expect(scene.pds.commits.count == before + 1)
  }

  @Test func togglesWhatIsShown() async throws {
    let scene = try scene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await scene.writer.toggleFollow(other).change == .unfollow(other))
    #expect(scene.pds.records.isEmpty)
    #expect(try await scene.writer.toggleFollow(other).change == .follow(other))
    #expect(keys(scene.pds, follow).count == 1)
  }

  @Test func togglesTwiceToWhereItWas() async throws {
    let scene = try scene()
    async let one = scene.writer.toggleFollow(other)
    async let two = scene.writer.toggleFollow(other)
    let changes = try await [one.change, two.change]
    #expect(Set(changes) == [.follow(other), .unfollow(other)])
    #expect(scene.pds.records.isEmpty)
  }

  @Test func stopsWaitingWhenCancelledButNotTheChange() async throws {
    let turnstile = Turnstile(isOpen: false)
    let scene = try scene(turnstile: turnstile)
    let task = Task { try await scene.writer.follow(other) }
    await turnstile.untilArrived(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    turnstile.open()
    _ = try await scene.writer.follow(other)
    #expect(scene.pds.commits.count == 1)
  }

  // MARK: Doubt

  @Test(arguments: PDSDouble.Manner.allCases, [true, false])
  func asksWhetherACommitInDoubtHasHappened(manner: PDSDouble.Manner, hasHappened: Bool) async throws {
    let scene = try scene(manner)
    let fault: PDSDouble.Fault =
      hasHappened ? .answerLost(.connectionLost) : .requestLost(.connectionLost)
    scene.pds.change { $0.faults = [fault] }
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(keys(scene.pds, follow).count == 1)
    #expect(scene.pds.commits.count == 1)
  }

  @Test func triesAgainWhileTheServerCannotBeReached() async throws {
    let scene = try scene()
    scene.pds.change { $0.faults = [.requestLost(.cannotConnect), .requestLost(.cannotConnect)] }
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(clock.slept.count >= 2)
  }

  /// Patience ends, the doubt stays; the next wish finds out, and writes under the same key.
  @Test(arguments: [true, false])
  func neverDoublesARecordThatStayedInDoubt(hasHappened: Bool) async throws {
    let scene = try scene(configuration: .init(patience: .seconds(5)))
    _ = try await scene.relationship(with: other)
    let fault: PDSDouble.Fault = hasHappened ? .answerLost(.timedOut) : .requestLost(.timedOut)
    let pds = scene.pds
    let isDead = PosixMutex(false)
    let dead = ScriptedTransport { request in
      if RequestQuery(request).method == "com.atproto.repo.getRecord", isDead.withLock({ $0 }) {
        throw TransportError(.timedOut, host: "pds.test")
      }
      return try pds.answer(request)
    }
    let time = clock.timeSource()
    let client = try pds.client(dead, time)
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    let writer = GraphWriter(
      repository: PDSRepository(account: me, pds: client),
      survey: GraphSurvey(account: me, pds: client, appview: client, relationships: source),
      relationships: scene.service, keys: TIDClock(clockID: 1) { time.microsecondsSinceEpoch },
      configuration: .init(patience: .seconds(5)), time: time)
    pds.change { $0.faults = [fault] }
    isDead.withLock { $0 = true }
    var changes = scene.service.changes.makeAsyncIterator()
    let failure = await failure { try await writer.follow(other) }
    #expect(failure?.isInDoubt == true)
    guard case .changed(_, let shown)? = try await changes.next(),
      case .rolledBack? = try await changes.next()
    else {
      Issue.record("it was not taken back")
      return
    }
    isDead.withLock { $0 = false }
    #expect(try await writer.follow(other).ending == (hasHappened ? .held : .done))
    #expect(keys(pds, follow).map { "at://\(me)/\($0)" } == [shown.following?.description])
  }

  /// Lost, and then the server does not tell: that is no refusal of what was lost.
  @Test(arguments: [400, 401, 502]) func leavesInDoubtWhatTheServerDoesNotTell(status: Int) async throws {
    let scene = try scene()
    try await scene.writer.unfollow(other)
    scene.pds.change {
      $0.faults = [.answerLost(.connectionLost)]
      $0.answerToQuestions = .xrpcError(status, "InvalidRequest", "Could not find repo")
    }
    #expect(await failure { try await scene.writer.follow(other) }?.isInDoubt == true)
    scene.pds.change { $0.answerToQuestions = nil }
    #expect(try await scene.writer.unfollow(other).ending == .done)
    #expect(scene.pds.commits.count == 2)
    #expect(scene.pds.records.isEmpty)
  }

  @Test func tellsThatItCannotLearn() async throws {
    let scene = try scene()
    scene.pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    guard case .failed(let error)? = await failure({ try await scene.writer.unfollow(other) }) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.code == .unavailable)
    #expect(scene.pds.commits.isEmpty)
  }

  /// Another device may have changed it.
  @Test func learnsAnewAfterAWhile() async throws {
    let scene = try scene(configuration: .init(memory: .seconds(60)))
    try await scene.writer.follow(other)
    scene.pds.change { $0.records = [:] }
    #expect(try await scene.writer.follow(other).ending == .held)
    try await clock.sleep(until: clock.now.advanced(by: .seconds(61)), tolerance: nil)
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(keys(scene.pds, follow).count == 1)
  }
}
