// SPDX-License-Identifier: Apache-2.0

package import KithClient
internal import KithCore
internal import KithRelationships

/// Runs jobs: carries out what the journal holds through the ``Repository`` until everything is done or
/// something is in the way.
///
/// May be interrupted at any moment, even by the end of the process: the journal holds what was begun.
package struct JobRunner: Sendable {
  let repository: any Repository
  let store: any JobStore
  let observers: ChangeObservers
  let time: TimeSource
  let options: JobOptions

  /// Creates a runner.
  ///
  /// - Parameter observers: notified of what was done.
  package init(
    repository: any Repository, store: any JobStore, observers: ChangeObservers = ChangeObservers(),
    time: TimeSource = .system, options: JobOptions = JobOptions()
  ) {
    self.repository = repository
    self.store = store
    self.observers = observers
    self.time = time
    self.options = options
  }

  private var now: JobMachine.Moment {
    JobMachine.Moment(wall: time.instant, steady: time.now)
  }

  /// Runs a job to its end, from where it stopped. A cancelled job is only run to settle what is in doubt.
  ///
  /// A cancelled task ends the run with ``JobStop/Code/interrupted``; it does not throw.
  /// - Parameters:
  ///   - facts: what the job was just planned by; with nil, everything is compared with the repository before
  ///     it is sent.
  ///   - progress: called after each commit and before each wait.
  /// - Throws: ``JobError`` if there is no such job, another process is running it, it belongs to another
  ///   account or is not ready to run. What the store throws; the job is then as its journal says and can be
  ///   resumed.
  package func run(
    _ id: JobID, plannedBy facts: FactsStamp? = nil, progress: (@Sendable (JobProgress) -> Void)? = nil
  ) async throws -> JobEnd {
    let lease = try await store.lease(id, at: time.instant)
    defer { lease.release() }
    var (machine, limit, ends) = try await prepare(id, facts)
    if !ends.states.isEmpty { try await report(machine, within: limit, ends, to: progress) }
    var revision: Int64
    if let facts { revision = facts.revision } else { revision = try await store.revision() }
    var state = JobState.running
    // What was sent or asked about last; only that can turn out to be done.
    var sent: JobCommit?
    // What was loaded and has no outcome yet; it may turn out to hold already.
    var open: [Int: ChangeStep] = [:]
    var action = machine.start(at: now)
    while true {
      let event: JobMachine.Event
      switch action {
      case .end(let end):
        // A job that ended with its last commit was journaled with it.
        if state != .done { try await stop(id, with: end) }
        return end
      case .wait(let span, let reason):
        if !Task.isCancelled {
          try await report(machine, within: limit, waiting: (reason, span), to: progress)
        }
        event = try await wait(span, in: machine.job)
      case .load(let position):
        let items = try await load(after: position, of: id)
        for item in items ?? [] { open[item.position] = item.step }
        event = items.map { .loaded($0) } ?? .interrupted
      case .takeSnapshot:
        revision = try await store.revision()
        event = try await takeSnapshot(machine.job)
      case .check(let items, let snapshot): event = try await check(items, of: machine.job, beside: snapshot)
      case .begin(let commit):
        if Task.isCancelled {
          event = .interrupted
        } else {
          event = .began(
            try await store.begin(
              commit, of: id, within: limit, asOf: revision, at: time.instant))
        }
      case .send(let commit, let basis):
        sent = commit
        event = await send(commit, of: machine.job, after: basis)
        try await remember(event, of: commit, machine)
      case .resolveInDoubt(let commit):
        sent = commit
        event = await answer {
          var keys: [RecordName: RecordKey] = [:]
          let hasHappened = try await repository.resolveInDoubt(commit.writes) { keys[$0] = $1 }
          return .settled(hasHappened, keys: keys)
        }
        try await remember(event, of: commit, machine)
      case .takeBack(let deletions): event = await takeBack(deletions)
      case .record(let outcome):
        state = try await store.record(outcome, of: id, at: time.instant)
        let done = sent?.items.filter { outcome.states[$0.position] == .done } ?? []
        observers.didApply(done.map { outcome.steps[$0.position] ?? $0.step })
        observers.didLeave(open.filter { outcome.showsHeld($0.key) }.map(\.value))
        for (position, state) in outcome.states where state != .pending { open[position] = nil }
        try await report(machine, within: limit, outcome, to: progress)
        event = .recorded
      }
      action = machine.received(event, at: now)
    }
  }

  /// Returns the state machine, set up with what an earlier run left behind, the limit, and which ends were changed.
  private func prepare(
    _ id: JobID, _ facts: FactsStamp?
  ) async throws -> (machine: JobMachine, limit: WriteLimit, ends: JobOutcome) {
    var job = try await store.job(id)
    try checkAccount(of: job)
    // A waiting job becomes running with its first commit, which saves one transaction.
    let isNew = job.state == .waiting && options.limit.map { $0 == job.limit } ?? true
    if isNew { job.state = .running } else { job = try await store.start(id, limit: options.limit) }
    // Before anything that may have to wait: what is to be kept longer must not end meanwhile.
    let ends = JobOutcome(states: try await store.moveEnds(of: id, at: time.instant))
    let counts = try await store.summary(of: id).counts
    let inDoubt = try await store.items(of: id, in: [.inDoubt], after: nil, most: .max)
    var commits: [Int: [JobItem]] = [:]
    for item in inDoubt {
      if case .inDoubt(let commit) = item.state { commits[commit, default: []].append(item) }
    }
    let choosesKeys = try await store.serverChoosingKeys(of: job.account) == repository.server
    let machine = JobMachine(
      job: job, doubts: commits.map { JobCommit(number: $0.key, items: $0.value) }, counts: counts,
      stopsWhenShort: options.stopsWhenShort, writesPerCommit: options.writesPerCommit,
      patience: options.patience, longestWait: options.longestWait, choosesKeys: choosesKeys, facts: facts)
    var limit = options.limit ?? job.limit ?? WriteLimit()
    limit.ignoresReports = options.ignoresReports
    return (machine, limit, ends)
  }

  /// Checks that the job belongs to the account: only it can change its records.
  func checkAccount(of job: Job) throws {
    guard job.account != repository.account else { return }
    throw JobError(
      .wrongAccount, job.id, "job \(job.id) belongs to \(job.account); only that account can run it")
  }

  private func stop(_ id: JobID, with end: JobEnd) async throws {
    let now = time.instant
    switch end {
    case .done: try await store.stop(id, as: .done, note: nil, at: now)
    case .paused: try await store.stop(id, as: .paused, note: nil, at: now)
    case .cancelled: try await store.stop(id, as: .cancelled, note: nil, at: now)
    case .stopped(let stop): try await store.stop(id, as: .waiting, note: "\(stop)", at: now)
    }
  }

  private func report(
    _ machine: JobMachine, within limit: WriteLimit, waiting wait: (reason: JobWait, span: Duration)? = nil,
    _ outcome: JobOutcome = JobOutcome(states: [:]), to progress: (@Sendable (JobProgress) -> Void)?
  ) async throws {
    guard let progress else { return }
    let now = time.instant
    let budget = try await store.budget(
      of: machine.job.account, within: limit, counting: machine.job.kinds, at: now)
    let end = budget.end(of: machine.counts.pointsLeft, changes: machine.counts.left, at: now)
    var report = JobProgress(
      job: machine.job.id, counts: machine.counts, eta: end.map(Datetime.init(at:)), wait: wait?.reason,
      waitsUntil: wait.map { Datetime(at: now + $0.span) }, outcomes: outcome.states)
    report.steps = outcome.steps
    progress(report)
  }
}

