// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// A writer notices what jobs of its journal do, and never takes its own taps for theirs.
@Suite struct WriterBesideJobsTests {
  private let other = Accounts.did(1)
  private let follow = "app.bsky.graph.follow"

  @Test func noticesThatAJobHasUnfollowedAnAccountItFollowed() async throws {
    let scene = try WriterScene()
    try await scene.writer.follow(other)
    #expect(try await scene.writer.follow(other).ending == .held)
    #expect(try await scene.run([scene.removal(of: other)]) == .done)
    #expect(scene.keys(follow).isEmpty)
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(scene.keys(follow).count == 1)
  }

  @Test func noticesThatAJobHasFollowedAnAccountItUnfollowed() async throws {
    let scene = try WriterScene()
    try await scene.writer.follow(other)
    try await scene.writer.unfollow(other)
    #expect(try await scene.writer.unfollow(other).ending == .held)
    #expect(try await scene.run(ChangeSamples.drafts(1..<2)) == .done)
    #expect(try await scene.writer.unfollow(other).ending == .done)
    #expect(scene.keys(follow).isEmpty)
  }

  /// Its own taps are not a reason to load everything again.
  @Test func loadsNothingAgainForItsOwnTaps() async throws {
    let scene = try WriterScene()
    for number in 1..<6 { scene.pds.put(follow, "3k\(number)", subject: Accounts.did(number)) }
    for number in 1..<6 { try await scene.writer.unfollow(Accounts.did(number)) }
    // The page, and the empty one after it.
    #expect(scene.transport.calls(of: "com.atproto.repo.listRecords") == 2)
    #expect(try await scene.writer.unfollow(Accounts.did(3)).ending == .held)
    #expect(scene.transport.calls(of: "com.atproto.repo.listRecords") == 2)
  }

  /// While one tap is in flight, a job ends, and another tap notices: the first one ends as it would have.
  @Test func keepsWhatATapInFlightHasMade() async throws {
    let turnstile = Turnstile()
    let scene = try WriterScene(commits: turnstile)
    try await scene.writer.unfollow(other)
    turnstile.close()
    let first = Task { try await scene.writer.follow(other) }
    await turnstile.untilArrived(1)
    #expect(try await scene.run(ChangeSamples.drafts(7..<8)) == .done)
    // It waits for the first one: its commit has to follow on that.
    let second = Task { try await scene.writer.follow(Accounts.did(2)) }
    turnstile.open()
    #expect(try await first.value.ending == .done)
    #expect(try await second.value.ending == .done)
    #expect(try await scene.writer.follow(other).ending == .held)
    #expect(try await scene.writer.unfollow(other).ending == .done)
    #expect(scene.keys(follow).count == 2)
  }

  /// A job follows while a tap reads the opposite, and another tap notices the job.
  @Test func doesNotDuplicateWhatAJobDidWhileATapWasLoading() async throws {
    let listings = Turnstile(isOpen: false)
    let scene = try WriterScene(listings: listings)
    let tap = Task { try await scene.writer.follow(other) }
    await listings.untilArrived(1)
    #expect(try await scene.run(ChangeSamples.drafts(1..<2)) == .done)
    #expect(try await scene.writer.mute(Accounts.did(2)).ending == .done)
    listings.open()
    #expect(try await tap.value.ending == .held)
    #expect(scene.keys(follow).count == 1)
  }

  /// A certain refusal leaves nothing of what was shown meanwhile, even if an answer came in between.
  @Test func leavesNothingOfARefusedTapInItsService() async throws {
    let turnstile = Turnstile()
    let scene = try WriterScene(commits: turnstile)
    turnstile.close()
    scene.pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", "Invalid record"))] }
    let tap = Task { try await scene.writer.follow(other) }
    await turnstile.untilArrived(1)
    // Asked for while it is shown.
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).isFollowing)
    turnstile.open()
    await #expect(throws: ChangeFailure.self) { try await tap.value }
    for _ in 0..<3 { #expect(try await !scene.relationship(with: other).isFollowing) }
    #expect(try await scene.service.batchCheckFollows(actor: scene.me, targets: [other]) == [other: false])
  }

  // MARK: In doubt

  /// The opposite of a tap in doubt is wanted: it is settled and then undone.
  @Test(arguments: [true, false]) func carriesOutTheOppositeOfATapInDoubt(hasHappened: Bool) async throws {
    let isDead = PosixMutex(false)
    let scene = try WriterScene(configuration: .init(patience: .seconds(5)), isDead: isDead)
    scene.pds.change { $0.faults = [hasHappened ? .answerLost(.timedOut) : .requestLost(.timedOut)] }
    isDead.withLock { $0 = true }
    #expect(await ChangeFailure.thrown { try await scene.writer.follow(other) }?.isInDoubt == true)
    isDead.withLock { $0 = false }
    let ending = try await scene.writer.unfollow(other).ending
    #expect(ending == .done || ending == .held)
    #expect(scene.keys(follow).isEmpty)
    #expect(try await scene.journal.summaries(of: scene.me).allSatisfy { $0.counts.left == 0 })
    // Nothing of it comes back with a later tap.
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(scene.keys(follow).count == 1)
  }
}
