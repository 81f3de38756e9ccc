// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithHistory

/// What events of a stream mean for followed listings, through to the history.
@Suite struct StreamInterpreterTests {
  private let scene = StreamScene()

  // MARK: Follows

  @Test func followsAndUnfollowsConcernBothSides() async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .create(11, by: 0, of: 1), .create(12, by: 1, of: 2),
      .delete(10, by: 1, at: 20), .delete(11, by: 0, at: 21), .delete(12, by: 1, at: 22))
    #expect(
      told.changes == [
        "followers 1 gained", "follows 1 gained", "followers 1 lost unfollowed", "follows 1 lost unfollowed",
      ])
    #expect(told.doubts == [] && told.unresolved == 0)
  }

  @Test func aFollowOfAnotherAccountTakesThePlaceOfTheFirst() async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .update(10, by: 1, to: 2, at: 20), .update(10, by: 1, to: 0, at: 30),
      .update(10, by: 1, to: 0, at: 40))
    #expect(told.changes == ["followers 1 gained", "followers 1 lost unfollowed", "followers 1 returned"])
  }

  @Test func oneOfTwoRecordsKeepsTheFollow() async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .create(11, by: 1, of: 0), .create(10, by: 1, of: 0, at: 12),
      .delete(10, by: 1, at: 20))
    #expect(told.changes == ["followers 1 gained"])
    #expect(try await scene.tell(.delete(11, by: 1, at: 30)).changes == ["followers 1 lost unfollowed"])
  }

  @Test func anAccountFollowsTwoWatchedActors() async throws {
    let other = HistoryListing(.followers, of: Accounts.did(5))
    let scene = StreamScene([StreamScene.followers, other])
    try await scene.tell(.create(10, by: 1, of: 0), .create(11, by: 1, of: 5), .delete(10, by: 1, at: 20))
    let (first, second) = (await scene.listed(), await scene.listed(other))
    #expect(first == [] && second == [1])
  }

  @Test func everyGraphHasItsOwnFollows() async throws {
    let tangled = HistoryListing(.followers, of: Accounts.did(0), in: .tangled)
    let scene = StreamScene([StreamScene.followers, tangled])
    #expect(
      scene.interpreter.collections == [
        "app.bsky.graph.block", "app.bsky.graph.follow", "org.kith.temp.graph.friendAnswer",
        "org.kith.temp.graph.friendPolicy", "org.kith.temp.graph.friendRequest", "sh.tangled.graph.follow",
      ])
    try await scene.tell(
      .create(10, by: 1, of: 0, in: FollowGraph.tangled.collection),
      .create(11, by: 2, of: 0, in: FollowGraph.grain.collection))
    let (bluesky, other) = (await scene.listed(), await scene.listed(tangled))
    #expect(bluesky == [] && other == [1])
  }

  @Test func aRecordWithoutAReadableSubjectIsNotAFollow() async throws {
    let commit = JetstreamCommit(.create(nil), .follow, RecordKey(number: 10))
    let list = JetstreamCommit(
      .create(.object(["subject": .string("at://x")])), .follow, RecordKey(number: 11))
    let told = try await scene.tell(
      StreamScene.event(.commit(commit), of: 0, at: 10), StreamScene.event(.commit(list), of: 0, at: 11))
    #expect(told.changes == [] && told.doubts == [])
  }

  // MARK: Blocks

  @Test func aBlockHidesAFollowerFromBothSides() async throws {
    try await scene.tell(.create(10, by: 1, of: 0), .create(11, by: 2, of: 0), .create(12, by: 0, of: 2))
    let told = try await scene.tell(
      .create(20, by: 1, of: 0, in: .block), .create(21, by: 0, of: 2, in: .block),
      .create(22, by: 3, of: 4, in: .block))
    #expect(
      told.changes == ["followers 1 lost blocked-by", "blocks 2 gained", "followers 2 lost blocking"],
      "the actor's own follow of 2 is there")
    let after = try await scene.tell(
      .delete(20, by: 1, in: .block, at: 30), .delete(21, by: 0, in: .block, at: 31))
    #expect(after.changes == ["followers 1 returned", "followers 2 returned", "blocks 2 lost removed"])
    #expect(after.doubts == [])
  }

  @Test func twoRecordsOfABlockAreOne() async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .create(20, by: 1, of: 0, in: .block), .create(21, by: 1, of: 0, in: .block),
      .delete(20, by: 1, in: .block, at: 30))
    #expect(told.changes == ["followers 1 gained", "followers 1 lost blocked-by"])
    #expect(try await scene.tell(.delete(21, by: 1, in: .block, at: 31)).changes == ["followers 1 returned"])
  }

  @Test func aBlockOfAnotherAccountTakesThePlaceOfTheFirst() async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .create(20, by: 1, of: 0, in: .block),
      .update(20, by: 1, to: 3, in: .block, at: 30))
    #expect(told.changes == ["followers 1 gained", "followers 1 lost blocked-by", "followers 1 returned"])
  }

  @Test func theSubjectOfAnUnknownBlockIsADoubt() async throws {
    let told = try await scene.tell(.delete(20, by: 1, in: .block, at: 30))
    #expect(told.doubts == [.unblocked(by: Accounts.did(1), RecordKey(number: 20))])
    scene.interpreter.know(RecordKey(number: 21), by: Accounts.did(0), of: Accounts.did(2))
    #expect(try await scene.tell(.delete(21, by: 0, in: .block, at: 31)).doubts == [])
  }

  // MARK: Accounts

  @Test(arguments: [
    ("deactivated", "followers 1 lost deactivated"), ("suspended", "followers 1 lost suspended"),
    ("takendown", "followers 1 lost suspended"), ("moved", "followers 1 lost unknown"),
  ])
  func aHiddenAccountReturns(status: String, loss: String) async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .account(1, status, at: 20), .account(1, nil, at: 30))
    #expect(told.changes == ["followers 1 gained", loss, "followers 1 returned"])
  }

  @Test(arguments: ["desynchronized", "throttled"])
  func troubleOfAHostIsNotALoss(status: String) async throws {
    try await scene.tell(.create(10, by: 1, of: 0), .account(1, status, at: 20))
    #expect(await scene.listed() == [1])
  }

  @Test func aDeletedAccountLosesItsFollows() async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .account(1, "deleted", at: 20), .account(1, nil, at: 30))
    #expect(told.changes == ["followers 1 gained", "followers 1 lost deleted"])
  }

  @Test func aNewNameIsKept() async throws {
    try await scene.tell(
      .create(10, by: 1, of: 0), .identity(1, Accounts.handle(7), at: 20), .identity(1, nil, at: 30))
    #expect(await scene.store.names(of: Accounts.did(1)).map(\.value) == [Accounts.handle(7)])
  }

  // MARK: Repositories that broke

  @Test func recordsThatComeAgainChangeNothing() async throws {
    let told = try await scene.tell(
      .create(10, by: 1, of: 0), .sync(1, at: 20), .create(10, by: 1, of: 0, at: 21),
      .create(12, by: 1, of: 9, at: 22), .identity(1, nil, at: 30))
    #expect(told.changes == ["followers 1 gained"])
    #expect(
      told.doubts == [
        .rebuilt(Accounts.did(1), seen: [StreamScene.followers: [RecordKey(number: 10)]])
      ])
    #expect(scene.interpreter.waitsSince == nil)
  }

  @Test func recordsAreWaitedForAMinute() async throws {
    let (second, begun) = (1_000_000, 20)
    let doubts = try await scene.tell(
      .create(10, by: 1, of: 0), .sync(1, at: begun), .create(50 * second, by: 2, of: 9),
      .create(11, by: 1, of: 9, at: 55 * second), .create(100 * second, by: 2, of: 9)
    ).doubts
    #expect(doubts == [])
    #expect(scene.interpreter.waitsSince?.sequence == 20)
    let last = try await scene.tell(.create(116 * second, by: 2, of: 9))
    #expect(last.doubts == [.rebuilt(Accounts.did(1), seen: [:])])
    #expect(scene.interpreter.waitsSince == nil)
  }

  @Test func anEventOfOtherAccountsSaysNothing() {
    var reading = StreamInterpreter.Reading()
    for number in 1..<100 {
      scene.interpreter.read(.create(number, by: number, of: number + 1), into: &reading)
      scene.interpreter.read(.create(number, by: number, of: number + 1, in: .block), into: &reading)
    }
    #expect(reading == StreamInterpreter.Reading())
  }
}
