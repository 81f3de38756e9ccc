// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
package import KithRelationships

/// Changes the relationships of one account, from an intent to the outcome on the server.
///
/// ```swift
/// let engine = ChangeEngine(account: me, pds: signedIn, journal: try .file(in: folder))
/// let submission = try await engine.submit([.init("alice.test", .follow(alice))], as: "follow")
/// if let job = submission.job { try await engine.run(job.id, plannedBy: submission.facts) }
/// ```
///
/// Facts are read under a lease, the journal before the repository, so no change is missed between two plans.
/// A plan is journaled before anything is sent. Each commit is journaled before it is sent, which reserves
/// its points; its outcome is journaled afterwards. For single taps in an app, use a ``RelationshipWriter``,
/// which is built on this.
public struct ChangeEngine: Sendable {
  /// The account whose relationships change.
  public let account: DID
  /// The journal.
  package let journal: any JobStore
  let repository: any Repository
  let facts: FactLoader
  let planner: ChangePlanner
  let observers: ChangeObservers
  let time: TimeSource

  /// Creates an engine that writes to the account's PDS.
  ///
  /// - Parameters:
  ///   - pds: a signed-in client for the account's PDS; its clock dates the records.
  ///   - appview: the AppView that stores the account's mutes; nil for the one that the PDS has chosen.
  ///   - journal: where changes are journaled. An in-memory journal is lost with the process, including
  ///     unfinished work.
  ///   - identities: finds out whether an account is registered that the AppView does not know; nil for one
  ///     that uses the directory of the public network.
  ///   - observers: notified of what was done.
  public init(
    account: DID, pds: XRPCClient, appview: ServiceReference? = nil, journal: Journal = Journal(),
    identities: IdentityDirectory? = nil, observers: ChangeObservers = ChangeObservers()
  ) {
    self.init(
      account: account, pds: pds, appview: appview, journal: journal, identities: identities,
      records: InMemoryOwnRecordStore(), observers: observers)
  }

  /// Creates an engine that writes to the account's PDS.
  ///
  /// - Parameters:
  ///   - records: where own records are kept.
  ///   - files: the files that records to be written name, to upload them again if the server has deleted them.
  package init(
    account: DID, pds: XRPCClient, appview: ServiceReference? = nil, journal: Journal = Journal(),
    identities: IdentityDirectory? = nil, records: any OwnRecordStore, files: [RecordFile] = [],
    observers: ChangeObservers = ChangeObservers()
  ) {
    let journal = journal.store
    let time = pds.time
    var proxied = pds
    if let appview { proxied.configuration.proxy = appview }
    // Other apps spend points, too; only the server knows the total.
    var listening = pds.wrapping { transport in
      RateLimitListener(transport, time: time) { _, limit, now in
        // If this cannot be stored, the journal's own count applies; the outcome of the commit matters more.
        try? await journal.observed(limit, of: account, at: now)
      }
    }
    // A run retries failures itself, with its own limits.
    listening.configuration.retry.budget = min(listening.configuration.retry.budget, .seconds(10))
    let own = OwnRecords(of: account, client: pds, store: records)
    self.init(
      repository: PDSRepository(
        account: account, pds: listening, appview: appview, records: own, files: files),
      facts: FactLoader(account: account, pds: pds, appview: proxied, identities: identities, records: own),
      journal: journal,
      keys: TIDClock(time: time), observers: observers, time: time)
  }

