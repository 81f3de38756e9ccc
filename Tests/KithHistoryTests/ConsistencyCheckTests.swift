// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithHistory
@testable import KithRelationships

/// When snapshots withhold losses, and when they believe them.
@Suite struct ConsistencyCheckTests {
  private let store = InMemoryHistoryStore()
  private let actor = FollowersDouble.actor

  private func take(
    _ double: FollowersDouble, _ side: HistoryListing.Side = .followers
  ) async throws -> Snapshot {
    var taken: [Snapshot] = []
    let recorder = SnapshotRecorder(double.listings, own: double.listings, store: store)
    try await recorder.takeSnapshots(of: actor, [side], .init(isFull: true)) { taken.append($0.snapshot) }
    return try #require(taken.first)
  }

  private func hide(
    _ numbers: Range<Int>, of double: FollowersDouble, as standing: FollowersDouble.Standing = .unfollowed
  ) {
    double.change { state in for number in numbers { state.accounts[number] = standing } }
  }

  /// A doubt of another kind does not make the next loss of all followers believable.
  @Test func anEarlierNoteOfAnotherReasonConfirmsNothing() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    hide(1..<20, of: double, as: .leftOut)
    #expect(try await take(double).note != nil)
    hide(1..<201, of: double)
    let empty = try await take(double)
    #expect(empty.counts.lost == 0 && empty.counts.unconfirmed == 200)
  }

  @Test func twoOutagesThatHideDisjointHalvesConfirmNothing() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    hide(1..<101, of: double)
    #expect(try await take(double).counts.unconfirmed == 100)
    hide(1..<101, of: double, as: .follows)
    hide(101..<201, of: double)
    let second = try await take(double)
    #expect(second.counts.lost == 0 && second.counts.unconfirmed == 100)
    // What is found once more is believed.
    #expect(try await take(double).counts.lost == 100)
  }

  /// A snapshot in between that finds everything ends the doubt.
  @Test func aSoundSnapshotInBetweenStartsOver() async throws {
    let double = try FollowersDouble(1..<101)
    _ = try await take(double)
    hide(1..<61, of: double)
    #expect(try await take(double).counts.unconfirmed == 60)
    hide(1..<61, of: double, as: .follows)
    #expect(try await take(double).counts.unconfirmed == 0)
    hide(1..<61, of: double)
    #expect(try await take(double).counts.unconfirmed == 60)
  }

  /// Blocks and suspensions leave the count alone, so they must not look like a contradiction later.
  @Test func lossesThatLeaveTheCountAloneDoNotDelayOthers() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    // A note keeps the base of the comparison at the first snapshot.
    hide(180..<190, of: double, as: .leftOut)
    #expect(try await take(double).note != nil)
    hide(1..<31, of: double, as: .blocks)
    #expect(try await take(double).counts.lost == 30)
    hide(31..<41, of: double)
    #expect(try await take(double).counts.lost == 10)
  }

  /// A doubt about follows does not concern what is proven by itself.
  @Test func provenLossesAreNeverWithheld() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    double.change { $0.counted = 200 }
    hide(1..<41, of: double)
    hide(41..<46, of: double, as: .deleted)
    hide(46..<51, of: double, as: .blocks)
    hide(51..<56, of: double, as: .deactivated)
    let second = try await take(double)
    #expect(second.counts.lost == 15 && second.counts.unconfirmed == 40)
  }

  /// Accounts whose block ended were counted all the time: they do not confirm as many other losses.
  @Test func returningAccountsDoNotRaiseTheExpectedCount() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    hide(1..<21, of: double, as: .blocks)
    #expect(try await take(double).counts.lost == 20)
    // The AppView loses 20 follows, and its count does not change.
    hide(1..<21, of: double, as: .follows)
    hide(21..<41, of: double)
    double.change { $0.counted = 200 }
    let third = try await take(double)
    #expect(third.counts.gained == 20 && third.counts.lost == 0 && third.counts.unconfirmed == 20)
  }

  /// Deletions lower the count too, so they cannot confirm as many unfollows.
  @Test func deletionsDoNotConfirmUnfollows() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    hide(1..<16, of: double, as: .deleted)
    hide(16..<31, of: double)
    double.change { $0.counted = 184 }
    let second = try await take(double)
    #expect(second.counts.lost == 15 && second.counts.unconfirmed == 15)
  }

  /// In a long absence, hidden gains can outweigh real losses in the count. That is not withheld for ever.
  @Test func aContradictionThatStaysIsBelievedTheSecondTime() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    try await double.client.time.sleep(for: .seconds(330 * 86_400))
    hide(1..<41, of: double)
    double.change { $0.counted = 200 }
    #expect(try await take(double).counts.unconfirmed == 40)
    #expect(try await take(double).counts.lost == 40)
  }

  /// The repository is the proof for own follows, whatever an AppView counts.
  @Test func theCountDoesNotOverruleARepository() async throws {
    let double = try FollowersDouble()
    let follow = "app.bsky.graph.follow"
    double.change { state in for number in 1..<31 { state.put(follow, "3jui7kd5\(10_000 + number)", number) }
    }
    _ = try await take(double, .follows)
    double.change { state in
      state.records[follow]?.removeFirst(6)
      state.answers["app.bsky.actor.getProfiles"] = TransportResponse(
        #"{"profiles":[{"did":"\#(actor)","handle":"user0.test","followsCount":30}]}"#)
    }
    let second = try await take(double, .follows)
    #expect(second.counts.counted == 30 && second.counts.lost == 6 && second.note == nil)
  }

  // MARK: Cost

  /// A reinstalled AppView has no follows, and counts none. Whether it has the profiles or not, one batch of
  /// accounts shows what is the matter.
  @Test(arguments: [FollowersDouble.Standing.unfollowed, .unknownToAppView])
  func anEmptiedAppViewCostsOneBatch(standing: FollowersDouble.Standing) async throws {
    let double = try FollowersDouble(1..<1_001)
    _ = try await take(double)
    hide(1..<1_001, of: double, as: standing)
    _ = double.calls()
    let first = try await take(double)
    #expect(first.counts.lost == 0 && first.counts.unconfirmed == 1_000 && first.note != nil)
    let isShown = standing == .unfollowed
    // The profile and the listing; 240 accounts at 30 and 25 a call, and three calls for each unknown one.
    let most = isShown ? 20 : 20 + 3 * 240
    #expect(double.calls().count <= most)
    let second = try await take(double)
    #expect(second.counts.lost == (isShown ? 1_000 : 0))
    #expect(second.counts.unconfirmed == (isShown ? 0 : 1_000))
  }

  /// Accounts that were not asked about have their turn later, and those that return are there.
  @Test func anEmptiedAppViewThatFillsAgainLosesOnlyWhoIsGone() async throws {
    let double = try FollowersDouble(1..<1_001)
    _ = try await take(double)
    hide(1..<1_001, of: double)
    #expect(try await take(double).counts.unconfirmed == 1_000)
    hide(1..<999, of: double, as: .follows)
    let third = try await take(double)
    #expect(third.counts.lost == 2 && third.counts.unconfirmed == 0 && third.counts.listed == 998)
  }

  /// A purge of spam is proven account by account, even if most of the followers are gone.
  @Test func aMassSuspensionIsNotAnOutage() async throws {
    let double = try FollowersDouble(1..<1_001)
    _ = try await take(double)
    hide(1..<801, of: double, as: .takenDown)
    let second = try await take(double)
    #expect(second.counts.lost == 800 && second.counts.unconfirmed == 0)
  }

  @Test func aSnapshotAsksAboutALimitedNumberOfRecords() async throws {
    let double = try FollowersDouble()
    let follow = "app.bsky.graph.follow"
    double.change { state in
      for number in 1..<2_400 { state.put(follow, "3jui7kd5\(10_000 + number)", number) }
    }
    _ = try await take(double, .follows)
    double.change { $0.records[follow]?.removeFirst(2_300) }
    _ = double.calls()
    let second = try await take(double, .follows)
    #expect(second.counts.lost == SnapshotRecorder.mostSingle && second.counts.unconfirmed == 300)
    #expect(double.calls().count { $0 == "getRecord" } == SnapshotRecorder.mostSingle)
    #expect(try await take(double, .follows).counts.lost == 300)
  }
}
