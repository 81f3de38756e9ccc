// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithHistory
@testable import KithRelationships

/// What snapshots conclude, and what they cost.
@Suite struct SnapshotRecorderTests {
  private let store = InMemoryHistoryStore()
  private let actor = FollowersDouble.actor

  @discardableResult
  private func take(
    _ double: FollowersDouble, _ sides: HistoryListing.Side..., full: Bool = false, dates: Bool = false
  ) async throws -> [SnapshotRecorder.Outcome] {
    var outcomes: [SnapshotRecorder.Outcome] = []
    let recorder = SnapshotRecorder(double.listings, own: double.listings, store: store)
    try await recorder.takeSnapshots(
      of: actor, sides.isEmpty ? [.followers] : sides, .init(isFull: full, dates: dates)
    ) { outcomes.append($0) }
    return outcomes
  }

  /// All losses by account, with the evidence.
  private func losses() async throws -> [Int: String] {
    var found: [Int: String] = [:]
    let numbers = Dictionary(uniqueKeysWithValues: (0..<2_000).map { (Accounts.did($0), $0) })
    for try await change in try await History(store).changes(of: actor) {
      guard let loss = change.loss, let number = numbers[change.account] else { continue }
      let findings = loss.evidence.findings.map { "\($0.question.rawValue):\($0.answer.rawValue)" }
      found[number] = "\(loss.cause.rawValue) \(findings.joined(separator: " "))"
    }
    return found
  }

  private actor Names: NameStore {
    var handles: [DID: Handle] = [:]

    func remember(_ views: [AccountView]) {
      for view in views { if let handle = view.handle { handles[view.account] = handle } }
    }
  }

  /// An app has them as well: no server returns the name of an account that was deleted later.
  @Test func keepsTheNamesOfTheActorAndOfTheAccountsItReads() async throws {
    let double = try FollowersDouble(1..<5)
    let names = Names()
    let recorder = SnapshotRecorder(double.listings, store: store, names: names)
    try await recorder.takeSnapshots(of: actor, [.followers]) { _ in }
    let handles = await names.handles
    #expect(Set(handles.keys) == Set((0..<5).map(Accounts.did)))
    #expect(handles[Accounts.did(3)] == Accounts.handle(3))
  }

