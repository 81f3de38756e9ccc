// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithHistory
@testable import KithRelationships

/// When the word of an AppView is not enough, and what the repositories of followers decide.
@Suite struct LossInquiryTests {
  private let store = InMemoryHistoryStore()
  private let actor = FollowersDouble.actor

  private func take(
    _ double: FollowersDouble, _ side: HistoryListing.Side = .followers, at appview: String? = nil
  ) async throws -> Snapshot {
    var taken: [Snapshot] = []
    let listings = try appview.map { try double.listings(at: $0) } ?? double.listings
    let recorder = SnapshotRecorder(listings, own: double.listings, store: store)
    try await recorder.takeSnapshots(of: actor, [side], .init(isFull: true)) { taken.append($0.snapshot) }
    return try #require(taken.first)
  }

  private func set(_ numbers: Range<Int>, of double: FollowersDouble, to standing: FollowersDouble.Standing) {
    double.change { state in for number in numbers { state.accounts[number] = standing } }
  }

  private func make(
    _ numbers: Range<Int>, of double: FollowersDouble, _ repository: FollowersDouble.Repository?
  ) {
    double.change { state in for number in numbers { state.repositories[number] = repository } }
  }

  // MARK: Answers

  /// The AppView says that the follows are gone, and counts as few; the repositories have them.
  @Test(arguments: [20, 60, 100]) func aFollowThatTheRepositoryHasIsNotLost(gone: Int) async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    set(1..<gone + 1, of: double, to: .forgotten)
    for _ in 1...3 {
      let snapshot = try await take(double)
      #expect(snapshot.counts.lost == 0 && snapshot.counts.listed == 200)
      // Nothing is open: each account is known to be there.
      #expect(snapshot.counts.unconfirmed == 0 && snapshot.note == nil && snapshot.counts.doubted == gone)
    }
    set(1..<gone + 1, of: double, to: .follows)
    let whole = try await take(double)
    #expect(whole.counts.gained == 0 && whole.counts.lost == 0 && whole.counts.doubted == 0)
  }

  /// No count is needed: the repositories say the same.
  @Test(arguments: [true, false]) func lossesThatRepositoriesConfirmAreBelievedAtOnce(
    hasCounts: Bool
  ) async throws {
    let double = try FollowersDouble(1..<201)
    double.change { $0.hasCounts = hasCounts }
    _ = try await take(double)
    set(1..<61, of: double, to: .unfollowed)
    if hasCounts { double.change { $0.counted = 200 } }
    let second = try await take(double)
    #expect(second.counts.lost == 60 && second.counts.unconfirmed == 0 && second.note == nil)
    let change = try await History(store).changes(of: actor, about: Accounts.did(1)).last
    let findings = change?.loss?.evidence.findings.map(\.description)
    #expect(findings == ["r:no-follow", "P:active", "l:no-record"])
  }

  /// A new follow has a new key, so the record of the known key alone proves nothing.
  @Test func aGoneKeyAloneProvesNothing() async throws {
    let double = try FollowersDouble(1..<101)
    _ = try await take(double)
    set(1..<21, of: double, to: .forgotten)
    make(1..<21, of: double, .renewed)
    #expect(try await take(double).counts.doubted == 20)
    // The new key is known from now on: one call for each.
    _ = double.calls()
    #expect(try await take(double).counts.doubted == 20)
    let calls = double.calls()
    #expect(calls.count { $0 == "getRecord" } == 20 && !calls.contains("listRecords"))
  }

  /// Without any answer, two full snapshots one after the other have to report the loss.
  @Test(arguments: [
    FollowersDouble.Repository.silent, .refusing, .long(pages: 20), .unreadable,
  ])
  func aRepositoryThatDecidesNothingDelaysALossOnce(repository: FollowersDouble.Repository) async throws {
    let double = try FollowersDouble(1..<101)
    double.change { $0.failing = ["app.bsky.graph.getRelationships"] }
    _ = try await take(double)
    double.change { $0.failing = [] }
    set(1..<5, of: double, to: .unfollowed)
    make(1..<5, of: double, repository)
    let first = try await take(double)
    #expect(first.counts.lost == 0 && first.counts.unconfirmed == 4 && first.note != nil)
    #expect(try await take(double).counts.lost == 4)
  }

  @Test func twentyPagesOfARepositoryAreRead() async throws {
    let double = try FollowersDouble(1..<101)
    double.change { $0.failing = ["app.bsky.graph.getRelationships"] }
    _ = try await take(double)
    double.change { $0.failing = [] }
    set(1..<5, of: double, to: .forgotten)
    make(1..<5, of: double, .long(pages: 19))
    _ = double.calls()
    #expect(try await take(double).counts.doubted == 4)
    #expect(double.calls().count { $0 == "listRecords" } == 4 * 20)
  }

  /// Of many, 40 are asked; each is decided by its answer, and the others wait.
  @Test func theOthersWaitIfMoreThanATenthOfTheAnswersContradict() async throws {
    let double = try FollowersDouble(1..<601)
    _ = try await take(double)
    set(1..<61, of: double, to: .forgotten)
    set(61..<121, of: double, to: .unfollowed)
    let second = try await take(double)
    let kept = second.counts.doubted - second.counts.unconfirmed
    #expect(second.counts.lost > 0 && kept > 0 && second.counts.lost + kept == RepositoryPoll.sampleSize)
    #expect(second.counts.unconfirmed == 80 && second.note != nil)
    // The AppView is whole again.
    set(1..<61, of: double, to: .follows)
    let third = try await take(double)
    #expect(third.counts.lost + second.counts.lost == 60 && third.counts.unconfirmed == 0)
  }

  @Test func theOthersAreBelievedIfRepositoriesAgree() async throws {
    let double = try FollowersDouble(1..<601)
    _ = try await take(double)
    set(1..<141, of: double, to: .unfollowed)
    _ = double.calls()
    let second = try await take(double)
    #expect(second.counts.lost == 140 && second.counts.unconfirmed == 0 && second.note == nil)
    #expect(double.calls().count { $0 == "listRecords" } == RepositoryPoll.sampleSize)
  }

  /// What was in doubt once is asked about again, however few they are; doubt ends account by account.
  @Test func doubtIsKeptForEachAccount() async throws {
    let double = try FollowersDouble(1..<101)
    _ = try await take(double)
    set(1..<11, of: double, to: .forgotten)
    #expect(try await take(double).counts.doubted == 10)
    // Only two are gone now, which would not be doubted by itself.
    set(3..<11, of: double, to: .follows)
    #expect(try await take(double).counts.doubted == 2)
    set(1..<2, of: double, to: .unfollowed)
    let last = try await take(double)
    #expect(last.counts.lost == 1 && last.counts.doubted == 1 && last.counts.listed == 99)
  }

  /// Another AppView than before is not believed about any account.
  @Test func anotherAppViewMakesEachLossDoubtful() async throws {
    let double = try FollowersDouble(1..<101)
    #expect(try await take(double).appview == "https://appview.test")
    set(1..<3, of: double, to: .forgotten)
    let other = try await take(double, at: "https://other.test")
    #expect(other.appview == "https://other.test" && other.counts.lost == 0 && other.counts.doubted == 2)
    // Their doubt stays with them.
    #expect(try await take(double, at: "https://other.test").counts.doubted == 2)
    set(3..<5, of: double, to: .forgotten)
    let same = try await take(double, at: "https://other.test")
    #expect(same.counts.doubted == 4 && same.counts.lost == 0)
  }

  /// A snapshot in between that finds everything ends the doubt.
  @Test func aSoundSnapshotInBetweenStartsOver() async throws {
    let double = try FollowersDouble(1..<101)
    make(1..<101, of: double, .silent)
    _ = try await take(double)
    set(1..<61, of: double, to: .unfollowed)
    #expect(try await take(double).counts.unconfirmed == 60)
    set(1..<61, of: double, to: .follows)
    #expect(try await take(double).counts.unconfirmed == 0)
    set(1..<61, of: double, to: .unfollowed)
    #expect(try await take(double).counts.unconfirmed == 60)
    #expect(try await take(double).counts.lost == 60)
  }

  /// Repetition is that of each account: new ones do not put off those that were withheld before.
  @Test func newDoubtsDoNotPutOffEarlierOnes() async throws {
    let double = try FollowersDouble(1..<201)
    make(1..<201, of: double, .silent)
    _ = try await take(double)
    set(1..<21, of: double, to: .unfollowed)
    #expect(try await take(double).counts.unconfirmed == 20)
    set(21..<51, of: double, to: .unfollowed)
    let third = try await take(double)
    #expect(third.counts.lost == 20 && third.counts.unconfirmed == 30)
    #expect(try await take(double).counts.lost == 30)
  }

  /// A doubt about follows does not concern what is proven by itself.
  @Test func provenLossesAreNeverWithheld() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    make(1..<41, of: double, .silent)
    set(1..<41, of: double, to: .unfollowed)
    set(41..<46, of: double, to: .deleted)
    set(46..<51, of: double, to: .blocks)
    set(51..<56, of: double, to: .deactivated)
    let second = try await take(double)
    #expect(second.counts.lost == 15 && second.counts.unconfirmed == 40)
  }

  /// A doubt of another kind does not make the next loss of all followers believable.
  @Test func anEarlierNoteOfAnotherReasonConfirmsNothing() async throws {
    let double = try FollowersDouble(1..<201)
    _ = try await take(double)
    set(1..<20, of: double, to: .leftOut)
    #expect(try await take(double).note != nil)
    set(1..<201, of: double, to: .forgotten)
    let empty = try await take(double)
    #expect(empty.counts.lost == 0 && empty.counts.doubted == 200)
  }

  // MARK: Counts

  @Test func countsShareTheDoubtOfTheirSnapshot() async throws {
    let double = try FollowersDouble(1..<201)
    let recorder = SnapshotRecorder(double.listings, store: store)
    _ = try await take(double)
    set(1..<201, of: double, to: .forgotten)
    try await double.client.time.sleep(for: .seconds(100))
    _ = try await take(double)
    // A count that is read without a snapshot is one of the same AppView.
    try await double.client.time.sleep(for: .seconds(100))
    _ = try await recorder.recordCounts(of: actor)
    set(1..<201, of: double, to: .follows)
    try await double.client.time.sleep(for: .seconds(100))
    _ = try await take(double)
    let counts = await store.counts(of: actor, since: .distantPast)
    #expect(counts.map(\.value.followers) == [200, 0, 0, 200])
    #expect(counts.map(\.isDoubted) == [false, true, true, false])
  }

  @Test func theRepositoryDecidesAboutOwnFollowsWhateverAnAppViewCounts() async throws {
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
  /// accounts and 40 repositories show what is the matter, each time.
  @Test(arguments: [FollowersDouble.Standing.forgotten, .unknownToAppView])
  func anEmptiedAppViewCostsOneBatch(standing: FollowersDouble.Standing) async throws {
    let double = try FollowersDouble(1..<1_001)
    _ = try await take(double)
    set(1..<1_001, of: double, to: standing)
    for _ in 1...3 {
      _ = double.calls()
      let empty = try await take(double)
      #expect(empty.counts.lost == 0 && empty.counts.listed == 1_000 && empty.note != nil)
      #expect(empty.counts.unconfirmed == 1_000 - RepositoryPoll.sampleSize)
      // The profile and the listing; 240 accounts at 30 and 25 a call, one or two calls for each repository, and three
      // for each unknown account.
      let most = 20 + 2 * RepositoryPoll.sampleSize + (standing == .forgotten ? 0 : 3 * 240)
      #expect(double.calls().count <= most)
    }
  }

  /// Accounts that were not asked about have their turn later, and those that return are there.
  @Test func anEmptiedAppViewThatFillsAgainLosesOnlyWhoIsGone() async throws {
    let double = try FollowersDouble(1..<1_001)
    _ = try await take(double)
    set(1..<1_001, of: double, to: .forgotten)
    #expect(try await take(double).counts.doubted == 1_000)
    set(1..<999, of: double, to: .follows)
    set(999..<1_001, of: double, to: .unfollowed)
    let third = try await take(double)
    #expect(third.counts.lost == 2 && third.counts.unconfirmed == 0 && third.counts.listed == 998)
  }

  /// A purge of spam is proven account by account, even if most of the followers are gone.
  @Test func aMassSuspensionIsNotAnOutage() async throws {
    let double = try FollowersDouble(1..<1_001)
    _ = try await take(double)
    set(1..<801, of: double, to: .takenDown)
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

  /// A large account gets the keys of its followers little by little, and as a sample whose dates statistics can use.
  @Test func keysAreLearnedOnTheWay() async throws {
    let double = try FollowersDouble(1..<701)
    func known(_ snapshot: Snapshot) async throws -> Set<DID> {
      Set(
        await store.edges(of: snapshot.listing, at: snapshot.id, after: nil, most: .max)
          .filter { $0.rkey != nil }.map(\.account))
    }
    let first = try await take(double)
    let keyed = try await known(first)
    #expect(keyed.count == 300 && double.calls().count { $0 == "getRelationships" } == 10)
    let sample = try #require(await store.snapshots(of: first.listing).last?.dateSample)
    #expect(Set((1..<701).map(Accounts.did).filter(sample.contains)) == keyed)
    #expect(try await known(try await take(double)).count == 600)
    _ = double.calls()
    let last = try await take(double)
    #expect(try await known(last).count == 700)
    #expect(await store.snapshots(of: first.listing).last?.dateSample == .all)
    #expect(double.calls().count { $0 == "getRelationships" } == 4)
  }

  /// A sample of those with a known key alone would say nothing about the others.
  @Test func knownKeysAreAskedFirstButNotMoreOften() throws {
    let key = try RecordKey(parsing: "3jui7kd54zh2y")
    let edges = (1...200).map { HistoryEdge(Accounts.did($0), rkey: $0 > 170 ? key : nil) }
    var (one, other) = (SeededGenerator(seed: 1), SeededGenerator(seed: 2))
    func chosen(_ most: Int, _ random: inout SeededGenerator) -> [HistoryEdge] {
      RepositoryPoll.chosen(of: edges, most: most) { Double.random(in: 0..<1, using: &random) }
    }
    let first = chosen(2_000, &one)
    let keyed = first.prefix { $0.rkey != nil }.count
    #expect(
      first.count == 40 && Set(first).count == 40 && first.dropFirst(keyed).allSatisfy { $0.rkey == nil })
    #expect((1...15).contains(keyed))
    #expect(Set(chosen(2_000, &other)) != Set(first))
    #expect(chosen(7, &one).count == 7 && chosen(0, &one).isEmpty)
    #expect(RepositoryPoll.chosen(of: Array(edges.prefix(100)), most: 2_000) { 0.5 }.count == 100)
  }
}
