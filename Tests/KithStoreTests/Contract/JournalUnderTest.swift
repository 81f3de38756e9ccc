// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

/// An implementation of `JobStore` that the contract suites run against.
///
/// Each suite whose name begins with `Journal` runs once for each line of ``all``.
struct JournalUnderTest: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Creates an empty journal.
  let makePlace: @Sendable () -> any JournalPlace

  /// Whether it reports the holder of a lease.
  var namesOwners = true

  static let all = [
    JournalUnderTest(testDescription: "SQLite", makePlace: { TemporaryStore() }),
    JournalUnderTest(testDescription: "in memory", makePlace: { MemoryPlace() }, namesOwners: false),
  ]
}

/// The journal of one process, shared by all of its handles.
private final class MemoryPlace: JournalPlace {
  let clock = ManualClock(.skipping)
  private let journal = InMemoryJobStore()

  func reopen() -> any JobStore { journal }
}

/// Holds one journal for the duration of a test.
protocol JournalPlace: AnyObject, Sendable {
  /// The clock of the test.
  var clock: ManualClock { get }

  /// Opens the journal again, as a second process does, or the next one after a crash.
  func reopen() throws -> any JobStore
}

extension JournalPlace {
  var time: TimeSource { clock.timeSource() }
  var now: Instant { time.instant }

  func runner(
    _ repository: any Repository, _ store: any JobStore, options: JobOptions = .init()
  ) -> JobRunner {
    JobRunner(repository: repository, store: store, time: time, options: options)
  }
}

/// An engine of the first account whose facts are never requested.
private func engine(
  _ repository: any Repository, _ store: any JobStore, _ time: TimeSource
) throws -> ChangeEngine {
  let client = XRPCClient(
    service: try ServiceURL(parsing: "https://pds.test"),
    transport: ScriptedTransport { _ in throw TransportError(.cannotConnect, host: "pds.test") }, time: time)
  return ChangeEngine(
    repository: repository, facts: FactLoader(account: repository.account, pds: client, appview: client),
    journal: store, keys: TIDClock(time: time), time: time)
}

extension JobManager {
  /// Adds a job that undoes a job.
  func undo(_ job: JobID) async throws -> Job {
    try await engine(ScriptedRepository(), journal, time).undo(job).job
  }

  func leasePlanning(patience: Duration) async throws -> any JobLease {
    try await engine(ScriptedRepository(), journal, time).leasePlanning(patience: patience)
  }
}

extension JobRunner {
  /// Undoes the parts of a timed change that have ended.
  func end(_ due: DueJob) async throws -> (job: Job, end: JobEnd) {
    try await engine(repository, store, time).end(due, options: options)
  }

  /// Runs a job that was just planned.
  func runPlanned(
    _ job: JobID, progress: (@Sendable (JobProgress) -> Void)? = nil
  ) async throws -> JobEnd {
    let facts = FactsStamp(
      revision: try await store.revision(), readAt: time.now,
      commit: (repository as? ScriptedRepository)?.head)
    return try await run(job, plannedBy: facts, progress: progress)
  }
}

extension JobStore {
  func create(_ draft: JobDraft, at now: Instant) async throws -> Job {
    try await create(draft, [], isWhole: false, at: now)
  }

  func start(_ job: JobID) async throws -> Job { try await start(job, limit: nil) }

  func begin(
    _ commit: JobCommit, of job: JobID, within limit: WriteLimit, at now: Instant
  ) async throws -> CommitReservation {
    try await begin(commit, of: job, within: limit, asOf: .max, at: now)
  }

  @discardableResult
  func record(_ outcome: JobOutcome, of job: JobID) async throws -> JobState {
    try await record(outcome, of: job, at: 0)
  }

  /// Spends points with a job of its own.
  func spend(_ points: Int, of account: DID, at now: Instant) async throws {
    let drafts = (0..<points).map { _ in
      JobItemDraft(
        input: "x",
        step: ChangeStep(subject: .account(Accounts.did(999)), action: .write([ChangeSamples.delete(999)])))
    }
    let job = try await create(JobDraft(account: account, title: "spend"), drafts, isWhole: true, at: now)
    let items = try await items(of: job.id, in: [.pending], after: nil, most: .max)
    let unbounded = WriteLimit(perHour: WriteLimit.mostPoints, perDay: WriteLimit.mostPoints, leave: 0)
    _ = try await begin(
      JobCommit(number: 1, items: items), of: job.id, within: unbounded, asOf: .max, at: now)
    let states = Dictionary(items.map { ($0.position, JobItemState.done) }) { first, _ in first }
    try await record(JobOutcome(commit: 1, isPaid: true, states: states), of: job.id, at: now)
  }

