// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
internal import ATProtoCore

/// Runs jobs: drives the ``Repository`` by the journal, until all is done or something is in the way.
///
/// May be stopped at any moment, with the process or without: what is begun in the journal is found there again.
public struct JobRunner: Sendable {
  /// How a job is run.
  public struct Options: Sendable, Hashable {
    /// The points that may be spent.
    public var allowance: PointAllowance
    /// Whether to end with the time where points are short or the server wants to be left alone, instead of waiting.
    public var stopsWhenShort: Bool
    /// The most writes that go in one commit; a server that takes fewer shows it, and gets fewer.
    public let writesPerCommit: Int

    /// Waits, leaves a fifth of the points and fills commits.
    ///
    /// - Parameter writesPerCommit: moved to the nearest of 1 to ``RecordWrite/mostPerCommit``.
    public init(
      allowance: PointAllowance = PointAllowance(), stopsWhenShort: Bool = false,
      writesPerCommit: Int = RecordWrite.mostPerCommit
    ) {
      self.allowance = allowance
      self.stopsWhenShort = stopsWhenShort
      self.writesPerCommit = min(max(writesPerCommit, 1), RecordWrite.mostPerCommit)
    }
  }

  let repository: any Repository
  let store: any JobStore
  let time: TimeSource
  let options: Options

  /// Makes a runner.
  public init(
    repository: any Repository, store: any JobStore, time: TimeSource = .system, options: Options = Options()
  ) {
    self.repository = repository
    self.store = store
    self.time = time
    self.options = options
  }

  /// Runs a job to its end, from wherever it was left. A cancelled job is run for what is in doubt only.
  ///
  /// A cancelled task ends the run with ``JobStop/Code/interrupted``; it does not throw.
  /// - Parameter progress: told after each commit and before each wait.
  /// - Throws: ``JobError``: there is no such job, another process runs it, it belongs to another account or is not
  ///   ready to run. What the store throws: then the job is as its journal says, and can be resumed.
  public func run(
    _ id: JobID, progress: @Sendable (JobProgress) -> Void = { _ in }
  ) async throws -> JobEnd {
    let claim = try await store.claim(id, at: time.microsecondsSinceEpoch)
    defer { claim.release() }
    var machine = try await machine(for: id)
    var action = machine.start(at: time.microsecondsSinceEpoch)
    while true {
      if case .end(let end) = action {
        try await stop(id, with: end)
        return end
      }
      if case .wait(let until, let reason) = action, !Task.isCancelled {
        try await report(machine, waiting: (reason, until), to: progress)
      }
      let event = try await perform(action, of: machine.job)
      if case .record = action { try await report(machine, to: progress) }
      action = machine.received(event, at: time.microsecondsSinceEpoch)
    }
  }

  /// What decides, fed with what an earlier run left behind.
  func machine(for id: JobID) async throws -> JobMachine {
    let found = try await store.job(id)
    try checkAccount(of: found)
    let job = try await store.start(id)
    let counts = try await store.summary(of: id).counts
    let inDoubt = try await store.items(of: id, in: [.inDoubt], after: nil, most: .max)
    var commits: [Int: [JobItem]] = [:]
    for item in inDoubt {
      if case .inDoubt(let commit) = item.state { commits[commit, default: []].append(item) }
    }
    return JobMachine(
      job: job, doubts: commits.map { JobCommit(number: $0.key, items: $0.value) },
      counts: counts, stopsWhenShort: options.stopsWhenShort, writesPerCommit: options.writesPerCommit,
      isPlannedNow: isPlannedNow(found, counts))
  }

  /// Whether nobody can have changed the records since the job was planned: that was just now, however long it took
  /// to have it confirmed, and it has never run.
  private func isPlannedNow(_ job: Job, _ counts: JobCounts) -> Bool {
    let age = time.microsecondsSinceEpoch - job.plannedAt.microsecondsSinceEpoch
    return job.state == .waiting && job.note == nil && counts.total == counts[.pending] + counts[.skipped]
      && age < JobMachine.knowledgeLasts
  }

  /// Only the account itself can change its records.
  func checkAccount(of job: Job) throws {
    guard job.account != repository.account else { return }
    throw JobError(
      .wrongAccount, job.id,
      "job \(job.id) belongs to \(job.account); sign in to that account, or name it with --account")
  }

  private func stop(_ id: JobID, with end: JobEnd) async throws {
    let now = time.microsecondsSinceEpoch
    switch end {
    case .done: try await store.stop(id, as: .done, note: nil, at: now)
    case .paused: try await store.stop(id, as: .paused, note: nil, at: now)
    case .cancelled: try await store.stop(id, as: .cancelled, note: nil, at: now)
    case .stopped(let stop): try await store.stop(id, as: .waiting, note: "\(stop)", at: now)
    }
  }

  private func report(
    _ machine: JobMachine, waiting wait: (reason: JobWait, until: Int64)? = nil,
    to progress: (JobProgress) -> Void
  ) async throws {
    let now = time.microsecondsSinceEpoch
    let budget = try await store.budget(of: machine.job.account, within: options.allowance, at: now)
    let end = budget.end(of: machine.counts.pointsLeft, at: now)
    progress(
      JobProgress(
        job: machine.job.id, counts: machine.counts, eta: end.map(Datetime.init(microsecondsSinceEpoch:)),
        wait: wait?.reason, waitsUntil: wait.map { Datetime(microsecondsSinceEpoch: $0.until) }))
  }
}
