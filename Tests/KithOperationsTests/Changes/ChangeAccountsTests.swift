// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import KithWriting
@testable import SandboxSupport

/// Follows, blocks and mutes, from the request to the records of the network.
@Suite struct ChangeAccountsTests {
  private let alice: ServedUser
  private var network: FaultyNetwork { alice.network }

  init() async throws { alice = try await ServedUser(on: FaultyNetwork()) }

  private static let commit = "com.atproto.repo.applyWrites"
  private static let first = JobID(number: 1)

  private func change(
    _ kind: ChangeAccounts.Kind, _ names: String..., lasting lifetime: Duration? = nil
  ) async throws -> OperationRun<Change<ChangeAccounts>> {
    var change = Change(ChangeAccounts(kind, .cast(names)))
    change.lifetime = lifetime
    let run = try await alice.run(change)
    #expect(run.questions.isEmpty)
    return run
  }

  private func states(_ job: JobID = first) async throws -> [ChangeRow.State] {
    try await alice.run(ShowJob(job)).rows.map(\.state)
  }

  // MARK: Rows and records

  @Test func onlyNewAccountsAreFollowed() async throws {
    let run = try await change(.follow(), "bob", "dave", "unknown")
    #expect(run.outcome.ending == .done)
    #expect(run.rows.map(\.state) == [.unchanged, .done, .notFound])
    #expect(run.rows.map(\.input) == ["bob.test", "dave.test", "unknown.test"])
    #expect(run.rows.map(\.job) == [nil, Self.first, nil])
    let made = try #require(run.rows[1].writes.first)
    #expect(made.word == "create")
    #expect(try made.uri(in: alice.did("alice")) == alice.record(.follow, about: "dave"))
    #expect(run.outcome.tally.rows == 3)
    #expect(run.outcome.tally.counts == [.done: 1, .unchanged: 1, .notFound: 1])
  }

  @Test func anExistingRelationshipCostsNoWriteAndNoJob() async throws {
    let run = try await change(.follow(), "bob", "carol")
    #expect(run.outcome.ending == .done && run.outcome.job == nil)
    #expect(run.rows.map(\.state) == [.unchanged, .unchanged] && run.rows.allSatisfy { $0.job == nil })
    #expect(run.calls[Self.commit] == nil)
    #expect(try await alice.run(ListJobs(all: true)).rows.isEmpty)
  }

  @Test func blockAndUnfollowAreOneCommit() async throws {
    let run = try await change(.block(), "bob")
    let row = try #require(run.rows.first)
    #expect(run.outcome.ending == .done && row.writes.map(\.word) == ["create", "delete"])
    // Bob follows her, and she follows him on Tangled and Cosmik, too.
    #expect(row.notes.map(\.code) == [.followerStays, .staysElsewhere])
    #expect(run.calls[Self.commit] == 1)
    #expect(try alice.record(.follow, about: "bob") == nil)
    #expect(try row.writes.first?.uri(in: alice.did("alice")) == alice.record(.block, about: "bob"))
    let back = try await change(.unblock, "bob")
    #expect(back.rows.first?.notes.map(\.code) == [.followsStayGone])
    #expect(try alice.record(.follow, about: "bob") == nil)
  }

  @Test func undoRestoresExactlyWhatAJobDeleted() async throws {
    let before = try alice.records(.follow)
    #expect(try await change(.block(), "bob").outcome.ending == .done)
    #expect(try alice.records(.follow) != before)
    #expect(try await alice.run(UndoJob(Self.first)).outcome.ending == .done)
    #expect(try alice.records(.follow) == before && alice.record(.follow, about: "bob") != nil)
    #expect(try alice.record(.block, about: "bob") == nil)
    #expect(try await states() == [.undone])
    // A program that tries again must be able to tell this from wrong usage.
    let again = try await alice.run(UndoJob(Self.first))
    guard case .undoneBefore(Self.first) = again.outcome else {
      Issue.record("it ended otherwise: \(again.outcome)")
      return
    }
    #expect(again.outcome.ending == .done && again.rows.map { $0.counts[.undone] } == [1])
  }