  /// Adds a complete job that waits to be run.
  func addJob(
    _ items: [JobItemDraft], of account: DID = Accounts.did(0), title: String = "follow",
    until: Datetime? = nil, undoes: JobID? = nil, at now: Instant
  ) async throws -> Job {
    let draft = JobDraft(account: account, title: title, until: until, undoes: undoes)
    return try await create(draft, items, isWhole: true, at: now)
  }

  /// Returns all items of a job, in order.
  func allItems(of job: JobID) async throws -> [JobItem] {
    try await items(of: job, in: Set(JobItemState.Kind.allCases), after: nil, most: .max)
  }

  /// Returns the state of each item of a job, in order.
  func states(of job: JobID) async throws -> [JobItemState] { try await allItems(of: job).map(\.state) }

  /// Sets the states of items of a running job, without a commit.
  func record(_ states: [JobItemState], of job: JobID, at now: Instant = 0) async throws {
    let numbered = states.enumerated().map { ($0.offset, $0.element) }
    try await record(JobOutcome(states: Dictionary(numbered) { first, _ in first }), of: job, at: now)
  }

  /// Adds a job and makes it end with these states.
  func addEndedJob(
    _ items: [JobItemDraft], _ states: [JobItemState], of account: DID = Accounts.did(0),
    until: Datetime? = nil, undoes: JobID? = nil, at now: Instant
  ) async throws -> Job {
    let job = try await addJob(items, of: account, until: until, undoes: undoes, at: now)
    _ = try await start(job.id)
    try await record(states, of: job.id, at: now)
    try await stop(job.id, as: .done, note: nil, at: now)
    return try await self.job(job.id)
  }

  /// Gives items of a job another end, with a job of its own.
  ///
  /// - Returns: what became of the items of that job.
  @discardableResult
  func setEnd(of positions: [Int], in job: JobID, to until: Datetime?) async throws -> [JobItemState] {
    let items = try await allItems(of: job)
    let drafts = positions.map { position in
      let change = EndChange(job: job, position: position, until: until, former: items[position].until)
      return JobItemDraft(
        input: "x", step: ChangeStep(subject: items[position].step.subject, action: .end(change)))
    }
    let mover = try await addJob(drafts, title: "end", at: 0)
    _ = try await moveEnds(of: mover.id, at: 0)
    return try await states(of: mover.id)
  }

  /// Marks the items at these positions as sent in a commit.
  func begin(
    _ number: Int, _ positions: Range<Int>, of job: JobID,
    within limit: WriteLimit = WriteLimit(leave: 0), at now: Instant
  ) async throws -> CommitReservation {
    let items = try await allItems(of: job).filter { positions.contains($0.position) }
    return try await begin(JobCommit(number: number, items: items), of: job, within: limit, at: now)
  }

  /// The points counted as spent by an account, of the 5,000 per hour.
  func pointsCounted(of account: DID = Accounts.did(0), at now: Instant) async throws -> Int {
    5_000
      - (try await budget(of: account, within: WriteLimit(leave: 0), counting: nil, at: now).left(at: now))
  }
}

/// Expects a failure of the job with this code and with the job's number.
func expectJobError(
  _ code: JobError.Code, about job: JobID? = nil, _ location: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  let error = await #expect(throws: JobError.self, sourceLocation: location) { try await body() }
  #expect(error?.code == code, sourceLocation: location)
  if let job { #expect(error?.job == job, sourceLocation: location) }
}

extension RateLimit {
  /// The header fields with which a server reports a window of this many seconds.
  static func said(
    _ limit: Int, _ remaining: Int, _ window: Int, resetsIn seconds: Int64, at now: Instant
  ) throws -> RateLimit {
    var fields = HTTPFields()
    for (name, value) in [
      ("RateLimit-Limit", "\(limit)"), ("RateLimit-Remaining", "\(remaining)"),
      ("RateLimit-Policy", "\(limit);w=\(window)"), ("RateLimit-Reset", "\(now.secondsSinceEpoch + seconds)"),
    ] {
      fields[try #require(HTTPField.Name(name))] = value
    }
    return try #require(RateLimit(fields, at: now))
  }
}
