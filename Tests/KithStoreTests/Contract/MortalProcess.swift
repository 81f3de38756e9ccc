// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport

/// A process that dies in one of its calls to the journal or the repository: the call takes effect, and its
/// result is lost.
///
/// From then on each call fails without effect, as if the process had been killed, so cleanup by the code
/// under test has no effect either. Dying before a call leaves the same state as dying in the call before it.
final class MortalProcess: Sendable {
  struct Death: Error {}

  private struct State {
    var calls = 0
    var isDead = false
  }

  private let lastCall: Int
  private let pause: (call: Int, turnstile: Turnstile)?
  private let state = PosixMutex(State())

  /// Creates a process that dies in the call with this number, counted from 1; in none for 0.
  ///
  /// - Parameter pause: The call whose result waits at a turnstile before it is returned.
  init(dyingIn lastCall: Int, pausingAfter pause: (call: Int, turnstile: Turnstile)? = nil) {
    self.lastCall = lastCall
    self.pause = pause
    if lastCall == 0 { kill() }
  }

  /// Creates a process that lives until it is killed.
  convenience init() { self.init(dyingIn: .max) }

  var isDead: Bool { state.withLock(\.isDead) }

  func kill() { state.withLock { $0.isDead = true } }

  /// Makes a call, unless the process is dead or dies of it.
  func call<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    let number = try state.withLock { state in
      Result<Int, any Error> {
        if state.isDead { throw Death() }
        state.calls += 1
        return state.calls
      }
    }.get()
    guard number == lastCall else {
      let value = try await body()
      if let pause, pause.call == number { try await pause.turnstile.pass {} }
      return value
    }
    _ = try? await body()
    kill()
    throw Death()
  }
}

/// The journal as used by a process that may die.
struct MortalJobStore: JobStore {
  let base: any JobStore
  let process: MortalProcess

  func create(
    _ draft: JobDraft, _ items: [JobItemDraft], isWhole: Bool, at now: Instant
  ) async throws -> Job {
    try await process.call { try await base.create(draft, items, isWhole: isWhole, at: now) }
  }
  func append(_ items: [JobItemDraft], to job: JobID) async throws {
    try await process.call { try await base.append(items, to: job) }
  }
  func seal(_ job: JobID) async throws -> Job { try await process.call { try await base.seal(job) } }
  func remove(_ job: JobID) async throws { try await process.call { try await base.remove(job) } }
  func propose(
    _ draft: JobDraft, _ proposal: JobProposal, _ requests: [ProposedRequest], at now: Instant
  ) async throws -> Job {
    try await process.call { try await base.propose(draft, proposal, requests, at: now) }
  }
  func proposals() async throws -> [Job] { try await process.call { try await base.proposals() } }
  func requests(of job: JobID, after count: Int, most: Int) async throws -> [ProposedRequest] {
    try await process.call { try await base.requests(of: job, after: count, most: most) }
  }
  func approve(
    _ job: JobID, _ items: [JobItemDraft], until: Datetime?, limit: WriteLimit?, at now: Instant
  ) async throws -> Job {
    try await process.call { try await base.approve(job, items, until: until, limit: limit, at: now) }
  }
  func reject(_ job: JobID, note: String?, at now: Instant) async throws -> Job {
    try await process.call { try await base.reject(job, note: note, at: now) }
  }
  func job(_ job: JobID) async throws -> Job { try await process.call { try await base.job(job) } }
  func jobs(endedAfter moment: Instant) async throws -> [Job] {
    try await process.call { try await base.jobs(endedAfter: moment) }
  }
  func preparing() async throws -> [Job] { try await process.call { try await base.preparing() } }
  func summaries(of account: DID?) async throws -> [JobSummary] {
    try await process.call { try await base.summaries(of: account) }
  }
  func summary(of job: JobID) async throws -> JobSummary {
    try await process.call { try await base.summary(of: job) }
  }
  func items(
    of job: JobID, in kinds: Set<JobItemState.Kind>, after position: Int?, most: Int
  ) async throws -> [JobItem] {
    try await process.call { try await base.items(of: job, in: kinds, after: position, most: most) }
  }
  func undo(of job: JobID) async throws -> Job? { try await process.call { try await base.undo(of: job) } }
  func isSuperseded(_ item: JobItem, of job: JobID) async throws -> Bool {
    try await process.call { try await base.isSuperseded(item, of: job) }
  }
  func settledRequests(of account: DID) async throws -> Set<RecordVersion> {
    try await process.call { try await base.settledRequests(of: account) }
  }
  func settle(_ requests: Set<RecordVersion>, of account: DID) async throws {
    try await process.call { try await base.settle(requests, of: account) }
  }
  func history(
    of subjects: [ChangeStep.Subject], by account: DID
  ) async throws -> [ChangeStep.Subject: [JobHistoryEntry]] {
    try await process.call { try await base.history(of: subjects, by: account) }
  }
  func forget(_ account: DID) async throws -> [JobID] {
    try await process.call { try await base.forget(account) }
  }
  func endsHeldSince() async throws -> Instant? {
    try await process.call { try await base.endsHeldSince() }
  }
  func holdEnds(since moment: Instant) async throws {
    try await process.call { try await base.holdEnds(since: moment) }
  }
  func releaseEnds() async throws { try await process.call { try await base.releaseEnds() } }
  func remember(_ change: LastChange, by account: DID?, at now: Instant) async throws {
    try await process.call { try await base.remember(change, by: account, at: now) }
  }
  func lastChange(by account: DID) async throws -> RememberedChange? {
    try await process.call { try await base.lastChange(by: account) }
  }
  func keep(_ bytes: [UInt8], as file: CID, at now: Instant) async throws -> Bool {
    try await process.call { try await base.keep(bytes, as: file, at: now) }
  }
  func keptFiles(among files: Set<CID>) async throws -> Set<CID> {
    try await process.call { try await base.keptFiles(among: files) }
  }
  func file(_ file: CID) async throws -> [UInt8]? { try await process.call { try await base.file(file) } }
  func revision() async throws -> Int64 { try await process.call { try await base.revision() } }
  func leasePlanning(of account: DID, at now: Instant) async throws -> any JobLease {
    try await process.call { try await base.leasePlanning(of: account, at: now) }
  }
  func due(at now: Instant) async throws -> [DueJob] {
    try await process.call { try await base.due(at: now) }
  }
  func lease(_ job: JobID, at now: Instant) async throws -> any JobLease {
    try await process.call { try await base.lease(job, at: now) }
  }
  func start(_ job: JobID, limit: WriteLimit?) async throws -> Job {
    try await process.call { try await base.start(job, limit: limit) }
  }
  func begin(
    _ commit: JobCommit, of job: JobID, within limit: WriteLimit, asOf revision: Int64, at now: Instant
  ) async throws -> CommitReservation {
    try await process.call {
      try await base.begin(commit, of: job, within: limit, asOf: revision, at: now)
    }
  }
  func record(_ outcome: JobOutcome, of job: JobID, at now: Instant) async throws -> JobState {
    try await process.call { try await base.record(outcome, of: job, at: now) }
  }
  func standing(of account: DID?) async throws -> [TimedChange] {
    try await process.call { try await base.standing(of: account) }
  }