  @Test func aPreviewShowsTheRecordsAndWritesNone() async throws {
    let run = try await alice.previewed(ChangeAccounts(.follow(), .cast("dave")))
    #expect(run.rows.map(\.state) == [.planned])
    guard case .create(let record)? = run.rows.first?.writes.first?.action else {
      Issue.record("no record")
      return
    }
    #expect(record.type == "app.bsky.graph.follow" && record["createdAt"]?.string != nil)
    #expect(try alice.record(.follow, about: "dave") == nil && network.live.tally.commits == 0)
  }

  @Test func aMissingAccountIsNotFollowed() async throws {
    // A record about a DID that does not exist would be useless.
    let missing = "\(Accounts.did(77_777))"
    func named(_ names: String...) -> AccountChoice {
      AccountChoice(TargetStream(origins: names.map { .argument($0) }))
    }
    let alone = try await alice.run(Change(ChangeAccounts(.follow(), named(missing))))
    #expect(alone.outcome.ending.failure == .notFound && alone.rows.map(\.state) == [.notFound])
    #expect(network.live.tally.commits == 0)
    let both = try await alice.confirmed(ChangeAccounts(.block(), named(missing, "niaj.test")))
    #expect(both.outcome.ending == .done && both.rows.map(\.state) == [.notFound, .done])
    // Records about a deleted account can still be removed.
    let removed = try await alice.run(Change(ChangeAccounts(.unfollow(), named(missing))))
    #expect(removed.rows.map(\.state) == [.unchanged])
  }

  @Test func anUnknownNameIsAFailureOnlyIfItIsTheOnlyOne() async throws {
    let run = try await change(.follow(), "unknown")
    #expect(run.outcome.ending == .partly(.notFound) && run.rows.map(\.fault) == ["identity.notFound"])
  }

  @Test func everyInvalidNameIsReportedBeforeAnyChange() async throws {
    let lines = InMemorySource("dave.test\nno one\nniaj.test\n@\n", named: "stdin")
    let names = AccountChoice(TargetStream(origins: [.file(lines, column: nil)]))
    let refused = try await alice.failure(of: Change(ChangeAccounts(.follow(), names)))
    #expect(refused.code == "invalidNames" && refused.kind == .invalidInput)
    #expect(refused.notes.map(\.code) == ["invalidInput", "invalidInput"])
    #expect(refused.notes.map { $0.fields["place"] } == [.string("stdin:2"), .string("stdin:4")])
    #expect(try alice.record(.follow, about: "dave") == nil)
  }

  // MARK: Refusals

  @Test(arguments: [
    (ChangeAccounts.Kind.follow(), "alice", ChangeRefusal.Code.oneself),
    (.unblock, "heidi", .blockedByList),
  ])
  func whatCannotBeIsRefused(kind: ChangeAccounts.Kind, name: String, code: ChangeRefusal.Code) async throws {
    let run = try await change(kind, name)
    #expect(run.outcome.ending.failure == .notAllowed)
    #expect(run.rows.map(\.state) == [.refused] && run.rows.map(\.refusal) == [code])
    #expect(network.live.tally.commits == 0)
  }

  @Test func unmutingOnePartLeavesOtherMutesAlone() async throws {
    #expect(try await change(.mute(.reposts), "bob").outcome.ending == .done)
    #expect(try await change(.mute(), "carol").outcome.ending == .done)
    let run = try await change(.unmute(.reposts), "bob", "carol", "dave")
    #expect(run.outcome.ending.failure == .notAllowed)
    #expect(run.rows.map(\.state) == [.done, .refused, .unchanged])
    #expect(try await change(.unmute(), "carol").rows.map(\.state) == [.done])
  }

  // MARK: Questions

  @Test func removingSeveralIsAskedAbout() async throws {
    let unfollow = ChangeAccounts(.unfollow(), .cast("bob", "carol"))
    let declined = try await alice.run(Change(unfollow))
    #expect(declined.outcome.ending == .declined && declined.rows.isEmpty)
    #expect(declined.questions.map(\.code) == ["change"])
    #expect(try alice.record(.follow, about: "bob") != nil)
    let done = try await alice.run(Change(unfollow)) { _ in true }
    #expect(done.outcome.ending == .done && done.questions.count == 1)
    #expect(try alice.record(.follow, about: "bob") == nil && alice.record(.follow, about: "carol") == nil)
  }

