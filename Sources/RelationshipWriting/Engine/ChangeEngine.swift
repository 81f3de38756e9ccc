// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import Relationships

/// Changes the relationships of one account: from what somebody wants to what the server has done.
///
/// ```swift
/// let engine = ChangeEngine(account: me, pds: signedIn, journal: SQLiteJobStore(database))
/// let submission = try await engine.submit([.init("alice.test", .follow(alice))], as: "follow")
/// if let job = submission.job { try await engine.run(job.id, plannedBy: submission.facts) }
/// ```
///
/// Facts are read under a lease, the journal before the repository, so that nothing falls between two plans; what is
/// planned is journaled before anything is sent; each commit is begun in the journal, which sets its points aside, and
/// its outcome is recorded there. A ``RelationshipWriter`` is the front of it for single taps.
public struct ChangeEngine: Sendable {
  /// Whose relationships change.
  public let account: DID
  /// Where everything is written down.
  public let journal: any JobStore
  let repository: any Repository
  let facts: FactLoader
  let planner: ChangePlanner
  let observers: ChangeObservers
  let time: TimeSource

  /// Changes relationships by the account's PDS.
  ///
  /// - Parameters:
  ///   - pds: asks the account's PDS, signed in; its clock dates the records.
  ///   - appview: who keeps the account's mutes; nil for the AppView that the PDS has chosen.
  ///   - journal: where changes are written down; what is in memory is lost with the process, and so is what it had
  ///     not finished.
  ///   - observers: told of what was done.
  public init(
    account: DID, pds: XRPCClient, appview: ServiceReference? = nil,
    journal: any JobStore = InMemoryJobStore(), observers: ChangeObservers = ChangeObservers()
  ) {
    let time = pds.time
    var proxied = pds
    if let appview { proxied.configuration.proxy = appview }
    // Other apps spend points, too; the server knows of all of them.
    var listening = pds.wrapping { transport in
      RateLimitListener(transport, time: time) { _, limit, now in
        // The journal's own count stands where this cannot be written down; the commit's outcome counts for more.
        try? await journal.observed(limit, of: account, at: now)
      }
    }
    // A run repeats what failed by itself, and within its own patience.
    listening.configuration.retry.budget = min(listening.configuration.retry.budget, .seconds(10))
    self.init(
      repository: PDSRepository(account: account, pds: listening, appview: appview),
      facts: FactLoader(account: account, pds: pds, appview: proxied), journal: journal,
      keys: TIDClock(time: time), observers: observers, time: time)
  }

  /// Changes relationships by any repository.
  ///
  /// - Parameters:
  ///   - facts: learns what has to be known before changes are planned.
  ///   - keys: names the records.
  public init(
    repository: any Repository, facts: FactLoader, journal: any JobStore, keys: TIDClock,
    observers: ChangeObservers = ChangeObservers(), time: TimeSource = .system
  ) {
    account = repository.account
    self.repository = repository
    self.facts = facts
    self.journal = journal
    planner = ChangePlanner(account: repository.account, keys: keys, time: time)
    self.observers = observers
    self.time = time
  }

  // MARK: Planning

  /// What somebody is asked before a plan is journaled.
  public struct Confirmation: Sendable {
    let isNeeded: @Sendable (ChangePlan) -> Bool
    let ask: @Sendable (ChangePlan) async throws -> Void

    /// Asks about some plans.
    ///
    /// - Parameters:
    ///   - isNeeded: whether this plan is asked about.
    ///   - ask: throws where it is not meant so. May take any time: nobody else is held up meanwhile, and what others
    ///     have done since is planned anew.
    public init(
      isNeeded: @escaping @Sendable (ChangePlan) -> Bool,
      ask: @escaping @Sendable (ChangePlan) async throws -> Void
    ) {
      self.isNeeded = isNeeded
      self.ask = ask
    }
  }