  /// Creates an engine that writes to any repository.
  ///
  /// - Parameters:
  ///   - facts: loads what has to be known before changes are planned.
  ///   - keys: generates the record keys.
  package init(
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

  /// Whether the server of the account compares commits, if that is known after the last write.
  package var comparesCommits: Bool { get async { await repository.comparesCommits } }

  // MARK: Planning

  /// Asks for confirmation before a plan is journaled.
  public struct Confirmation: Sendable {
    let isNeeded: @Sendable (ChangePlan) -> Bool
    let ask: @Sendable (ChangePlan) async throws -> Void

    /// Creates a confirmation.
    ///
    /// - Parameters:
    ///   - isNeeded: whether to ask about this plan.
    ///   - ask: throws if the plan is declined. It may take any time: the planning lease is released
    ///     meanwhile, and if others have changed anything since, the plan is made again.
    public init(
      isNeeded: @escaping @Sendable (ChangePlan) -> Bool,
      ask: @escaping @Sendable (ChangePlan) async throws -> Void
    ) {
      self.isNeeded = isNeeded
      self.ask = ask
    }
  }

  /// The result of a submission.
  public struct Submission: Sendable {
    /// The plan.
    public let plan: ChangePlan
    /// The job, ready to be run; nil if there is nothing to send.
    public let job: Job?
    /// The facts that the plan is based on, for a run that follows at once.
    public let facts: FactsStamp
  }

  /// Plans intents without changing anything.
  ///
  /// - Parameters:
  ///   - lifetime: after this time the changes are undone; nil if they are permanent.
  ///   - progress: called from time to time with the number of records read.
  /// - Throws: `RepositoryError` if the own records cannot be read, what the journal throws,
  ///   `CancellationError`.
  public func plan(
    _ requests: [ChangePlan.Request], lifetime: Duration? = nil,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> ChangePlan {
    try await plan(requests, lifetime: lifetime, narrowing: { $0 }, progress: progress)
  }

  /// Plans intents as ``plan(_:lifetime:progress:)`` does, and narrows each planned change.
  ///
  /// - Parameter narrow: returns a planned change reduced to the part that the caller wants. It is asked once the facts
  ///   are known, so what it waits for can be found out beside them.
  package func plan(
    _ requests: [ChangePlan.Request], lifetime: Duration? = nil,
    narrowing narrow: (PlannedChange) async throws -> PlannedChange,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> ChangePlan {
    var earlier: Set<ChangeIntent> = []
    return try await plan(
      requests, after: &earlier, lifetime: lifetime, narrowing: narrow, progress: progress)
  }

  /// Plans intents as ``plan(_:lifetime:progress:)`` does, after others that are independent of them.
  ///
  /// So a plan for very many accounts can be looked at in portions. Changes of lists and of their members depend on
  /// each other; they belong into one portion.
  /// - Parameter earlier: the intents planned so far.
  package func plan(
    _ requests: [ChangePlan.Request], after earlier: inout Set<ChangeIntent>, lifetime: Duration? = nil,
    narrowing narrow: (PlannedChange) async throws -> PlannedChange,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> ChangePlan {
    let draft = try await draft(requests, after: &earlier, narrow, progress)
    await facts.records.confirmReading()
    return draft.plan(until: end(after: lifetime))
  }

  /// Plans intents, asks for confirmation, and journals the plan as a job.
  ///
  /// - Parameters:
  ///   - title: what the job does, in one or two words: `follow`.
  ///   - lifetime: after this time, counted from when it is journaled, the changes are undone; nil if they
  ///     are permanent.
  ///   - limit: how much of the write budget the job may use; nil for the default.
  ///   - confirmation: nil to skip the confirmation.
  ///   - progress: called from time to time with the number of records read.
  /// - Throws: `RepositoryError` if the own records cannot be read; ``JobError/Code/held`` if another
  ///   process holds the planning lease of the account for too long; what `confirmation` and the journal
  ///   throw; `CancellationError`.
  public func submit(
    _ requests: [ChangePlan.Request], as title: String, lifetime: Duration? = nil, limit: WriteLimit? = nil,
    confirmation: Confirmation? = nil, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Submission {
    try await submit(
      requests, as: title, lifetime: lifetime, limit: limit, confirmation: confirmation, narrowing: { $0 },
      progress: progress)
  }

  /// Submits intents as ``submit(_:as:lifetime:limit:confirmation:progress:)`` does, and narrows each planned
  /// change.
  ///
  /// - Parameter narrow: returns a planned change reduced to the part that the caller wants. It is asked once the facts
  ///   are known, so what it waits for can be found out beside them.
  package func submit(
    _ requests: [ChangePlan.Request], as title: String, lifetime: Duration? = nil, limit: WriteLimit? = nil,
    confirmation: Confirmation? = nil,
    narrowing narrow: (PlannedChange) async throws -> PlannedChange,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Submission {
    try await submit(
      requests, lifetime: lifetime, confirmation: confirmation, narrowing: narrow, progress: progress
    ) { plan, until in
      let items = plan.items
      guard !items.isEmpty else { return nil }
      return try await JobManager(journal: journal, time: time).add(
        JobDraft(account: account, title: title, until: until, limit: limit), items)
    }
  }

  /// Plans intents, asks for confirmation, and journals the plan as the caller wants.
  ///
  /// - Parameters:
  ///   - check: looks at each plan before it is asked about or changes anything; what it throws ends the submission.
  ///   - record: journals the plan, with the end of what it makes. Returns the job; nil if there is nothing to send.
  func submit(
    _ requests: [ChangePlan.Request], lifetime: Duration?, confirmation: Confirmation?,
    narrowing narrow: (PlannedChange) async throws -> PlannedChange,
    progress: @escaping @Sendable (Int) -> Void, checking check: (ChangePlan) async throws -> Void = { _ in },
    recording record: (ChangePlan, _ until: Datetime?) async throws -> Job?
  ) async throws -> Submission {
    // Held until the plan is journaled: the next planner finds it there and does not plan it again.
    var lease = try await leasePlanning()
    defer { lease.release() }
    try await JobManager(journal: journal, time: time).cancelUnrecorded(whilePlanningFor: account)
    var draft = try await draft(requests, narrow, progress)
    let patience = PlanningPatience(at: time.now)
    while let wait = try await patience.wait(for: draft.plan(until: nil), in: journal, at: time.now) {
      lease.release()
      try await time.sleep(for: wait)
      lease = try await leasePlanning()
      if try await history(of: draft.requests) != draft.history {
        draft = try await self.draft(requests, narrow, progress)
      }
    }
    var until = end(after: lifetime)
    var plan = draft.plan(until: until)
    try await check(plan)
    let isAsked = !plan.isEmpty && confirmation?.isNeeded(plan) == true
    let files = FileKeeper(repository: repository, journal: journal, time: time)
    // Not read again while others wait for the lease.
    let tried = Set(plan.filesLetGo.map(\.ref))
    if isAsked || !tried.isEmpty {
      lease.release()
      plan.unkeptFiles = try await files.keep(plan.filesLetGo).count
      if isAsked, let confirmation { try await confirmation.ask(plan) }
      lease = try await leasePlanning()
      if try await history(of: draft.requests) != draft.history {
        draft = try await self.draft(requests, narrow, progress)
      }
      until = end(after: lifetime)
      plan = draft.plan(until: until)
      try await check(plan)
      plan.unkeptFiles = try await files.keep(plan.filesLetGo, besides: tried).count
    }
    while try await !withdraw(plan) {
      draft = try await self.draft(requests, narrow, progress)
      plan = draft.plan(until: until)
      try await check(plan)
      plan.unkeptFiles = try await files.keep(plan.filesLetGo, besides: tried).count
    }
    let job = try await record(plan, until)
    if job == nil { await facts.records.confirmReading() }
    return Submission(plan: plan, job: job, facts: draft.facts)
  }

  /// Cancels what a plan withdraws from other jobs.
  ///
  /// - Returns: false if some of it was no longer pending, because it has been sent; then plan again.
  private func withdraw(_ plan: ChangePlan) async throws -> Bool {
    var wanted: [JobID: Set<Int>] = [:]
    for planned in plan.changes { wanted.merge(planned.withdrawals) { $0.union($1) } }
    var isComplete = true
    for (job, items) in wanted {
      let withdrawn = try await journal.withdraw(items, of: job, at: time.instant)
      isComplete = isComplete && withdrawn == items
    }
    return isComplete
  }

  /// Takes the exclusive lease to plan changes of the account, waiting for other holders.
  ///
  /// - Parameter patience: how long to wait for others.
  func leasePlanning(patience: Duration = .seconds(60)) async throws -> any JobLease {
    let start = time.now
    while true {
      do {
        return try await journal.leasePlanning(of: account, at: time.instant)
      } catch let error as JobError where error.code == .held && time.now - start < patience {
        try await time.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Plans whose end is not decided yet.
  struct Draft {
    let account: DID
    let requests: [ChangePlan.Request]
    let planned: [PlannedChange]
    let isThere: [Bool]
    let known: PlanningFacts
    let history: [ChangeStep.Subject: [JobHistoryEntry]]
    /// The history for what holds already; read after the facts if a job may have done it meanwhile.
    let historyOfHeld: [ChangeStep.Subject: [JobHistoryEntry]]
    let facts: FactsStamp
    /// Whether the server gives new records keys of its own.
    let choosesKeys: Bool

    func plan(until: Datetime?) -> ChangePlan {
      var changes = zip(requests, zip(planned, isThere)).map { request, found in
        let (planned, isThere) = found
        return planned.considering(
          planned.change.history(in: planned.holds ? historyOfHeld : history), recordIsThere: isThere,
          until: request.until ?? until)
      }
      if choosesKeys { changes = changes.refusingWhatNeedsKeys(of: account) }
      changes = changes.refusingWhatNeedsListsNotMade()
      let blocked = changes.count { planned in
        planned.change.blocked.map { known.edges[.follow]?[$0].isEmpty == false } ?? false
      }
      return ChangePlan(
        account: account, requests: requests, changes: changes,
        following: known.edges[.follow].map { $0.count + $0.passedOver },
        followedAndBlocked: blocked, unreadable: known.unreadable, faults: known.faults)
    }
  }

  private func draft(
    _ requests: [ChangePlan.Request], _ narrow: (PlannedChange) async throws -> PlannedChange,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws -> Draft {
    var earlier: Set<ChangeIntent> = []
    return try await draft(requests, after: &earlier, narrow, progress)
  }

  func draft(
    _ requests: [ChangePlan.Request], after earlier: inout Set<ChangeIntent>,
    _ narrow: (PlannedChange) async throws -> PlannedChange, _ progress: @escaping @Sendable (Int) -> Void
  ) async throws -> Draft {
    guard requests.contains(where: \.intent.createsList) else {
      return try await draft(boundTo: requests, after: &earlier, narrow, progress)
    }
    // The URI of a new list was chosen before the lease was taken.
    let before = earlier
    let draft = try await draft(boundTo: requests, after: &earlier, narrow, progress)
    let lists = ListBindings(of: requests.map(\.intent), to: draft.known.lists, draft.history)
    if lists.isEmpty { return draft }
    earlier = before
    return try await self.draft(
      boundTo: requests.map { $0.bound(by: lists) }, after: &earlier, narrow, progress)
  }

  private func draft(
    boundTo requests: [ChangePlan.Request], after earlier: inout Set<ChangeIntent>,
    _ narrow: (PlannedChange) async throws -> PlannedChange, _ progress: @escaping @Sendable (Int) -> Void
  ) async throws -> Draft {
    // The journal is read first: anything done after that shows in the repository.
    let history = try await history(of: requests)
    var stamp = FactsStamp(revision: try await journal.revision(), readAt: time.now)
    let began = time.instant
    let intents = requests.map(\.intent)
    let reactions = intents.reduce(into: Set<RecordName>()) {
      $0.formUnion($1.reactionsMade(by: $1.history(in: history)))
    }
    let known = try await facts.knowledge(
      for: intents, verifying: accountsToVerify(in: requests), naming: reactions, progress: progress)
    stamp.commit = known.commit
    var planned: [PlannedChange] = []
    for change in planner.plan(intents, after: &earlier, knowing: { known[$0] }) {
      if let other = change.change.account, known.nonexistent.contains(other) {
        planned.append(PlannedChange(change.change, .refused(.noSuchAccount(other))))
      } else {
        planned.append(try await narrow(change))
      }
    }
    observers.found(
      planned.lazy.filter { $0.outcome == .holds }.map { ($0.change, known[$0.change]) }, at: began)
    let made = planned.map { $0.recordsMade(by: $0.change.history(in: history)) }
    // A listing that began after the journal was read includes them already.
    let there = try await repository.records(known.unlisted(among: made.flatMap(\.self)))
    let isThere = made.map { writes in writes.contains { there[$0.name] != nil } }
    let mayBeNews = planned.contains { planned in
      planned.holds && planned.change.history(in: history).contains { $0.isOpen && $0.makes(planned.change) }
    }
    return Draft(
      account: account, requests: requests, planned: planned, isThere: isThere, known: known,
      history: history, historyOfHeld: mayBeNews ? try await self.history(of: requests) : history,
      facts: stamp,
      choosesKeys: try await journal.serverChoosingKeys(of: account) == repository.server)
  }

  /// Accounts that may not exist: a record would point to a missing account.
  private func accountsToVerify(in requests: [ChangePlan.Request]) -> Set<DID> {
    let unresolved = requests.lazy.filter { !$0.isResolved && $0.intent.makesEdge }.compactMap(
      \.intent.account)
    return Set(unresolved).subtracting([account])
  }

  private func history(
    of requests: [ChangePlan.Request]
  ) async throws -> [ChangeStep.Subject: [JobHistoryEntry]] {
    var seen: Set<ChangeStep.Subject> = []
    let subjects = requests.lazy.flatMap(\.intent.subjectsOfHistory).filter { seen.insert($0).inserted }
    return try await journal.history(of: Array(subjects), by: account)
  }

  func end(after lifetime: Duration?) -> Datetime? {
    lifetime.map { Datetime(at: time.instant + $0) }
  }

  // MARK: Running

  /// Runs a job to its end, from where it stopped.
  ///
  /// - Parameter facts: what the job was just planned by; with nil, the repository is read and compared.
  /// - Throws: ``JobError`` if there is no such job, another process is running it, it belongs to another
  ///   account or is not ready to run. What the journal throws; the job is then as its journal says and can
  ///   be resumed.
  @discardableResult
  public func run(
    _ job: JobID, plannedBy facts: FactsStamp? = nil, options: JobOptions = JobOptions(),
    progress: (@Sendable (JobProgress) -> Void)? = nil
  ) async throws -> JobEnd {
    try await runner(options).run(job, plannedBy: facts, progress: progress)
  }

  /// Whether a job has made edges although the server does not compare commits, so that another app may have made the
  /// same at that moment.
  package func hasMadeEdgesUncompared(_ job: JobID) async throws -> Bool {
    guard await !comparesCommits else { return false }
    var position: Int?
    repeat {
      let items = try await journal.items(
        of: job, in: [.done], after: position, most: JobMachine.itemsPerLoad)
      if items.contains(where: { $0.step.writes.contains(where: \.makesUniqueEdge) }) { return true }
      position = items.last?.position
    } while position != nil
    return false
  }

  func runner(_ options: JobOptions) -> JobRunner {
    JobRunner(
      repository: repository, store: journal, observers: observers, time: time, options: options)
  }
}

extension ChangeIntent {
  /// Returns what jobs did to any of its subjects, in the order of the jobs.
  func history(in history: [ChangeStep.Subject: [JobHistoryEntry]]) -> [JobHistoryEntry] {
    let own = subjectsOfHistory
    if own.count == 1 { return history[own[0]] ?? [] }
    return own.flatMap { history[$0] ?? [] }.sorted { ($0.order, $0.position) < ($1.order, $1.position) }
  }
}

/// When the facts of a plan were read.
///
/// Passed from a ``ChangeEngine/Submission`` to the run that follows at once, which then need not compare the
/// repository with the plan.
public struct FactsStamp: Sendable, Hashable {
  /// The journal's revision before they were read.
  package var revision: Int64
  /// When they were read, by the clock of the runner.
  package var readAt: Duration
  /// A commit of the repository at or after which they were read; nil if its server does not name its commits.
  package var commit: RepositoryCommit?

  /// Creates a stamp.
  package init(revision: Int64, readAt: Duration, commit: RepositoryCommit? = nil) {
    self.revision = revision
    self.readAt = readAt
    self.commit = commit
  }
}