  @Test func moreThan200FollowsAreAskedAbout() async throws {
    let alice = try await ServedUser(on: FaultyNetwork(accounts: 500))
    let before = try alice.records(.follow)
    let followed = Set(before.values.compactMap { $0["subject"]?.string })
    let names = alice.network.accounts.accounts.dropFirst(14).map(\.did.description)
      .filter { !followed.contains($0) }.prefix(201)
    try #require(names.count == 201)
    func follow(_ names: some Sequence<String>) -> Change<ChangeAccounts> {
      let file = InMemorySource(names.joined(separator: "\n"), named: "stdin")
      return Change(
        ChangeAccounts(.follow(), AccountChoice(TargetStream(origins: [.file(file, column: nil)]))))
    }
    let asked = try await alice.run(follow(names))
    #expect(asked.outcome.ending == .declined && asked.questions.map(\.code) == ["change"])
    #expect(try alice.records(.follow) == before)
    let fewer = try await alice.run(follow(names.dropLast()))
    #expect(fewer.outcome.ending == .done && fewer.questions.isEmpty)
    #expect(try alice.records(.follow).count == before.count + 200)
  }

  // MARK: Limits

  private func follow(
    _ names: String..., within limit: WriteLimit? = nil
  ) async throws -> OperationRun<Change<ChangeAccounts>> {
    var change = Change(ChangeAccounts(.follow(), .cast(names)))
    change.options = JobOptions(limit: limit, stopsWhenShort: limit != nil)
    return try await alice.run(change)
  }

  private func resume(_ job: JobID, within limit: WriteLimit?) async throws -> JobRunOutcome {
    try await alice.run(RunJob(job, options: JobOptions(limit: limit, stopsWhenShort: true))).outcome
  }

  private static let enough = WriteLimit(perHour: 5_000, perDay: 35_000)

  @Test func anExhaustedBudgetEndsTheRunWithATime() async throws {
    let run = try await follow(
      "dave", "niaj", "trent", "judy", within: WriteLimit(perHour: 6, perDay: 6, leave: 0))
    #expect(run.outcome.ending == .interrupted(.failed(.tryLater)))
    #expect(run.rows.map(\.state) == [.done, .done, .pending, .pending])
    guard case .stopped(let stop)? = run.outcome.end else {
      Issue.record("it ended otherwise: \(run.outcome)")
      return
    }
    #expect(run.outcome.job?.id == Self.first && stop.code == .budget && stop.until != nil)
    #expect(try await resume(Self.first, within: Self.enough).ending == .done)
    #expect(try await states() == [.done, .done, .done, .done])
  }

  @Test func aLimitOfChangesEndsTheRunWithATimeAndCountsThatKindAlone() async throws {
    #expect(try await change(.mute(), "mallory").outcome.ending == .done)
    let run = try await follow(
      "dave", "niaj", "trent", "judy", within: WriteLimit(changesPerDay: 3))
    #expect(run.outcome.ending.failure == .tryLater)
    #expect(run.rows.map(\.state) == [.done, .done, .done, .pending])
    let job = try #require(run.outcome.job).id
    // The job keeps its limit.
    for limit in [nil, WriteLimit(changesPerHour: 3)] {
      #expect(try await resume(job, within: limit).ending.failure == .tryLater)
    }
    #expect(try await states(job).count { $0 == .done } == 3)
    #expect(try await resume(job, within: WriteLimit(changesPerHour: 100)).ending == .done)
  }