  @Test func reportsEachCauseWithItsEvidence() async throws {
    let double = try FollowersDouble(1..<60)
    try await take(double)
    double.set(1, to: .unfollowed)
    double.set(2, to: .blocks)
    double.set(3, to: .blocksOnly)
    double.set(4, to: .blocksByList)
    double.set(5, to: .blockedByActor)
    double.set(6, to: .deactivated)
    double.set(7, to: .takenDown)
    double.set(8, to: .deleted)
    double.set(9, to: .suspendedAtServer)
    // A changed handle is not a loss, nor is an account that the AppView leaves out without a reason.
    double.set(10, to: .renamed)
    double.set(11, to: .leftOut)
    // An account that the AppView does not know has not unfollowed.
    double.set(12, to: .unknownToAppView)
    double.set(13, to: .nowhere)
    double.set(14, to: .unfollowedOnStaleList)
    let outcome = try #require(try await take(double).first)
    #expect(outcome.fault == nil)
    #expect(outcome.snapshot.counts.lost == 11 && outcome.snapshot.counts.unconfirmed == 2)
    #expect(
      try await losses() == [
        1: "unfollowed r:no-follow P:active",
        2: "blocked-by r:follows r:blocked-by",
        3: "blocked-by r:no-follow r:blocked-by",
        4: "blocked-by r:follows r:blocked-by-list P:active",
        5: "blocking r:follows r:blocking P:active",
        6: "deactivated r:follows p:deactivated",
        7: "suspended r:follows p:taken-down",
        8: "deleted r:no-follow p:not-found d:deleted",
        9: "suspended r:follows p:not-found d:registered s:suspended",
        13: "unknown r:no-follow p:not-found d:registered",
        14: "unfollowed r:no-follow r:blocked-by-list P:active",
      ])
  }

  /// A failed lookup is repeated next time, and is not a cause.
  @Test func concludesNothingFromAFailedLookup() async throws {
    let double = try FollowersDouble(1..<30)
    try await take(double)
    double.set(1, to: .deleted)
    double.change { $0.failing = ["app.bsky.actor.getProfiles"] }
    let outcome = try #require(try await take(double).first)
    #expect(outcome.snapshot.counts.counted == nil)
    #expect(outcome.snapshot.counts.lost == 0 && outcome.snapshot.counts.unconfirmed == 1)
    double.change { $0.failing = [] }
    try await take(double)
    #expect(try await losses() == [1: "deleted r:no-follow p:not-found d:deleted"])
  }

  /// The loss happened after the last snapshot without unconfirmed losses.
  @Test func datesALossByTheLastCertainSnapshot() async throws {
    let double = try FollowersDouble(1..<30)
    let start = double.client.time.instant
    try await take(double)
    try await double.client.time.sleep(for: .seconds(100))
    double.set(1, to: .unfollowed)
    double.change { $0.failing = ["app.bsky.graph.getRelationships"] }
    try await take(double)
    double.change { $0.failing = [] }
    try await double.client.time.sleep(for: .seconds(100))
    try await take(double)
    let story = try await History(store).changes(of: actor, about: Accounts.did(1))
    #expect(story.map(\.kind) == [.lost] && story.first.map { $0.after - start < .seconds(1) } == true)
  }

  @Test(arguments: ["app.bsky.graph.getFollowers", "app.bsky.graph.getRelationships"])
  func reportsNoLossIfAServerFails(method: String) async throws {
    let double = try FollowersDouble(1..<30)
    try await take(double)
    double.set(1, 2, 3, to: .unfollowed)
    double.change { $0.failing = [method] }
    let outcome = try #require(try await take(double).first)
    #expect(outcome.snapshot.counts.lost == 0)
    let isListed = method.hasSuffix("Relationships")
    #expect(outcome.snapshot.state == (isListed ? .complete : .failed))
    #expect((outcome.fault == nil) == isListed)
    #expect(outcome.snapshot.counts.unconfirmed == (isListed ? 3 : 0))
    // The next one finds it.
    double.change { $0.failing = [] }
    #expect(try await take(double).first?.snapshot.counts.lost == 3)
  }

  /// A page without a cursor is the end, even by a fault of the AppView: nothing is concluded about the
  /// rest.
  @Test func aTruncatedListingCausesNoLosses() async throws {
    let double = try FollowersDouble(1..<351)
    try await take(double)
    double.change { $0.mostPages = 1 }
    let outcome = try #require(try await take(double, full: true).first)
    #expect(outcome.snapshot.counts.lost == 0 && outcome.snapshot.counts.listed == 350)
    // A few were not asked about, as a server may have lost its data; their repositories have the follow.
    #expect(outcome.snapshot.counts.unconfirmed + outcome.snapshot.counts.doubted == 250)
  }

  @Test func reportsThatManyLookupsWereInconclusive() async throws {
    let double = try FollowersDouble(1..<101)
    try await take(double)
    double.change { state in
      for number in 1..<31 { state.accounts[number] = .unfollowed }
      state.failing = ["app.bsky.graph.getRelationships"]
    }
    let outcome = try #require(try await take(double).first)
    #expect(outcome.snapshot.counts.unconfirmed == 30 && outcome.snapshot.note != nil)
  }

  /// A record listing that leaves some out does so every time it is read.
  @Test(arguments: [0, 1])
  func anIncompleteRepositoryListingCausesNoLosses(_ listed: Int) async throws {
    let double = try FollowersDouble()
    let (follow, block) = ("app.bsky.graph.follow", "app.bsky.graph.block")
    double.change { state in
      for number in 1..<31 { state.put(follow, "3jui7kd5\(10_000 + number)", number) }
      for number in 40..<47 { state.put(block, "3jui7kd5\(10_000 + number)", number) }
    }
    try await take(double, .follows, .blocks)
    double.change { state in
      let row =
        #"{"uri":"at://\#(actor)/\#(follow)/3jui7kd510005","cid":"x","value":\#(state.records[follow]?[25].value ?? "")}"#
      state.answers["com.atproto.repo.listRecords"] = TransportResponse(
        #"{"records":[\#(listed == 0 ? "" : row)]}"#)
    }
    let second = try await take(double, .follows, .blocks, full: true)
    #expect(second.map(\.snapshot.counts.lost) == [0, 0])
    #expect(second.map(\.snapshot.counts.unconfirmed).last == 7)
    #expect(try await losses().isEmpty)
  }

  /// Before a repository is imported into a new server, that server has no records of it.
  @Test func acceptsAnEmptyRepositoryOnceItIsConfirmed() async throws {
    let double = try FollowersDouble()
    let block = "app.bsky.graph.block"
    double.change { state in
      for number in 40..<47 { state.put(block, "3jui7kd5\(10_000 + number)", number) }
    }
    try await take(double, .blocks)
    double.change { $0.records[block] = [] }
    let second = try #require(try await take(double, .blocks).first)
    #expect(second.snapshot.counts.lost == 0 && second.snapshot.counts.unconfirmed == 7)
    #expect(try await take(double, .blocks).first?.snapshot.counts.lost == 7)
  }

  /// A spam purge is accepted at once, because each account's own status shows it.
  @Test func acceptsAMassSuspension() async throws {
    let double = try FollowersDouble(1..<101)
    try await take(double)
    double.change { state in for number in 1..<81 { state.accounts[number] = .takenDown } }
    #expect(try await take(double, full: true).first?.snapshot.counts.lost == 80)
  }

  @Test func readsOnlyToKnownAccountsIfTheCountAgrees() async throws {
    let double = try FollowersDouble(1..<1_001)
    func calls() -> [String] { double.calls().filter { $0 != "getRelationships" } }
    #expect(try await take(double).first?.snapshot.extent == .full)
    _ = double.calls()
    let same = try #require(try await take(double).first)
    #expect(same.snapshot.extent == .incremental && same.snapshot.counts.listed == 1_000)
    #expect(calls() == ["getProfiles", "getFollowers"])
    double.set(1_001, 1_002, to: .follows)
    let more = try #require(try await take(double).first)
    #expect(more.snapshot.extent == .incremental && more.snapshot.counts.gained == 2)
    #expect(calls() == ["getProfiles", "getFollowers", "getFollowers"])
    // An account that left is not on the first page: the count shows it.
    double.set(1, to: .unfollowed)
    let fewer = try #require(try await take(double).first)
    #expect(fewer.snapshot.extent == .full && fewer.snapshot.counts.lost == 1)
  }

  @Test func readsEverythingOnceAWeekAndOnRequest() async throws {
    let double = try FollowersDouble(1..<201)
    try await take(double)
    #expect(try await take(double, full: true).first?.snapshot.extent == .full)
    #expect(try await take(double).first?.snapshot.extent == .incremental)
    // Another account has blocked the actor, which no count shows.
    double.set(5, to: .blocks)
    try await double.client.time.sleep(for: .seconds(6 * 86_400))
    #expect(try await take(double).first?.snapshot.extent == .incremental)
    try await double.client.time.sleep(for: .seconds(86_400))
    let weekly = try #require(try await take(double).first)
    #expect(weekly.snapshot.extent == .full && weekly.snapshot.counts.lost == 1)
  }

  /// With a clock that was ahead, the last full snapshot seems to be in the future.
  @Test func aClockThatIsSetBackPutsOffNoFullSnapshot() async throws {
    let double = try FollowersDouble(1..<201)
    double.setWall(wrongBy: .days(400))
    try await take(double)
    double.setWall(wrongBy: .zero)
    try await double.client.time.sleep(for: .seconds(86_400))
    // Another account has blocked the actor, which no count shows.
    double.set(5, to: .blocks)
    let second = try #require(try await take(double).first)
    #expect(second.snapshot.extent == .full && second.snapshot.counts.lost == 1)
    let change = try await History(store).changes(of: actor, about: Accounts.did(5)).first
    #expect(change.map { $0.after <= $0.before } == true)
  }

  @Test func aReturningAccountIsNotLost() async throws {
    let double = try FollowersDouble(1..<30)
    try await take(double)
    double.set(3, to: .deactivated)
    try await take(double, full: true)
    double.set(3, to: .follows)
    let outcome = try #require(try await take(double, full: true).first)
    #expect(outcome.snapshot.counts.gained == 1)
    let story = try await History(store).changes(of: actor, about: Accounts.did(3))
    #expect(story.map(\.kind) == [.lost, .returned])
  }

  @Test func learnsTheKeysOfNewFollowersOnRequest() async throws {
    let double = try FollowersDouble(1..<41)
    try await take(double)
    _ = double.calls()
    double.set(41, to: .follows)
    try await take(double, dates: true)
    #expect(double.calls().filter { $0 == "getRelationships" }.count == 1)
    let gains = try await History(store).changes(of: actor, about: Accounts.did(41))
    #expect(gains.map(\.edge.rkey?.description) == ["3jui7kd54zh2y"])
  }

  // MARK: Records

  @Test func theRepositoryDecidesAboutFollowsAndBlocks() async throws {
    let double = try FollowersDouble()
    let (follow, block) = ("app.bsky.graph.follow", "app.bsky.graph.block")
    double.change { state in
      for number in 1..<150 { state.put(follow, "3jui7kd5\(10_000 + number)", number) }
      for number in 200..<205 { state.put(block, "3jui7kd5\(10_000 + number)", number) }
    }
    let first = try await take(double, .follows, .blocks)
    #expect(first.map(\.snapshot.counts.listed) == [149, 5])
    #expect(first.map(\.snapshot.counts.counted) == [149, nil])
    double.change { state in
      state.records[follow]?.removeAll { $0.rkey.hasSuffix("10007") || $0.rkey.hasSuffix("10008") }
      // The record still exists, but its subject is unreadable.
      state.records[follow]?.append(("3jui7kd510008", "{}"))
      state.records[block]?.removeFirst()
    }
    let second = try await take(double, .follows, .blocks, full: true)
    #expect(second.map(\.snapshot.counts.lost) == [1, 1])
    #expect(second.map(\.snapshot.counts.unconfirmed) == [1, 0])
    #expect(second.map { $0.snapshot.note != nil } == [true, false])
    #expect(try await losses() == [7: "unfollowed l:no-record", 204: "removed l:no-record"])
  }

  /// A record that cannot be read is counted, but its account is not listed.
  @Test func countsRecordsThatCannotBeRead() async throws {
    let double = try FollowersDouble()
    let block = "app.bsky.graph.block"
    double.change { state in
      for number in 200..<205 { state.put(block, "3jui7kd5\(10_000 + number)", number) }
      state.records[block]?.append(("3jui7kd599998", "{}"))
      state.records[block]?.append(("3jui7kd599999", #"{"subject":7}"#))
    }
    let outcome = try #require(try await take(double, .blocks).first)
    #expect(outcome.snapshot.counts.listed == 5 && outcome.snapshot.counts.counted == 7)
    #expect(outcome.unreadable == 2 && outcome.snapshot.note != nil)
    double.change { $0.records[block]?.removeLast(2) }
    let sound = try #require(try await take(double, .blocks, full: true).first)
    #expect(sound.snapshot.counts.listed == 5 && sound.snapshot.counts.counted == nil)
    #expect(sound.unreadable == 0)
  }

  /// A server that lists the oldest first shows nothing new on its first page.
  @Test func readsAllOfARepositoryInAscendingOrder() async throws {
    let double = try FollowersDouble()
    let follow = "app.bsky.graph.follow"
    double.change { state in
      for number in (1..<250).reversed() { state.put(follow, "3jui7kd5\(10_000 + number)", number) }
    }
    try await take(double, .follows)
    // One left and another came: the count has not changed.
    double.change { state in
      state.put(follow, "3jui7kd599999", 999)
      var all = state.records[follow] ?? []
      all.append(all.removeFirst())
      all.removeFirst()
      state.records[follow] = all
    }
    let second = try #require(try await take(double, .follows).first)
    #expect(second.snapshot.extent == .full)
    #expect(second.snapshot.counts.gained == 1 && second.snapshot.counts.lost == 1)
  }

  @Test func takesASnapshotOfEachList() async throws {
    let double = try FollowersDouble()
    let (list, item) = ("app.bsky.graph.list", "app.bsky.graph.listitem")
    let uris = ["aa", "bb"].map { "at://\(actor)/\(list)/\($0)" }
    double.change { state in
      for key in ["aa", "bb"] {
        let fields =
          #""name":"\#(key)","purpose":"app.bsky.graph.defs#modlist","createdAt":"2025-01-01T00:00:00Z""#
        state.records[list, default: []].append((key, #"{"$type":"\#(list)",\#(fields)}"#))
      }
      for number in 1..<5 { state.put(item, "3jui7kd5\(10_000 + number)", number, list: uris[0]) }
      for number in 3..<9 { state.put(item, "3jui7kd5\(20_000 + number)", number, list: uris[1]) }
    }
    let first = try await take(double, .members)
    #expect(first.map(\.snapshot.listing.list?.description) == ["aa", "bb"])
    #expect(first.map(\.snapshot.counts.listed) == [4, 6])
    // A deleted list has lost all members.
    double.change { state in
      state.records[list]?.removeLast()
      state.records[item]?.removeAll { $0.value.contains(uris[1]) }
    }
    let second = try await take(double, .members)
    #expect(second.map(\.snapshot.counts.lost) == [0, 6])
    // An unreadable record may concern any account.
    double.change { state in
      state.records[item]?[0].value = "{}"
      state.records[item]?.append(("not a key", "{}"))
    }
    #expect(try await take(double, .members).map(\.snapshot.counts.unconfirmed) == [1, 0])
    // If the repository fails, each list reports it, and there are no losses.
    double.change { $0.failing = ["com.atproto.repo.listRecords"] }
    let third = try await take(double, .members)
    #expect(third.map(\.snapshot.state) == [.failed, .failed])
  }

  /// A list item may name a list of another account, whose key is that of an own list.
  @Test func membersOfListsOfOthersAreNotMembers() async throws {
    let double = try FollowersDouble()
    let (list, item) = ("app.bsky.graph.list", "app.bsky.graph.listitem")
    double.change { state in
      let fields = #""name":"a","purpose":"app.bsky.graph.defs#modlist","createdAt":"2025-01-01T00:00:00Z""#
      state.records[list] = [("aa", #"{"$type":"\#(list)",\#(fields)}"#)]
      for number in 1..<4 {
        state.put(item, "3jui7kd5\(10_000 + number)", number, list: "at://\(actor)/\(list)/aa")
      }
      for number in 4..<9 {
        state.put(item, "3jui7kd5\(20_000 + number)", number, list: "at://\(Accounts.did(99))/\(list)/aa")
      }
    }
    let taken = try await take(double, .members)
    #expect(taken.map(\.snapshot.counts.listed) == [3])
  }

  @Test func looksUpMutesThatAreNoLongerListed() async throws {
    let double = try FollowersDouble(1..<10)
    double.change { $0.muted = [1, 2, 3, 4] }
    try await take(double, .mutes)
    double.change { $0.muted = [1] }
    double.set(3, to: .deactivated)
    double.set(4, to: .deleted)
    let outcome = try #require(try await take(double, .mutes).first)
    #expect(outcome.snapshot.counts.lost == 3)
    #expect(
      try await losses() == [
        2: "removed P:not-muted", 3: "deactivated p:deactivated", 4: "deleted p:not-found d:deleted",
      ])
  }

  /// A muted list with the account does not keep the direct mute alive (Q9).
  @Test func distinguishesAMuteFromAMutedList() async throws {
    let double = try FollowersDouble(1..<10)
    double.change { $0.muted = [1] }
    try await take(double, .mutes)
    double.change { ($0.muted, $0.mutedByList) = ([], [1]) }
    #expect(try await take(double, .mutes).first?.snapshot.counts.lost == 1)
    #expect(try await losses() == [1: "removed P:muted-by-list"])
  }

  /// A mute that holds but is not listed shows that the listing is incomplete; then a muted list may hide
  /// others.
  @Test func concludesNothingAboutAMutedListIfMutesAreLeftOut() async throws {
    let double = try FollowersDouble(1..<10)
    double.change { $0.muted = [1, 2, 3] }
    try await take(double, .mutes)
    double.change { state in
      state.mutedByList = [1]
      state.answers["app.bsky.graph.getMutes"] = TransportResponse(#"{"mutes":[]}"#)
    }
    let outcome = try #require(try await take(double, .mutes).first)
    #expect(outcome.snapshot.counts.lost == 0 && outcome.snapshot.counts.unconfirmed == 3)
  }

  @Test func reportsUnreadableListsIfNoneIsKnown() async throws {
    let double = try FollowersDouble()
    double.change { $0.failing = ["com.atproto.repo.listRecords"] }
    await #expect(throws: RepositoryError.self) { try await take(double, .members) }
  }

  @Test func storesTheProfileCounts() async throws {
    let double = try FollowersDouble(1..<30)
    try await take(double)
    double.set(1, to: .unfollowed)
    try await double.client.time.sleep(for: .seconds(1))
    try await take(double)
    let counts = await store.counts(of: actor, since: 0)
    #expect(counts.map(\.value.followers) == [29, 28])
  }
}