// MARK: - Actions

extension JobRunner {
  /// How often a waiting run checks whether the job was paused or cancelled.
  private static let pollInterval: Duration = .seconds(30)

  /// The next items; nil if the run was interrupted.
  private func load(after position: Int?, of id: JobID) async throws -> [JobItem]? {
    if Task.isCancelled { return nil }
    return try await store.items(of: id, in: [.pending], after: position, most: JobMachine.itemsPerLoad)
  }

  private var files: FileKeeper { FileKeeper(repository: repository, journal: store, time: time) }

  private func send(
    _ commit: JobCommit, of job: Job, after basis: RepositoryCommit?
  ) async -> JobMachine.Event {
    await answer {
      guard let call = commit.call else {
        // A proposal may be approved long after its pictures were shown.
        if job.undoes != nil || job.proposal != nil { try await files.upload(for: commit.writes) }
        var keys: [RecordName: RecordKey] = [:]
        let made = try await repository.commit(commit.writes, after: basis) { keys[$0] = $1 }
        return .sent(made, keys: keys)
      }
      try await repository.call(call)
      return .sent(nil)
    }
  }

  /// Remembers whether the server keeps the keys of new records, if that is news.
  private func remember(
    _ event: JobMachine.Event, of commit: JobCommit, _ machine: JobMachine
  ) async throws {
    guard let keys = event.keys, keys.isEmpty == machine.choosesKeys,
      commit.writes.contains(where: \.isCreation)
    else { return }
    try await store.note(
      serverChoosingKeys: keys.isEmpty ? nil : repository.server, of: machine.job.account)
  }