  @Test func pendingItemsOfAJobAreNotPlannedAgain() async throws {
    let names = ["dave", "niaj", "judy"]
    let limit = WriteLimit(perHour: 3, perDay: 3, leave: 0)
    #expect(try await follow("dave", "niaj", "judy", within: limit).outcome.ending.failure == .tryLater)
    let again = try await alice.run(Change(ChangeAccounts(.follow(), .cast(names))))
    #expect(again.outcome.ending.failure == .tryLater)
    #expect(again.rows.map(\.state) == [.unchanged, .pending, .pending])
    #expect(again.outcome.tally.rows == 3 && again.outcome.tally.counts == [.unchanged: 1, .pending: 2])
    #expect(try await resume(Self.first, within: Self.enough).ending == .done)
    let late = try await resume(Self.first, within: nil)
    #expect(late.ending == .done && late.end == nil)
    let follows = try alice.records(.follow).values.compactMap { $0["subject"]?.string }
    #expect(follows.count == Set(follows).count)
  }

  @Test func aJobOfAnotherAccountIsNotTouched() async throws {
    let limit = WriteLimit(perHour: 3, perDay: 3, leave: 0)
    #expect(try await follow("dave", "niaj", within: limit).outcome.ending.failure == .tryLater)
    try await alice.signIn("bob")
    func kind(of operation: some KithOperation) async throws -> FailureKind? {
      let bob = alice.workspace().acting(as: try alice.actor("bob"))
      return try await alice.failure(of: operation, in: bob).kind
    }
    for isFinal in [false, true] {
      #expect(try await kind(of: StopJob(Self.first, finally: isFinal)) == .notAllowed)
    }
    #expect(try await kind(of: ShowJob(Self.first)) == .notAllowed)
    #expect(try await kind(of: RunJob(Self.first)) == .notAllowed)
    #expect(try await resume(Self.first, within: Self.enough).ending == .done)
  }

  // MARK: Ends

  @Test func aTimedMuteEndsWhenItIsDue() async throws {
    #expect(try await change(.mute(.reposts), "bob", lasting: .seconds(300)).outcome.ending == .done)
    #expect(try await alice.run(EndDueJobs(onlyListing: true)).rows.isEmpty)
    network.clock.advance(by: .seconds(600))
    #expect(try await alice.run(EndDueJobs(onlyListing: true)).rows.map(\.job.id) == [Self.first])
    #expect(try await states() == [.done])
    #expect(try await alice.run(EndDueJobs()).outcome.ending == .done)
    #expect(try await states() == [.undone])
    #expect(try await alice.run(EndDueJobs()).rows.isEmpty)
  }

  /// Repeating a timed change without a time makes it permanent; with another time, it moves the end.
  @Test(arguments: [(ChangeAccounts.Kind.block(), "dave"), (.mute(), "bob")])
  func aTimedChangeTakesTheLatestEnd(kind: ChangeAccounts.Kind, name: String) async throws {
    let store = try alice.workspace().jobStore()
    func end() async throws -> Datetime? { try await store.job(Self.first).until }
    #expect(try await change(kind, name, lasting: .seconds(3_600)).outcome.ending == .done)
    let first = try #require(try await end())
    let commits = network.live.tally.commits
    #expect(try await change(kind, name, lasting: .days(7)).rows.map(\.state) == [.done])
    let second = try #require(try await end())
    #expect(second.instant > first.instant + .days(6))
    // A preview changes nothing.
    let planned = try await alice.previewed(ChangeAccounts(kind, .cast(name)))
    #expect(planned.rows.map(\.state) == [.planned])
    #expect(try await end() == second)
    let lasting = try await change(kind, name)
    #expect(lasting.rows.map(\.state) == [.done])
    #expect(lasting.rows.first?.notes.contains { $0.code == .endDropped } == true)
    #expect(try await end() == nil)
    #expect(network.live.tally.commits == commits)
    #expect(try await store.due(at: second.instant + .microseconds(1)).isEmpty)
    #expect(try await change(kind, name).rows.map(\.state) == [.unchanged])
    #expect(try await change(kind, name, lasting: .days(2)).rows.map(\.state) == [.done])
    #expect(try await end() != nil)
    // A relationship without a job stays.
    let other = try await change(.block(), "erin", lasting: .days(30))
    #expect(other.rows.first?.notes.contains { $0.code == .keepsItsEnd } == true)
  }
}
