// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct RelationshipWriterTests {
  private let other = Accounts.did(1)
  private let follow = "app.bsky.graph.follow"
  private let block = "app.bsky.graph.block"

  // MARK: Other kinds of edges

  /// While the first commit is under way, any number of taps costs at most one more, as for a follow.
  @Test func tapsOnAnEdgeOfAnotherAppAreCoalesced() async throws {
    let commits = Turnstile(isOpen: false)
    let scene = try WriterScene(commits: commits)
    let friend = EdgeKind(try NSID(parsing: "com.example.graph.friend"))
    let edge = try #require(RecordEdge(friend, to: other))
    let first = Task { try await scene.writer.make(.make(edge)) }
    await commits.untilArrived(1)
    let taps = (0..<20).map { number in
      Task { try await scene.writer.make(number.isMultiple(of: 2) ? .remove(edge) : .make(edge)) }
    }
    commits.open()
    #expect(try await first.value.ending == .done)
    for tap in taps { _ = try await tap.value }
    #expect(scene.pds.commits.count < 20)
    _ = try await scene.writer.make(.make(edge))
    #expect(scene.keys(friend.collection.description).count == 1)
    #expect(try await scene.writer.make(.make(edge)).ending == .held)
    #expect(try await scene.writer.make(.remove(edge)).ending == .done)
    #expect(scene.pds.records.isEmpty)
  }

  // MARK: Verbs

  @Test(arguments: PDSDouble.Manner.allCases)
  func followsAndUnfollows(manner: PDSDouble.Manner) async throws {
    let scene = try WriterScene(manner)
    let outcome = try await scene.writer.follow(other)
    #expect(outcome == ChangeOutcome(.follow(other), .done))
    #expect(scene.keys(follow).count == 1)
    #expect(try await scene.writer.follow(other).ending == .held)
    #expect(try await scene.writer.unfollow(other).ending == .done)
    #expect(try await scene.writer.unfollow(other).ending == .held)
    #expect(scene.pds.records.isEmpty)
    #expect(scene.pds.commits.count == 2)
  }

  /// Q16.
  @Test(arguments: PDSDouble.Manner.allCases)
  func blocksInOneCommitAndUnfollowsEveryRecord(manner: PDSDouble.Manner) async throws {
    let scene = try WriterScene(manner)
    for number in 0..<3 { scene.pds.put(follow, "3dup\(number)", subject: other) }
    scene.pds.put(follow, "3else", subject: Accounts.did(2))
    try await scene.writer.block(other)
    #expect(scene.pds.commits.map(\.count) == [4])
    #expect(scene.keys(follow) == ["\(follow)/3else"])
    #expect(scene.keys(block).count == 1)
    let outcome = try await scene.writer.unblock(other)
    #expect(outcome.notes.map(\.code).contains(.followsStayGone))
    #expect(scene.keys(follow) == ["\(follow)/3else"])
    #expect(scene.keys(block).isEmpty)
  }

  @Test func listsACollectionOnceForManyUnfollows() async throws {
    let scene = try WriterScene()
    for number in 1..<60 { scene.pds.put(follow, "3k\(100 + number)", subject: Accounts.did(number)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1..<60 { group.addTask { try await scene.writer.unfollow(Accounts.did(number)) } }
      try await group.waitForAll()
    }
    #expect(scene.pds.records.isEmpty)
    #expect(scene.pds.commits.count == 59)
    // The page, and the empty one after it.
    #expect(scene.transport.calls(of: "com.atproto.repo.listRecords") == 2)
  }

  @Test func mutesAndUnmutesAndBlocksLists() async throws {
    let scene = try WriterScene()
    let list = try ATURI(parsing: "at://\(Accounts.did(9))/app.bsky.graph.list/3l")
    try await scene.writer.mute(other, scope: .reposts)
    #expect(try await scene.writer.mute(other, scope: .reposts).ending == .held)
    try await scene.writer.unmute(other)
    try await scene.writer.muteList(list)
    try await scene.writer.unmuteList(list)
    try await scene.writer.blockList(list)
    #expect(scene.keys("app.bsky.graph.listblock").count == 1)
    #expect(try await scene.writer.blockList(list).ending == .held)
    try await scene.writer.unblockList(list)
    #expect(scene.pds.records.isEmpty)
    #expect(
      scene.pds.calls.map { $0.prefix { $0 != " " } } == [
        "app.bsky.graph.muteActor", "app.bsky.graph.unmuteActor", "app.bsky.graph.muteActorList",
        "app.bsky.graph.unmuteActorList",
      ])
  }

  @Test func refusesImpossibleChangesWithoutACall() async throws {
    let scene = try WriterScene()
    let none = try ATURI(parsing: "at://\(scene.me)/app.bsky.graph.follow/3l")
    for change in [
      ChangeIntent.follow(scene.me), .block(scene.me), .mute(scene.me, .quotes), .blockList(none),
    ] {
      guard case .refused? = await ChangeFailure.thrown(by: { try await scene.writer.make(change) }) else {
        Issue.record("\(change)")
        continue
      }
    }
    #expect(scene.transport.requests.isEmpty)
  }

  /// Q6.
  @Test func refusesToUnblockWhatAListBlocks() async throws {
    let scene = try WriterScene(shown: [:])
    let list = try ATURI(parsing: "at://\(Accounts.did(9))/app.bsky.graph.list/3l")
    let pds = scene.pds
    let client = try pds.client()
    let account = scene.me
    let source = ScriptedSource { actor, targets in
      [
        targets[0]: .known(
          RelationshipInfo(
            actor: actor, target: targets[0], blockingByList: list,
            checkedAt: Datetime(at: 0), source: .appview))
      ]
    }
    let own = OwnRecords(of: account, client: client)
    let writer = RelationshipWriter(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(
        account: account, pds: client, appview: client, relationships: source, records: own),
      keys: TIDClock(clockID: 1) { 0 }, time: scene.clock.timeSource())
    let failure = await ChangeFailure.thrown { try await writer.unblock(other) }
    guard case .refused(let refusal)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(refusal.code == .blockedByList)
  }

  // MARK: What is shown

  @Test func showsAnIntentAtOnceAndTheRecordAfterwards() async throws {
    let turnstile = Turnstile(isOpen: false)
    let scene = try WriterScene(turnstile: turnstile)
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
    // The record has the same key that was shown.
    #expect(scene.keys(follow).map { "at://\(scene.me)/\($0)" } == [now.following?.description])
  }

  @Test func rollsBackWhatTheServerRefusesAndSaysWhy() async throws {
    let scene = try WriterScene()
    _ = try await scene.relationship(with: other)
    scene.pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", "Invalid record"))] }
    var changes = scene.service.changes.makeAsyncIterator()
    let failure = await ChangeFailure.thrown { try await scene.writer.follow(other) }
    guard case .failed(let error)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(error.code == .refused)
    guard case .changed? = try await changes.next(),
      case .rolledBack(let from, let to, let reason)? = try await changes.next()
    else {
      Issue.record("it was not rolled back")
      return
    }
    #expect(from.isFollowing && !to.isFollowing)
    #expect(reason == .failed(error))
    #expect(try await !scene.relationship(with: other).isFollowing)
    // The next one may succeed, and is shown again.
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(try await scene.relationship(with: other).isFollowing)
  }

  /// Q21.
  @Test func trustsThePDSOverALaggingAppView() async throws {
    let scene = try WriterScene()
    try await scene.writer.follow(other)
    let record = try #require(scene.keys(follow).first)
    for _ in 0..<2 {
      await scene.service.clearCache()
      #expect(
        try await scene.relationship(with: other).following?.description == "at://\(scene.me)/\(record)")
    }
    // It has caught up; its later answers count again.
    scene.shown.withLock { $0[other] = record }
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).isFollowing)
    scene.shown.withLock { $0[other] = nil }
    await scene.service.clearCache()
    #expect(try await !scene.relationship(with: other).isFollowing)
  }

  @Test func showsAnUnfollowThoughTheAppViewLags() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await scene.relationship(with: other).isFollowing)
    try await scene.writer.unfollow(other)
    #expect(try await !scene.relationship(with: other).isFollowing)
    await scene.service.clearCache()
    #expect(try await !scene.relationship(with: other).isFollowing)
    #expect(try await scene.service.batchCheckFollows(actor: scene.me, targets: [other]) == [other: false])
  }

  @Test func showsWhatTheRepositoryHoldsThoughTheAppViewDoesNot() async throws {
    let scene = try WriterScene()
    scene.pds.put(follow, "3old", subject: other)
    _ = try await scene.relationship(with: other)
    #expect(try await scene.writer.follow(other).ending == .held)
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).following?.recordKey?.description == "3old")
  }

  // MARK: Rapid pendingFollows

  @Test func endsInTheLastIntentOfManyTasksWithTheFewestWrites() async throws {
    let turnstile = Turnstile(isOpen: false)
    let scene = try WriterScene(turnstile: turnstile)
    // While the state is loaded, any number of intents costs nothing.
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
    #expect(scene.keys(follow).count == 1)
    let before = scene.pds.commits.count
    try await scene.writer.unfollow(other)
    #expect(scene.keys(follow).isEmpty)
    #expect(scene.pds.commits.count == before + 1)
  }

  @Test func togglesWhatIsShown() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await scene.writer.toggleFollow(other).change == .unfollow(other))
    #expect(scene.pds.records.isEmpty)
    #expect(try await scene.writer.toggleFollow(other).change == .follow(other))
    #expect(scene.keys(follow).count == 1)
  }

  @Test func togglesTwiceBackToTheStart() async throws {
    let scene = try WriterScene()
    async let one = scene.writer.toggleFollow(other)
    async let two = scene.writer.toggleFollow(other)
    let changes = try await [one.change, two.change]
    #expect(Set(changes) == [.follow(other), .unfollow(other)])
    #expect(scene.pds.records.isEmpty)
  }

  @Test func cancellationStopsTheWaitingButNotTheChange() async throws {
    let turnstile = Turnstile(isOpen: false)
    let scene = try WriterScene(turnstile: turnstile)
    let task = Task { try await scene.writer.follow(other) }
    await turnstile.untilArrived(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    turnstile.open()
    _ = try await scene.writer.follow(other)
    #expect(scene.pds.commits.count == 1)
  }
}