  /// Deletes records that are under other keys than they need.
  private func takeBack(_ deletions: [RecordWrite]) async -> JobMachine.Event {
    await answer {
      do { _ = try await repository.commit(deletions, after: nil) } catch let error as RepositoryError {
        throw RepositoryError(
          error.code,
          detail: "the server has put records under other keys, and deleting them failed: \(error.detail)",
          retryAfter: error.retryAfter, underlying: error.underlying)
      }
      return .takenBack
    }
  }

  /// Converts the result of a repository call into an event. An unexpected failure leaves the outcome in
  /// doubt.
  private func answer(_ body: () async throws -> JobMachine.Event) async -> JobMachine.Event {
    do {
      return try await body()
    } catch let error as RepositoryError {
      return .failed(error)
    } catch is CancellationError {
      return .interrupted
    } catch {
      return .failed(RepositoryError(.inDoubt, detail: "\(DecodingFault(error))", underlying: error))
    }
  }

  private func wait(_ span: Duration, in job: Job) async throws -> JobMachine.Event {
    let end = time.now + span
    while true {
      let left = end - time.now
      guard left > .zero else { return .waited }
      do {
        try await time.sleep(for: min(left, Self.pollInterval))
      } catch {
        return .interrupted
      }
      let state = try await store.job(job.id).state
      if state == .paused || state.isEnded, state != job.state { return .halted(state) }
    }
  }

  /// Reads what the remaining items are about.
  private func takeSnapshot(_ job: Job) async throws -> JobMachine.Event {
    var snapshot = RepositorySnapshot()
    var updates: [RecordWrite] = []
    var concernsRecords = false
    var position: Int?
    repeat {
      let most = JobMachine.itemsPerLoad
      let items = try await store.items(of: job.id, in: [.pending, .inDoubt], after: position, most: most)
      concernsRecords = concernsRecords || items.contains { !$0.step.writes.isEmpty }
      // What an undo deletes is looked up load by load.
      for write in items.flatMap(\.step.writes)
      where job.undoes == nil || write.makesRecord || write.collection == .list {
        snapshot.ask(about: write, of: job.account)
        if case .update = write.action, job.undoes == nil { updates.append(write) }
      }
      position = items.last?.position
    } while position != nil
    guard concernsRecords else { return .snapshotTaken(snapshot, nil) }
    let reactions = try await store.history(of: snapshot.posts.map { .post($0) }, by: job.account)
    for entries in reactions.values { snapshot.expect(entries.reactionsMade) }
    let (asked, changing) = (snapshot, updates)
    return await answer {
      var snapshot = asked
      let commit = try await repository.list(asked.wanted) { snapshot.record($1, $2, in: $0) }
      snapshot.record(try await repository.records(snapshot.unplannedMembers.union(snapshot.wantedLists)))
      let values = try await repository.records(Set(changing.map(\.name)))
      for write in changing { snapshot.record(values[write.name], of: write) }
      return .snapshotTaken(snapshot, commit)
    }
  }

  private func check(
    _ items: [JobItem], of job: Job, beside snapshot: RepositorySnapshot
  ) async throws -> JobMachine.Event {
    do {
      let writes = items.flatMap(\.step.writes).filter { !snapshot.hasFreeKey($0) }
      let found = try await repository.records(Set(writes.map(\.name)))
      let lost = try await files.lost(among: items.flatMap(\.step.writes).flatMap(\.filesNeeded))
      var checks: [Int: StepPrecondition] = [:]
      for item in items {
        checks[item.position] = try await check(item, of: job, beside: snapshot, holding: found)
          .leavingOut(lost)
      }
      return .checked(checks)
    } catch let error as RepositoryError {
      return .failed(error)
    } catch is CancellationError {
      return .interrupted
    }
  }

  private func check(
    _ item: JobItem, of job: Job, beside snapshot: RepositorySnapshot, holding found: [RecordName: DataValue]
  ) async throws -> StepPrecondition {
    guard case .write(let writes) = item.step.action else {
      let isSuperseded = try await store.isSuperseded(item, of: job.id)
      return isSuperseded ? .leave(.changedByLaterJob) : .proceed(item.step)
    }
    return StepPrecondition(item.step, present: writes.map { found[$0.name] }, beside: snapshot)
  }
}

extension JobOutcome {
  /// Whether an item was left out because what it does holds already.
  fileprivate func showsHeld(_ position: Int) -> Bool {
    guard case .skipped(let reason)? = states[position] else { return false }
    return [SkipReason.holdsAlready, .isGone, .wasGone, .holdsAgain].contains { $0.description == reason }
  }
}

extension JobMachine.Event {
  /// The keys of its own that the server gave the records of a commit that took effect; nil for other events.
  fileprivate var keys: [RecordName: RecordKey]? {
    switch self {
    case .sent(_, let keys), .settled(true, let keys): keys
    default: nil
    }
  }
}