  func moveEnds(of job: JobID, at now: Instant) async throws -> [Int: JobItemState] {
    try await process.call { try await base.moveEnds(of: job, at: now) }
  }
  func stop(_ job: JobID, as state: JobState, note: String?, at now: Instant) async throws {
    try await process.call { try await base.stop(job, as: state, note: note, at: now) }
  }
  func pause(_ job: JobID) async throws -> Job { try await process.call { try await base.pause(job) } }
  func cancel(_ job: JobID, at now: Instant) async throws -> Job {
    try await process.call { try await base.cancel(job, at: now) }
  }
  func withdraw(_ items: Set<Int>, of job: JobID, at now: Instant) async throws -> Set<Int> {
    try await process.call { try await base.withdraw(items, of: job, at: now) }
  }
  func retryFailed(_ job: JobID) async throws -> Int {
    try await process.call { try await base.retryFailed(job) }
  }
  func prune(endedBefore moment: Instant) async throws -> [JobID] {
    try await process.call { try await base.prune(endedBefore: moment) }
  }
  func budget(
    of account: DID, within limit: WriteLimit, counting kinds: Set<ChangeKind>?, at now: Instant
  ) async throws -> WriteBudget {
    try await process.call { try await base.budget(of: account, within: limit, counting: kinds, at: now) }
  }
  func serverChoosingKeys(of account: DID) async throws -> String? {
    try await process.call { try await base.serverChoosingKeys(of: account) }
  }
  func note(serverChoosingKeys server: String?, of account: DID) async throws {
    try await process.call { try await base.note(serverChoosingKeys: server, of: account) }
  }
  func observed(_ rateLimit: RateLimit, of account: DID, at now: Instant) async throws {
    try await process.call { try await base.observed(rateLimit, of: account, at: now) }
  }
}

/// The repository as used by a process that may die: before a commit takes effect, or after it.
struct MortalRepository: Repository {
  let base: any Repository
  let process: MortalProcess

  var account: DID { base.account }
  var server: String { base.server }
  var comparesCommits: Bool { true }

  func commit(
    _ writes: [RecordWrite], after basis: RepositoryCommit?, learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> RepositoryCommit? {
    try await process.call { try await base.commit(writes, after: basis) }
  }
  func resolveInDoubt(
    _ writes: [RecordWrite], learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> Bool {
    try await process.call { try await base.resolveInDoubt(writes, learning: learn) }
  }
  func call(_ call: ViewerCall) async throws { try await process.call { try await base.call(call) } }
  func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    try await process.call { try await base.records(names) }
  }
  func list(
    _ wanted: [NSID: OwnRecordFilter], _ take: (NSID, RecordKey, RecordEdge?) -> Void
  ) async throws -> RepositoryCommit? {
    try await process.call { try await base.list(wanted, take) }
  }
}
