// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: points of the write budget are counted per account, and never fewer than were
/// spent.
@Suite struct JournalBudgetTests {
  private static let hour: Int64 = 3_600_000_000
  private static let day: Int64 = 86_400_000_000

  private func left(
    _ store: any JobStore, _ limit: WriteLimit = WriteLimit(leave: 0), at now: Instant
  ) async throws -> Int {
    try await store.budget(of: Accounts.did(0), within: limit, counting: nil, at: now).left(at: now)
  }

  /// Its points are set aside already.
  @Test(arguments: JournalUnderTest.all)
  func beginsACommitInDoubtAgainWithPointsForOne(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<1), at: place.now).id
    let limit = WriteLimit(perHour: 3, perDay: 3, leave: 0)
    #expect(try await store.begin(1, 0..<1, of: job, within: limit, at: place.now) == .begun)
    #expect(try await place.reopen().begin(1, 0..<1, of: job, within: limit, at: place.now) == .begun)
    #expect(try await left(store, limit, at: place.now) == 0)
  }

  @Test(arguments: JournalUnderTest.all)
  func setsPointsAsideAndKeepsWhatWasPaid(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<9), at: place.now).id
    _ = try await store.start(job)
    _ = try await store.begin(1, 0..<3, of: job, at: place.now)
    #expect(try await place.reopen().pointsCounted(at: place.now) == 9)
    try await store.record(
      JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .done, 2: .done]), of: job)
    #expect(try await place.reopen().pointsCounted(at: place.now) == 9)
    // The number of a settled commit is free for the next one, which is counted separately.
    _ = try await store.begin(1, 3..<5, of: job, at: place.now)
    #expect(try await store.pointsCounted(at: place.now) == 15)
    try await store.record(JobOutcome(commit: 1, isPaid: false, states: [3: .pending, 4: .pending]), of: job)
    #expect(try await place.reopen().pointsCounted(at: place.now) == 9)
  }

  @Test(arguments: JournalUnderTest.all)
  func countsByAccountAndNotByJobOrHandle(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (one, other) = (try place.reopen(), try place.reopen())
    let first = try await one.addJob(ChangeSamples.drafts(0..<4), at: place.now).id
    let second = try await other.addJob(ChangeSamples.drafts(4..<8), at: place.now).id
    let foreign = try await one.addJob(ChangeSamples.drafts(0..<4), of: Accounts.did(1), at: place.now).id
    for job in [first, second, foreign] { _ = try await one.start(job) }
    // Commits of two jobs may have the same number.
    _ = try await one.begin(1, 0..<1, of: first, at: place.now)
    _ = try await other.begin(1, 0..<2, of: second, at: place.now)
    _ = try await one.begin(1, 0..<4, of: foreign, at: place.now)
    try await other.spend(7, of: Accounts.did(0), at: place.now)
    for store in [one, other] {
      #expect(try await store.pointsCounted(at: place.now) == 3 + 6 + 7)
      #expect(try await store.pointsCounted(of: Accounts.did(1), at: place.now) == 12)
      #expect(try await store.pointsCounted(of: Accounts.did(2), at: place.now) == 0)
    }
    let little = WriteLimit(perHour: 18, perDay: 100, leave: 0)
    #expect(
      try await one.begin(2, 1..<2, of: first, within: little, at: place.now)
        == .short(left: 2, until: place.now + Self.hour))
  }

  @Test(arguments: JournalUnderTest.all)
  func aCommitBeyondTheLimitOfTheUserIsNotBegun(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let limit = WriteLimit(perHour: 5, perDay: 100, leave: 0)
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    _ = try await store.start(job)
    // The server allows far more.
    var fields = HTTPFields()
    for (name, value) in [("limit", "5000"), ("remaining", "4990"), ("policy", "5000;w=3600")] {
      fields[try #require(HTTPField.Name("RateLimit-\(name)"))] = value
    }
    fields[try #require(HTTPField.Name("RateLimit-Reset"))] = "\(place.now.secondsSinceEpoch + 600)"
    let told = try #require(RateLimit(fields, at: place.now))
    try await store.observed(told, of: Accounts.did(0), at: place.now)
    #expect(
      try await store.begin(1, 0..<2, of: job, within: limit, at: place.now) == .short(left: 5, until: nil))
  }

  /// Changes of all jobs count, also of those that run without such a limit.
  @Test(arguments: JournalUnderTest.all)
  func aCommitWithMoreChangesThanAreAllowedIsNotBegun(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let (one, other) = (
      try await store.addJob(ChangeSamples.drafts(0..<3), at: place.now).id,
      try await store.addJob(ChangeSamples.drafts(3..<9), at: place.now).id
    )
    for job in [one, other] { _ = try await store.start(job) }
    #expect(try await store.begin(1, 0..<3, of: one, at: place.now) == .begun)
    let limit = WriteLimit(leave: 0, changesPerHour: 5)
    let later = try place.reopen()
    #expect(
      try await later.begin(1, 0..<3, of: other, within: limit, at: place.now)
        == .short(left: 4_991, changes: 2, until: place.now + Self.hour))
    #expect(try await later.begin(1, 0..<2, of: other, within: limit, at: place.now) == .begun)
    #expect(
      try await later.begin(2, 2..<6, of: other, within: limit, at: place.now + Self.hour) == .begun)
  }

  /// Follows count against follows: two processes share the limit, and another kind does not use it up.
  @Test(arguments: JournalUnderTest.all)
  func onlyChangesOfItsOwnKindsCountAgainstAJob(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let limit = WriteLimit(leave: 0, changesPerDay: 5)
    let removals = (10..<20).map { number in
      JobItemDraft(
        input: "x",
        step: ChangeStep(
          subject: .account(Accounts.did(number)), action: .write([ChangeSamples.delete(number)])))
    }
    let store = try place.reopen()
    let other = try await store.addJob(removals, at: place.now)
    let (one, two) = (
      try await store.addJob(ChangeSamples.drafts(0..<4), at: place.now),
      try await place.reopen().addJob(ChangeSamples.drafts(4..<8), at: place.now)
    )
    #expect(one.kinds == two.kinds && one.kinds?.count == 1 && other.kinds?.count == 1)
    #expect(try await store.begin(1, 0..<10, of: other.id, at: place.now) == .begun)
    #expect(try await store.begin(1, 0..<4, of: one.id, within: limit, at: place.now) == .begun)
    #expect(
      try await place.reopen().begin(1, 0..<4, of: two.id, within: limit, at: place.now)
        == .short(left: 4_978, changes: 1, until: place.now + Self.day))
    let left = try await place.reopen().budget(
      of: Accounts.did(0), within: limit, counting: other.kinds, at: place.now)
    #expect(left.changesLeft(at: place.now) == 0)
    #expect(try await place.reopen().job(two.id).kinds == two.kinds)
  }

  /// A clock that is two days behind, or was two days ahead, makes no room in a day, and takes none for longer than a day.
  @Test(arguments: JournalUnderTest.all)
  func aClockThatIsSetDoesNotEmptyALimitOfChanges(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let limit = WriteLimit(leave: 0, changesPerDay: 3)
    func changesLeft(at now: Instant) async throws -> Int {
      try await place.reopen().budget(
        of: Accounts.did(0), within: limit, counting: nil, at: now
      ).changesLeft(at: now)
    }
    func make(_ range: Range<Int>, at now: Instant) async throws -> CommitReservation {
      let store = try place.reopen()
      let job = try await store.addJob(ChangeSamples.drafts(range), at: now).id
      let begun = try await store.begin(1, 0..<range.count, of: job, within: limit, at: now)
      if begun == .begun {
        let states = Dictionary(uniqueKeysWithValues: (0..<range.count).map { ($0, JobItemState.done) })
        try await store.record(JobOutcome(commit: 1, isPaid: true, states: states), of: job, at: now)
      }
      return begun
    }
    let now = place.now
    #expect(try await make(0..<2, at: now) == .begun)
    // Two days behind: what was made today still counts, until a day has passed by that clock.
    let behind = now - 2 * Self.day
    #expect(try await changesLeft(at: behind) == 1)
    guard case .short(_, 1, let until?) = try await make(2..<4, at: behind) else {
      Issue.record("a change too many was begun")
      return
    }
    #expect(until == behind + Self.day)
    #expect(try await changesLeft(at: behind + Self.day) == 3)
    // It is right again: nothing was forgotten.
    #expect(try await changesLeft(at: now + 1) == 1)
    // Two days ahead, those of today are old; they are not deleted.
    #expect(try await make(2..<4, at: now + 2 * Self.day) == .begun)
    #expect(try await changesLeft(at: now + 2) == 0)
    _ = try await make(4..<5, at: now + 2)
    #expect(try await changesLeft(at: now + 2 + Self.day) == 3)
  }

  @Test(arguments: JournalUnderTest.all)
  func aJobKeepsItsLimitOfChanges(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let limit = WriteLimit(leave: 0, changesPerHour: 5, changesPerDay: 9)
    var draft = JobDraft(account: Accounts.did(0), title: "follow")
    draft.limit = limit
    let job = try await place.reopen().create(
      draft, ChangeSamples.drafts(0..<2), isWhole: true, at: place.now
    ).id
    #expect(try await place.reopen().job(job).limit == limit)
    let other = WriteLimit(leave: 10, changesPerDay: 3)
    _ = try await place.reopen().start(job, limit: other)
    #expect(try await place.reopen().job(job).limit == other)
  }

  @Test(arguments: JournalUnderTest.all)
  func givesPointsBackAnHourAndADayLater(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let allowance = WriteLimit(perHour: 100, perDay: 150, leave: 0)
    let start = place.now
    try await store.spend(60, of: Accounts.did(0), at: start)
    #expect(try await left(store, allowance, at: start) == 40)
    #expect(try await left(store, allowance, at: start + Self.hour - 1) == 40)
    #expect(try await left(store, allowance, at: start + Self.hour) == 90)
    try await store.spend(90, of: Accounts.did(0), at: start + Self.hour)
    #expect(try await left(store, allowance, at: start + 2 * Self.hour) == 0)
    #expect(try await left(store, allowance, at: start + Self.day - 1) == 0)
    // Another spend may remove only what is too old to count.
    try await store.spend(1, of: Accounts.did(0), at: start + Self.day)
    #expect(try await left(place.reopen(), allowance, at: start + Self.day) == 59)
    #expect(try await left(store, allowance, at: start + 3 * Self.day) == 100)
  }

  @Test(arguments: JournalUnderTest.all)
  func leavesAShareOfTheBudgetAlone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<9), at: place.now).id
    _ = try await store.start(job)
    let allowance = WriteLimit(perHour: 20, perDay: 1_000, leave: 40)
    #expect(try await left(store, allowance, at: place.now) == 12)
    #expect(try await store.begin(1, 0..<4, of: job, within: allowance, at: place.now) == .begun)
    #expect(
      try await store.begin(2, 4..<5, of: job, within: allowance, at: place.now)
        == .short(left: 0, until: place.now + Self.hour))
  }

  /// The server counts what was written, whatever happens to the job.
  @Test(arguments: JournalUnderTest.all)
  func countsThePointsOfJobsThatAreGone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let paid = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    _ = try await store.start(paid)
    _ = try await store.begin(1, 0..<2, of: paid, at: place.now)
    try await store.record(JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .done]), of: paid)
    try await store.stop(paid, as: .done, note: nil, at: place.now)
    let doubtful = try await store.addJob(ChangeSamples.drafts(2..<3), at: place.now).id
    _ = try await store.start(doubtful)
    _ = try await store.begin(1, 0..<1, of: doubtful, at: place.now)
    _ = try await store.cancel(doubtful, at: place.now)
    #expect(try await store.prune(endedBefore: place.now + 1_000) == [paid])
    try await store.remove(doubtful)
    #expect(try await place.reopen().pointsCounted(at: place.now) == 9)
    // A later job has none of them.
    let next = try await store.addJob(ChangeSamples.drafts(3..<4), at: place.now).id
    _ = try await store.start(next)
    _ = try await store.begin(1, 0..<1, of: next, at: place.now)
    #expect(try await store.pointsCounted(at: place.now) == 12)
  }

  @Test(arguments: JournalUnderTest.all)
  func obeysTheServersReadingUntilItsWindowEnds(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (one, other) = (try place.reopen(), try place.reopen())
    let now = place.now
    // The server reports that another app has spent most of it.
    let reading = try RateLimit.said(5_000, 300, 3_600, resetsIn: 60, at: now)
    try await one.observed(reading, of: Accounts.did(0), at: now)
    #expect(try await left(other, at: now) == 300)
    #expect(try await other.pointsCounted(of: Accounts.did(1), at: now) == 0)
    try await other.spend(100, of: Accounts.did(0), at: now + 1_000_000)
    #expect(try await left(one, at: now + 1_000_000) == 200)
    // A later reading of the same window replaces the earlier one, and includes what was spent until then.
    let later = try RateLimit.said(5_000, 150, 3_600, resetsIn: 58, at: now + 2_000_000)
    try await other.observed(later, of: Accounts.did(0), at: now + 2_000_000)
    #expect(try await left(place.reopen(), at: now + 2_000_000) == 150)
    #expect(try await left(one, at: now + 61_000_000) == 5_000)
  }

  @Test(arguments: JournalUnderTest.all)
  func obeysBothWindowsAndNothingElse(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let hour = try RateLimit.said(5_000, 4_000, 3_600, resetsIn: 600, at: now)
    let day = try RateLimit.said(35_000, 1_000, 86_400, resetsIn: 60_000, at: now)
    let requests = try RateLimit.said(3_000, 1, 300, resetsIn: 200, at: now)
    for limit in [hour, day, requests] { try await store.observed(limit, of: Accounts.did(0), at: now) }
    #expect(try await left(place.reopen(), at: now) == 1_000)
    #expect(try await left(store, at: now + 60_001_000_000) == 5_000)
  }

  /// The server responded to another process before the commit reached it.
  @Test(arguments: JournalUnderTest.all)
  func countsACommitOnItsWayBesidesWhatTheServerSays(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let job = try await store.addJob(ChangeSamples.drafts(0..<3), at: now).id
    _ = try await store.start(job)
    _ = try await store.begin(1, 0..<3, of: job, at: now)
    let early = try RateLimit.said(5_000, 4_000, 3_600, resetsIn: 600, at: now + 1_000_000)
    try await place.reopen().observed(early, of: Accounts.did(0), at: now + 1_000_000)
    let between = try await left(store, at: now + 1_000_000)
    #expect(between == 4_000 - 9)
    // A reading after the outcome is known includes the commit.
    try await store.record(
      JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .done, 2: .done]), of: job)
    let late = try RateLimit.said(5_000, 3_991, 3_600, resetsIn: 598, at: now + 2_000_000)
    try await store.observed(late, of: Accounts.did(0), at: now + 2_000_000)
    #expect(try await left(store, at: now + 2_000_000) == 3_991)
  }

  @Test(arguments: JournalUnderTest.all)
  func runsWithinWhatTheServerSaid(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let reading = try RateLimit.said(5_000, 1_300, 3_600, resetsIn: 60, at: place.now)
    try await place.reopen().observed(reading, of: Accounts.did(0), at: place.now)
    let job = try await place.reopen().addJob(ChangeSamples.drafts(0..<200), at: place.now).id
    let repository = ScriptedRepository()
    #expect(try await place.runner(repository, place.reopen()).run(job) == .done)
    // A fifth of 5,000 is reserved, so 300 points are available until the window ends.
    #expect(repository.commits.map(\.count) == [100, 100])
    #expect(place.clock.now.offset == .seconds(60))
  }

  @Test(arguments: JournalUnderTest.all)
  func countsACommitOnceHoweverOftenARunSendsIt(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<100), at: place.now).id
    let repository = ScriptedRepository()
    repository.next(.loseRequest, .loseAnswer)
    #expect(try await place.runner(repository, store).run(job) == .done)
    #expect(repository.attempts == 2)
    #expect(try await store.pointsCounted(at: place.now) == 300)
  }

  @Test(arguments: JournalUnderTest.all)
  func givesBackWhatARunDidNotSpend(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<100), at: place.now).id
    let repository = ScriptedRepository()
    repository.next(.fail(RepositoryError(.notAuthorized, detail: "sign in again")))
    _ = try await place.runner(repository, store).run(job)
    #expect(try await store.pointsCounted(at: place.now) == 0)
    #expect(try await place.runner(repository, store).run(job) == .done)
    #expect(try await store.pointsCounted(at: place.now) == 300)
  }
}
