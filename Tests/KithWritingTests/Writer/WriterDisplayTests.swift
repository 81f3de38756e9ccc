// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// What an app shows after a change, whichever way it ended, although its AppView lags behind.
@Suite(.timeLimit(.minutes(1))) struct WriterDisplayTests {
  private let other = Accounts.did(1)
  private let follow = "app.bsky.graph.follow"

  // MARK: Held

  /// Another device unfollowed, and the AppView still shows the follow.
  @Test func anUnfollowThatHoldsIsShown() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    #expect(try await scene.relationship(with: other).isFollowing)
    let changes = scene.service.changes
    for _ in 0..<2 {
      #expect(try await scene.writer.unfollow(other).ending == .held)
      #expect(try await !scene.relationship(with: other).isFollowing)
      await scene.service.clearCache()
      #expect(try await !scene.relationship(with: other).isFollowing)
    }
    #expect(await buffered(changes).last?.now?.isFollowing == false)
    #expect(try await scene.writer.toggleFollow(other).change == .follow(other))
  }

  /// The facts are known from an earlier tap, so nothing is loaded.
  @Test func anUnfollowThatIsKnownToHoldIsShown() async throws {
    let scene = try WriterScene()
    #expect(try await scene.writer.unfollow(other).ending == .held)
    // The AppView agrees, and then answers from a replica that lags behind.
    #expect(try await !scene.relationship(with: other).isFollowing)
    scene.shown.withLock { $0[other] = "\(follow)/3old" }
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).isFollowing)
    #expect(try await scene.writer.unfollow(other).ending == .held)
    #expect(try await !scene.relationship(with: other).isFollowing)
  }

  @Test func anUnblockThatHoldsIsShown() async throws {
    let scene = try WriterScene()
    let block = ATURI(authority: .did(scene.me), collection: .block, recordKey: try RecordKey(parsing: "3b"))
    let answer = RelationshipInfo(
      actor: scene.me, target: other, blocking: block, checkedAt: Datetime(at: 0),
      source: .appview)
    #expect(try await scene.writer.unblock(other).ending == .held)
    #expect(scene.service.overlay.reconcile(answer).blocking == nil)
    // It has caught up.
    let caughtUp = RelationshipInfo.made(actor: scene.me, target: other, follows: false)
    #expect(scene.service.overlay.reconcile(caughtUp).blocking == nil)
    #expect(scene.service.overlay.reconcile(answer).blocking == block)
  }

  /// A record whose key names a later time than that of the reading was made since, by another device.
  @Test func aLaterRecordOfAnotherDeviceIsShown() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    #expect(try await scene.writer.unfollow(other).ending == .held)
    let now = scene.clock.timeSource().instant
    let later = TID(at: now + 1_000_000, clockID: 3)
    scene.shown.withLock { $0[other] = "\(follow)/\(later)" }
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).following?.recordKey == RecordKey(tid: later))
  }

  // MARK: Ended by others

  /// A job of the same journal, as of another process, which notifies nothing here.
  @Test func whatAJobOfAnotherProcessDidIsShown() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await scene.relationship(with: other).isFollowing)
    #expect(try await scene.run([scene.removal(of: other)]) == .done)
    #expect(try await scene.run(ChangeSamples.drafts(3..<4)) == .done)
    // A tap about another account notices it.
    try await scene.writer.follow(Accounts.did(2))
    #expect(try await !scene.relationship(with: other).isFollowing)
    #expect(try await scene.relationship(with: Accounts.did(3)).isFollowing)
  }

  @Test func whatWasTappedLaterOutweighsAJob() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await scene.run([scene.removal(of: other)]) == .done)
    try await scene.writer.follow(other)
    #expect(try await scene.run(ChangeSamples.drafts(3..<4)) == .done)
    try await scene.writer.follow(Accounts.did(2))
    #expect(try await scene.relationship(with: other).isFollowing)
    #expect(try await scene.relationship(with: other).following?.recordKey?.description != "3old")
  }

  // MARK: Rolled back

  /// What the repository has is shown, not what the AppView says.
  @Test func aRolledBackUnfollowShowsWhatTheRepositoryHas() async throws {
    let scene = try WriterScene()
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await !scene.relationship(with: other).isFollowing)
    scene.pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", "no"))] }
    await #expect(throws: ChangeFailure.self) { try await scene.writer.unfollow(other) }
    #expect(try await scene.relationship(with: other).following?.recordKey?.description == "3old")
  }

  // MARK: Jobs of the app

  private func engine(_ scene: WriterScene) throws -> ChangeEngine {
    let time = scene.clock.timeSource()
    let client = try scene.pds.client(time)
    return ChangeEngine(
      repository: PDSRepository(account: scene.me, pds: client),
      facts: FactLoader(
        account: scene.me, pds: client, appview: client,
        relationships: ScriptedSource { actor, targets in
          ScriptedSource.follows(actor, targets) { _ in false }
        }), journal: scene.journal, keys: TIDClock(clockID: 2) { time.instant },
      observers: ChangeObservers(account: scene.me, relationships: scene.service, profiles: nil), time: time)
  }

  @Test func whatAPlanFindsToHoldIsShown() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3has", subject: Accounts.did(2))
    #expect(try await scene.relationship(with: other).isFollowing)
    #expect(try await !scene.relationship(with: Accounts.did(2)).isFollowing)
    let submission = try await engine(scene).submit(
      [.init("\(other)", .unfollow(other)), .init("2", .follow(Accounts.did(2)))], as: "change")
    #expect(submission.job == nil)
    #expect(try await !scene.relationship(with: other).isFollowing)
    #expect(try await scene.relationship(with: Accounts.did(2)).following?.recordKey?.description == "3has")
  }

  /// What another app has done since the plan is left out of the run.
  @Test func whatARunFindsToHoldIsShown() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    scene.pds.put(follow, "3old", subject: other)
    #expect(try await scene.relationship(with: other).isFollowing)
    #expect(try await !scene.relationship(with: Accounts.did(2)).isFollowing)
    let engine = try engine(scene)
    let submission = try await engine.submit(
      [.init("\(other)", .unfollow(other)), .init("2", .follow(Accounts.did(2)))], as: "change")
    scene.pds.change { $0.records = [:] }
    scene.pds.put(follow, "3new", subject: Accounts.did(2))
    #expect(try await engine.run(try #require(submission.job).id) == .done)
    #expect(scene.pds.commits.isEmpty)
    #expect(try await !scene.relationship(with: other).isFollowing)
    #expect(try await scene.relationship(with: Accounts.did(2)).isFollowing)
  }

  // MARK: Pairs that were never asked about

  @Test func changesOfPairsNeverAskedAboutAreReported() async throws {
    let scene = try WriterScene()
    let changes = scene.service.changes
    try await scene.writer.follow(other)
    try await scene.writer.unfollow(other)
    let told = await buffered(changes).compactMap(\.now)
    #expect(told.map(\.isFollowing).contains(true))
    #expect(told.last?.isFollowing == false)
    #expect(told.allSatisfy { $0.source == .change && $0.actor == scene.me && $0.target == other })
  }

  @Test func anUnfollowOfAPairNeverAskedAboutIsReportedOnce() async throws {
    let scene = try WriterScene()
    scene.pds.put(follow, "3old", subject: other)
    let changes = scene.service.changes
    try await scene.writer.unfollow(other)
    #expect(await buffered(changes).map(\.now?.isFollowing) == [false])
  }

  @Test func aRollbackOfAPairNeverAskedAboutIsReported() async throws {
    let scene = try WriterScene()
    let changes = scene.service.changes
    scene.pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", "no"))] }
    await #expect(throws: ChangeFailure.self) { try await scene.writer.follow(other) }
    let told = await buffered(changes)
    #expect(told.first?.now?.isFollowing == true)
    guard case .rolledBack(let from, let to, _)? = told.last else {
      Issue.record("\(told)")
      return
    }
    #expect(from.isFollowing && !to.isFollowing)
  }

  /// The first answer is compared with what was told: it is not news if it shows the same.
  @Test func theFirstAnswerAfterAnOwnChangeIsComparedWithIt() async throws {
    let scene = try WriterScene()
    try await scene.writer.follow(other)
    let record = try #require(scene.keys(follow).first)
    scene.shown.withLock { $0[other] = record }
    let changes = scene.service.changes
    #expect(try await scene.relationship(with: other).isFollowing)
    scene.shown.withLock { $0[other] = nil }
    try await scene.service.refresh(actor: scene.me, target: other)
    #expect(await buffered(changes).map(\.now?.isFollowing) == [false])
  }
}

extension RelationshipChange {
  /// The new relationship.
  fileprivate var now: RelationshipInfo? {
    switch self {
    case .changed(_, let now), .rolledBack(_, let now, _): now
    case .missed: nil
    }
  }
}