  /// What was journaled.
  public struct Submission: Sendable {
    /// What was planned.
    public let plan: ChangePlan
    /// The job, which waits to be run; nil where nothing is to be sent.
    public let job: Job?
    /// What the plan rests on, for the run that follows at once.
    public let facts: JobRunner.FactsStamp
  }

  /// Finds out what intents take, and changes nothing.
  ///
  /// - Parameters:
  ///   - lifetime: after how long what is done is taken back; nil where it is to last.
  ///   - narrow: takes out of a plan what is not wanted.
  ///   - progress: told from time to time how many records were read.
  /// - Throws: ``RepositoryError`` when the own records cannot be learned, what the journal throws,
  ///   `CancellationError`.
  public func plan(
    _ requests: [ChangePlan.Request], lifetime: Duration? = nil,
    narrowing narrow: (PlannedChange) -> PlannedChange = { $0 },
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> ChangePlan {
    try await draft(requests, narrow, progress).plan(until: end(after: lifetime))
  }

  /// Finds out what intents take, has it confirmed, and writes it down as a job.
  ///
  /// - Parameters:
  ///   - title: what the job does, in one or two words: `follow`.
  ///   - lifetime: after how long what is done is taken back, from when it is written down; nil where it is to last.
  ///   - limit: how much of the write budget the job may use; nil for what is usual.
  ///   - confirmation: nil where nobody is asked.
  ///   - narrow: takes out of a plan what is not wanted.
  ///   - progress: told from time to time how many records were read.
  /// - Throws: ``RepositoryError`` when the own records cannot be learned; ``JobError/Code/held`` while another process
  ///   plans changes of the account for long; what `confirmation` and the journal throw; `CancellationError`.
  public func submit(
    _ requests: [ChangePlan.Request], as title: String, lifetime: Duration? = nil, limit: WriteLimit? = nil,
    confirmation: Confirmation? = nil,
    narrowing narrow: (PlannedChange) -> PlannedChange = { $0 },
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Submission {
    // Held until what is planned is journaled: whoever plans next finds it there, and does not plan it again.
    var lease = try await leasePlanning()
    defer { lease.release() }
    var draft = try await draft(requests, narrow, progress)
    var until = end(after: lifetime)
    var plan = draft.plan(until: until)
    if !plan.isEmpty, let confirmation, confirmation.isNeeded(plan) {
      lease.release()
      try await confirmation.ask(plan)
      lease = try await leasePlanning()
      if try await history(of: requests) != draft.history {
        draft = try await self.draft(requests, narrow, progress)
      }
      until = end(after: lifetime)
      plan = draft.plan(until: until)
    }
    for end in plan.changes.compactMap(\.newEnd) {
      try await journal.setEnd(of: [end.position], in: end.job, to: end.until)
    }
    let items = plan.items
    guard !items.isEmpty else { return Submission(plan: plan, job: nil, facts: draft.facts) }
    let job = try await JobManager(journal: journal, time: time).add(
      JobDraft(account: account, title: title, until: until, limit: limit), items)
    return Submission(plan: plan, job: job, facts: draft.facts)
  }

  /// Takes the sole right to plan changes of the account, as soon as others are done.
  ///
  /// - Parameter patience: how long others are waited for.
  func leasePlanning(patience: Duration = .seconds(60)) async throws -> any JobLease {
    let start = time.now
    while true {
      do {
        return try await journal.leasePlanning(of: account, at: time.microsecondsSinceEpoch)
      } catch let error as JobError where error.code == .held && time.now - start < patience {
        try await time.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Plans before it is known when what they do is to end.
  private struct Draft {
    let account: DID
    let requests: [ChangePlan.Request]
    let planned: [PlannedChange]
    let isThere: [Bool]
    let known: PlanningFacts
    let history: [ChangeStep.Subject: [JobHistoryEntry]]
    let facts: JobRunner.FactsStamp

    func plan(until: Datetime?) -> ChangePlan {
      let changes = zip(planned, isThere).map { planned, isThere in
        planned.considering(
          planned.change.history(in: history), recordIsThere: isThere, until: until)
      }.refusingWhatNeedsListsNotMade()
      let blocked = changes.count { planned in
        if case .block(let other) = planned.change { known.follows?[other].isEmpty == false } else { false }
      }
      return ChangePlan(
        account: account, requests: requests, changes: changes,
        following: known.follows.map { $0.count + $0.passedOver },
        followedAndBlocked: blocked, unreadable: known.unreadable, faults: known.faults)
    }
  }

  private func draft(
    _ requests: [ChangePlan.Request], _ narrow: (PlannedChange) -> PlannedChange,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws -> Draft {
    // The journal first: what is done after it was read, the repository shows.
    let history = try await history(of: requests)
    let stamp = JobRunner.FactsStamp(revision: try await journal.revision(), readAt: time.now)
    let intents = requests.map(\.intent)
    let known = try await facts.knowledge(
      for: intents, verifying: accountsToVerify(in: requests), progress: progress)
    let planned = planner.plan(intents, knowing: { known[$0] }).map { planned in
      guard let other = planned.change.account, known.nobody.contains(other) else { return narrow(planned) }
      return PlannedChange(planned.change, .refused(.noSuchAccount(other)))
    }
    let made = planned.map { $0.recordsMade(by: $0.change.history(in: history)) }
    // A listing that began after the journal was read has told of them already.
    let there = try await repository.records(known.unlisted(among: made.flatMap(\.self)))
    let isThere = made.map { writes in writes.contains { there[$0.name] != nil } }
    return Draft(
      account: account, requests: requests, planned: planned, isThere: isThere, known: known,
      history: history, facts: stamp)
  }

  /// Accounts that may be nobody's; none where there are many, for a call for every 25 would cost more than a record
  /// that points to nobody.
  private func accountsToVerify(in requests: [ChangePlan.Request]) -> Set<DID> {
    let unresolved = requests.filter { !$0.isResolved && $0.intent.makesEdge }.compactMap(\.intent.account)
    let accounts = Set(unresolved).subtracting([account])
    return accounts.count <= ChangePlan.mostVerified ? accounts : []
  }

  private func history(
    of requests: [ChangePlan.Request]
  ) async throws -> [ChangeStep.Subject: [JobHistoryEntry]] {
    try await journal.history(of: requests.flatMap(\.intent.subjects), by: account)
  }

  private func end(after lifetime: Duration?) -> Datetime? {
    lifetime.map {
      Datetime(microsecondsSinceEpoch: time.microsecondsSinceEpoch + $0.inMilliseconds * 1_000)
    }
  }

  // MARK: Running

  /// Runs a job to its end, from wherever it was left.
  ///
  /// - Parameter facts: what the job was planned by, where that was just now; nil compares with the repository.
  /// - Throws: as ``JobRunner/run(_:plannedBy:progress:)``.
  @discardableResult
  public func run(
    _ job: JobID, plannedBy facts: JobRunner.FactsStamp? = nil, options: JobRunner.Options = .init(),
    progress: (@Sendable (JobProgress) -> Void)? = nil
  ) async throws -> JobEnd {
    try await runner(options).run(job, plannedBy: facts, progress: progress)
  }

  func runner(_ options: JobRunner.Options) -> JobRunner {
    JobRunner(
      repository: repository, store: journal, observers: observers, time: time, options: options)
  }
}

extension ChangeIntent {
  /// What jobs did to any of its subjects, in the order of the jobs.
  func history(in history: [ChangeStep.Subject: [JobHistoryEntry]]) -> [JobHistoryEntry] {
    let own = subjects
    if own.count == 1 { return history[own[0]] ?? [] }
    return own.flatMap { history[$0] ?? [] }.sorted { ($0.job, $0.position) < ($1.job, $1.position) }
  }
}
