// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
internal import ATProtoCore
internal import Relationships

/// Runs jobs: drives the ``Repository`` by the journal, until all is done or something is in the way.
///
/// May be stopped at any moment, with the process or without: what is begun in the journal is found there again.
public struct JobRunner: Sendable {
  /// How a job is run.
  public struct Options: Sendable, Hashable {
    /// The points that may be spent.
    public var allowance: WriteLimit
    /// Whether to end with the time where points are short or the server wants to be left alone, instead of waiting.
    public var stopsWhenShort: Bool
    /// The most writes that go in one commit; a server that takes fewer shows it, and gets fewer.
    public let writesPerCommit: Int

    /// Waits, leaves a fifth of the points and fills commits.
    ///
    /// - Parameter writesPerCommit: moved to the nearest of 1 to ``RecordWrite/mostPerCommit``.
    public init(
      allowance: WriteLimit = WriteLimit(), stopsWhenShort: Bool = false,
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

extension JobRunner {
  /// While it waits, a run looks this often whether somebody paused or cancelled the job.
  private static let glance: Duration = .seconds(30)
  /// Records that are read at once.
  private static let readsAtOnce = 8

  /// Does what the machine decided, and says what came of it.
  ///
  /// - Throws: what the store throws.
  func perform(_ action: JobMachine.Action, of job: Job) async throws -> JobMachine.Event {
    switch action {
    case .load(let position):
      if Task.isCancelled { return .interrupted }
      let most = JobMachine.itemsPerLoad
      return .loaded(try await store.items(of: job.id, in: [.pending], after: position, most: most))
    case .begin(let commit):
      if Task.isCancelled { return .interrupted }
      let now = time.microsecondsSinceEpoch
      return .began(try await store.begin(commit, of: job.id, within: options.allowance, at: now))
    case .survey: return try await survey(job)
    case .check(let items, let census): return try await check(items, of: job, beside: census)
    case .send(let commit): return await send(commit)
    case .settle(let commit):
      return await answer { .settled(try await repository.settle(commit.writes)) }
    case .record(let outcome):
      try await store.record(outcome, of: job.id)
      return .recorded
    case .wait(let until, _): return try await wait(until: until, of: job)
    case .end: return .recorded
    }
  }

  private func send(_ commit: JobCommit) async -> JobMachine.Event {
    await answer {
      if let call = commit.call {
        try await repository.call(call)
      } else {
        try await repository.commit(commit.writes)
      }
      return .sent
    }
  }

  /// What came of speaking to the repository. A failure of another kind than those that are certain is a doubt.
  private func answer(_ speak: () async throws -> JobMachine.Event) async -> JobMachine.Event {
    do {
      return try await speak()
    } catch let error as RepositoryError {
      return .failed(error)
    } catch is CancellationError {
      return .interrupted
    } catch {
      return .failed(RepositoryError(.inDoubt, detail: "\(error)", underlying: error))
    }
  }

  private func wait(until moment: Int64, of job: Job) async throws -> JobMachine.Event {
    while true {
      let left = Duration.microseconds(moment - time.microsecondsSinceEpoch)
      guard left > .zero else { return .waited }
      do {
        try await time.sleep(for: min(left, Self.glance))
      } catch {
        return .interrupted
      }
      let state = try await store.job(job.id).state
      if state != job.state { return .halted(state) }
    }
  }

  /// Lists each collection once; keeps in memory only what the items are about that are left.
  private func survey(_ job: Job) async throws -> JobMachine.Event {
    var census = RepositorySnapshot()
    var updates: [RecordWrite] = []
    var position: Int?
    repeat {
      let most = JobMachine.itemsPerLoad
      let items = try await store.items(of: job.id, in: [.pending, .inDoubt], after: position, most: most)
      // What an undo takes away is looked at record by record.
      for write in items.flatMap(\.step.writes) where job.undoes == nil || write.makesRecord {
        census.ask(about: write)
        if case .update = write.action, job.undoes == nil { updates.append(write) }
      }
      position = items.last?.position
    } while position != nil
    let (asked, changing) = (census, updates)
    return await answer {
      var census = asked
      let values = try await changing.concurrentMap(atMost: Self.readsAtOnce) {
        try await repository.record($0.rkey, in: $0.collection)
      }
      for (write, value) in zip(changing, values) { census.take(value, of: write) }
      for collection in census.collections {
        try await repository.list(collection) { census.take($0, $1, in: collection) }
      }
      return .surveyed(census)
    }
  }

  private func check(
    _ items: [JobItem], of job: Job, beside census: RepositorySnapshot
  ) async throws -> JobMachine.Event {
    do {
      let checks = try await items.concurrentMap(atMost: Self.readsAtOnce) {
        (position: $0.position, check: try await check($0, of: job, beside: census))
      }
      return .checked(checks.reduce(into: [:]) { $0[$1.position] = $1.check })
    } catch let error as RepositoryError {
      return .failed(error)
    } catch is CancellationError {
      return .interrupted
    }
  }

  private func check(
    _ item: JobItem, of job: Job, beside census: RepositorySnapshot
  ) async throws -> StepPrecondition {
    guard case .write(let writes) = item.step.action else {
      let isSuperseded = try await store.isSuperseded(item, of: job.id)
      return isSuperseded ? .leave(.changedByLaterJob) : .proceed(item.step)
    }
    var present: [DataValue?] = []
    for write in writes { present.append(try await repository.record(write.rkey, in: write.collection)) }
    return StepPrecondition(item.step, present: present, beside: census)
  }
}

extension JobRunner {
  /// Ends a timed change whose end has come: gives up what is left of its job, settles what is in doubt, and undoes
  /// what the job itself did.
  ///
  /// May be stopped at any moment; the job is due until all that it did was taken back or found to be left alone.
  /// - Returns: the job that was run last, which is the undo unless the outcome of the first stays in doubt, and how
  ///   its run ended.
  /// - Throws: as ``run(_:progress:)`` and ``JobManager/undo(_:)``.
  public func end(
    _ due: DueJob, progress: @Sendable (JobProgress) -> Void = { _ in }
  ) async throws -> (job: Job, end: JobEnd) {
    let id = due.job.id
    try checkAccount(of: due.job)
    var job = try await store.job(id)
    if !job.state.isEnded { job = try await store.cancel(id, at: time.microsecondsSinceEpoch) }
    if try await store.summary(of: id).counts[.inDoubt] > 0 {
      let end = try await run(id, progress: progress)
      guard try await store.summary(of: id).counts[.inDoubt] == 0 else { return (job, end) }
    }
    // It may have come to its end before anything of it was done.
    guard try await store.summary(of: id).counts[.done] > 0 else { return (job, .done) }
    while true {
      let undo = try await JobManager(store: store, time: time).undo(id)
      let end = try await run(undo.id, progress: progress)
      // One that was begun earlier knows nothing of what the job did later.
      guard end == .done, try await isDue(id) else { return (try await store.job(undo.id), end) }
    }
  }

  private func isDue(_ id: JobID) async throws -> Bool {
    try await store.due(at: time.microsecondsSinceEpoch).contains { $0.job.id == id }
  }
}
