// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithRelationships

/// Changes the relationships of one account for an app: follow, block, mute and their opposites, one tap at a
/// time.
///
/// ```swift
/// let writer = RelationshipWriter(account: me, pds: signedIn, relationships: service)
/// try await writer.follow(alice)
/// ```
///
/// An intent shows at once in the service's answers, in its `changes` and in the counts of a `ProfileService`
/// (optimistic update). If the server does not accept it, it is rolled back with the reason. Whichever way a
/// change ends, what the repository has is shown instead of what an AppView returns, until the AppView has
/// caught up (Q21): also what held already, what was rolled back, and what other users of the journal did.
///
/// Intents about one account are coalesced, from any number of tasks: the last one is carried out with the
/// fewest writes. A change whose outcome is in doubt is looked up and retried under the same key, never
/// duplicated.
///
/// Each method throws `ChangeFailure`, and `CancellationError` if its task is cancelled; cancelling ends
/// the waiting, not the change.
public actor RelationshipWriter {
  /// The configuration of a ``RelationshipWriter``.
  public struct Configuration: Sendable, Hashable {
    /// How long a change is retried while its outcome is in doubt or the server cannot be reached.
    public var patience: Duration
    /// How long facts about an account stay fresh; other devices may change them.
    public var memory: Duration
    /// The points that taps may spend. Jobs leave a part of the budget free, a fifth by default; that part is
    /// the reserve for taps, which leave nothing free.
    public var limit: WriteLimit

    /// Creates a configuration; the defaults are 30 seconds, 5 minutes, and all points.
    public init(
      patience: Duration = .seconds(30), memory: Duration = .seconds(300),
      limit: WriteLimit = WriteLimit(leave: 0)
    ) {
      self.patience = patience
      self.memory = memory
      self.limit = limit
    }
  }

  private typealias Waiting = (
    change: ChangeIntent, continuation: CheckedContinuation<ChangeOutcome, any Error>
  )

  /// The account whose relationships change.
  public nonisolated let account: DID
  private let engine: ChangeEngine
  private let presenter: OptimisticPresenter
  private let configuration: Configuration
  private let time: TimeSource
  private var states: [IntentKey: IntentState] = [:]
  private var waiting: [IntentMachine.WaiterID: Waiting] = [:]
  private var waitersSoFar = 0
  /// The last list change; the next one waits for it.
  private var listChange: Task<Void, Never>?
  /// The journal's revision up to which all changes are known here.
  private var seenRevision: Int64 = 0
  /// Later revisions that belong to taps of this writer.
  private var ownRevisions: Set<Int64> = []
  /// How often changes by others were noticed.
  private var timesNoticed = 0
  /// How often something was changed here.
  private var changesMade = 0

  /// Idle subjects that are kept in memory.
  private static let mostSubjects = 1_000
  /// With more subjects than this, some are evicted.
  private var room = RelationshipWriter.mostSubjects

  /// Creates a writer that uses the account's PDS.
  ///
  /// - Parameters:
  ///   - pds: a signed-in client for the account's PDS; its clock dates the records.
  ///   - appview: the AppView that stores the account's mutes; nil for the one that the PDS has chosen.
  ///   - service: the service that shows intents and results; nil for none.
  ///   - profiles: the service that shows the changed counts; nil for none. One of another account is
  ///     ignored.
  ///   - journal: where changes are journaled and counted in the write budget. If other writers use it, it is
  ///     shared with their jobs.
  public init(
    account: DID, pds: XRPCClient, appview: ServiceReference? = nil,
    relationships service: FollowRelationshipService? = nil, profiles: ProfileService? = nil,
    journal: Journal = Journal(), configuration: Configuration = Configuration()
  ) {
    self.init(
      engine: ChangeEngine(account: account, pds: pds, appview: appview, journal: journal),
      relationships: service, profiles: profiles, configuration: configuration)
  }

  /// Creates a writer that uses any repository.
  ///
  /// - Parameter keys: generates the record keys.
  package init(
    repository: any Repository, facts: FactLoader, relationships service: FollowRelationshipService? = nil,
    profiles: ProfileService? = nil, journal: any JobStore = InMemoryJobStore(), keys: TIDClock,
    configuration: Configuration = Configuration(), time: TimeSource = .system
  ) {
    self.init(
      engine: ChangeEngine(
        repository: repository, facts: facts, journal: journal, keys: keys, time: time),
      relationships: service, profiles: profiles, configuration: configuration)
  }

  private init(
    engine: ChangeEngine, relationships service: FollowRelationshipService?, profiles: ProfileService?,
    configuration: Configuration
  ) {
    account = engine.account
    self.engine = engine
    let observers = ChangeObservers(account: engine.account, relationships: service, profiles: profiles)
    presenter = OptimisticPresenter(account: engine.account, observers: observers)
    self.configuration = configuration
    time = engine.time
  }

  // MARK: Changes

  /// Makes a change.
  @discardableResult
  public func make(_ change: ChangeIntent) async throws -> ChangeOutcome {
    if let refusal = engine.planner.refusal(of: change) { throw ChangeFailure.refused(refusal) }
    try Task.checkCancellation()
    await invalidateIfJournalChanged()
    return try await register(change)
  }

  /// Registers an intent before it suspends, and waits for its outcome.
  private func register(_ change: ChangeIntent) async throws -> ChangeOutcome {
    waitersSoFar += 1
    let waiter = waitersSoFar
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting[waiter] = (change, continuation)
        if let subject = IntentKey(change) {
          request(change, about: subject, waiter)
        } else {
          enqueueListChange(change, for: waiter)
        }
      }
    } onCancel: {
      Task { await self.stopWaiting(waiter) }
    }
  }

  /// Follows an account that is shown as not followed, and unfollows one that is shown as followed.
  ///
  /// The shown state is the last intent, else the known facts, else what the service returns.
  @discardableResult
  public func toggleFollow(_ account: DID) async throws -> ChangeOutcome {
    if let refusal = engine.planner.refusal(of: .follow(account)) { throw ChangeFailure.refused(refusal) }
    try Task.checkCancellation()
    await invalidateIfJournalChanged()
    var follows = expectsToFollow(account)
    if follows == nil {
      let answered = try await isFollowing(account)
      // An intent that arrived meanwhile takes precedence.
      follows = expectsToFollow(account) ?? answered
    }
    // From the decision to its registration nothing suspends: a second tap decides on what the first one wants.
    return try await register(follows == true ? .unfollow(account) : .follow(account))
  }

  /// Whether the account is followed once all intents are carried out; nil if there are none and the facts
  /// are too old.
  private func expectsToFollow(_ account: DID) -> Bool? {
    guard var state = states[.edges(.account(account))] else { return nil }
    state.forgetOld(at: time.now, after: configuration.memory)
    return state.expects(.follow)
  }

  /// Forgets all facts if another user of the journal has changed something, and shows what it did.
  private func invalidateIfJournalChanged() async {
    // An unreadable journal shows when the change is journaled.
    guard let revision = try? await engine.journal.revision(), revision > seenRevision else { return }
    let known = seenRevision
    let own = ownRevisions
    let areOwn = (seenRevision + 1...revision).allSatisfy(ownRevisions.contains)
    seenRevision = revision
    ownRevisions = ownRevisions.filter { $0 > revision }
    if areOwn { return }
    timesNoticed += 1
    for subject in states.keys { states[subject]?.forget() }
    await showChangesOfOthers(since: known, except: own)
  }

  /// Shows what others did a short time ago, where nothing is wanted here.
  private func showChangesOfOthers(since revision: Int64, except own: Set<Int64>) async {
    guard presenter.isObserved else { return }
    let journaled = JournaledChanges(engine.journal, time: time)
    var found: [DID: RecentEdges]
    var made: Int
    repeat {
      made = changesMade
      found = (try? await journaled.edges(of: account, since: revision, except: own)) ?? [:]
      // What was changed here meanwhile is newer.
    } while made != changesMade
    presenter.confirm(found.filter { states[.edges(.account($0.key))]?.desired == nil })
  }

  /// Marks the changes of a tap as known.
  private func recordOwnRevision(_ job: JobID, about subjects: Set<ChangeStep.Subject>) async {
    // If the journal cannot be read, they count as changes by others, and everything is loaded again.
    guard let history = try? await engine.journal.history(of: Array(subjects), by: account) else { return }
    for entry in history.values.joined() where entry.job == job && entry.revision > seenRevision {
      ownRevisions.insert(entry.revision)
    }
    while ownRevisions.remove(seenRevision + 1) != nil { seenRevision += 1 }
  }

  /// Resumes the waiter of a serialized change, unless it was cancelled.
  private func end(_ waiter: IntentMachine.WaiterID, with outcome: Result<ChangeOutcome, any Error>) {
    waiting.removeValue(forKey: waiter)?.continuation.resume(with: outcome)
  }

  private func stopWaiting(_ waiter: IntentMachine.WaiterID) {
    waiting.removeValue(forKey: waiter)?.continuation.resume(throwing: CancellationError())
  }

  private func isFollowing(_ account: DID) async throws -> Bool {
    if let isFollowing = try await presenter.isFollowing(account) { return isFollowing }
    let change = ChangeIntent.unfollow(account)
    do {
      return try await engine.facts.knowledge(for: [change])[change].edges[.follow]?.isEmpty == false
    } catch let error as RepositoryError {
      throw ChangeFailure.failed(error)
    }
  }

  // MARK: Intents

  private func request(_ change: ChangeIntent, about subject: IntentKey, _ waiter: IntentMachine.WaiterID) {
    var state = states[subject] ?? IntentState()
    state.forgetOld(at: time.now, after: configuration.memory)
    let actions = state.request(change, by: waiter)
    apply(on: state, actions, about: subject)
  }

  private func perform(_ actions: [IntentMachine.Action], about subject: IntentKey) {
    for action in actions {
      switch action {
      case .learn(let desired): Task { await self.learn(desired, about: subject) }
      case .change(let desired): Task { await self.carryOut(desired, about: subject) }
      case .finish(let waiter, let ending): finish(waiter, ending, about: subject)
      }
    }
    if states.count > room { makeRoom() }
  }

  private func learn(_ desired: WantedState, about subject: IntentKey) async {
    let changes = desired.changes
    let outcome: Result<(facts: PlanningFacts, readAt: Duration), any Error>
    var wasResolved = false
    do {
      wasResolved = try await resolveInDoubt(changes)
      var known: (facts: PlanningFacts, readAt: Duration)
      var times: Int
      repeat {
        times = timesNoticed
        let now = time.now
        known = (try await engine.facts.knowledge(for: changes), now)
        // It may have missed what others did meanwhile.
      } while times != timesNoticed
      outcome = .success(known)
    } catch {
      outcome = .failure(error)
    }
    guard var state = states[subject] else { return }
    let actions: [IntentMachine.Action]
    switch outcome {
    case .success(let known):
      actions = state.learned(
        changes.map { known.facts[$0].limited(to: $0.needs) }, at: known.readAt, known.facts.commit,
        wasResolved: wasResolved)
    case .failure(let error):
      actions = state.couldNotLearn(
        because: error as? ChangeFailure ?? .failed(RepositoryError(asking: error)))
    }
    apply(on: state, actions, about: subject, because: state.failure)
  }

  private func carryOut(_ desired: WantedState, about subject: IntentKey) async {
    guard var state = states[subject] else { return }
    let plan = state.plan(desired.changes, by: engine.planner)
    let facts = state.learnedAt.map { stamp(readAt: $0, state.commit) }
    states[subject] = state
    var failure: ChangeFailure?
    switch plan.outcome {
    case .steps: failure = await deliver(plan, restingOn: facts)
    case .holds: break
    case .refused(let refusal): failure = .refused(refusal)
    }
    end(plan, about: subject, failure)
  }

  private func end(_ plan: PlannedChange, about subject: IntentKey, _ failure: ChangeFailure?) {
    guard var state = states[subject] else { return }
    let actions: [IntentMachine.Action]
    if let failure {
      actions = state.failed(plan, because: failure)
    } else {
      actions = state.changed(by: plan)
      if subject.isList { for other in states.keys { states[other]?.forgetLists() } }
      presenter.confirm(plan.steps, knowing: state.known)
      changesMade += 1
    }
    apply(on: state, actions, about: subject, because: failure, hasChanged: failure == nil)
  }

  /// - Parameter hasChanged: whether the state was just changed, so that nothing else is to be shown than that.
  private func apply(
    on state: IntentState, _ actions: [IntentMachine.Action], about subject: IntentKey,
    because failure: ChangeFailure? = nil, hasChanged: Bool = false
  ) {
    var state = state
    let now = (clock: time.now, wall: time.instant)
    let held = hasChanged ? nil : presenter.held(by: state, about: subject, at: now)
    presenter.show(&state, about: subject, by: engine.planner, holding: held, because: failure)
    state.clearReservations()
    states[subject] = state
    perform(actions, about: subject)
  }

  private func finish(
    _ waiter: IntentMachine.WaiterID, _ ending: IntentMachine.Ending, about subject: IntentKey
  ) {
    guard let (change, continuation) = waiting.removeValue(forKey: waiter), let state = states[subject] else {
      return
    }
    switch ending {
    case .done: continuation.resume(returning: ChangeOutcome(change, .done, notes: state.notes))
    case .superseded: continuation.resume(returning: ChangeOutcome(change, .superseded))
    case .failed:
      let unknown = RepositoryError(.inDoubt, detail: "it failed for an unknown reason")
      continuation.resume(throwing: state.failure ?? .failed(unknown))
    case .held:
      // A state that holds may still be a refusal: for example, a block that only comes from a list.
      let plan = engine.planner.plan(change, knowing: state.known)
      if case .refused(let refusal) = plan.outcome {
        continuation.resume(throwing: ChangeFailure.refused(refusal))
      } else {
        continuation.resume(
          returning: ChangeOutcome(change, state.wasResolved ? .done : .held, notes: plan.notes))
      }
    }
  }

  /// Evicts the subjects that were loaded longest ago, a quarter at a time.
  private func makeRoom() {
    let some = Self.mostSubjects / 4
    let idle = states.filter { $0.value.isIdle }
    let oldest = idle.sorted { ($0.value.learnedAt ?? .zero) < ($1.value.learnedAt ?? .zero) }
    for (subject, _) in oldest.prefix(some) { states[subject] = nil }
    // If none can be evicted, the next attempt waits until there are more.
    room = max(Self.mostSubjects, states.count + some)
  }
}

extension RelationshipWriter {
  /// Follows an account.
  @discardableResult
  public func follow(_ account: DID) async throws -> ChangeOutcome { try await make(.follow(account)) }

  /// Unfollows an account, deleting every follow record of it (Q16).
  @discardableResult
  public func unfollow(_ account: DID) async throws -> ChangeOutcome { try await make(.unfollow(account)) }

  /// Blocks an account and unfollows it, in one commit.
  @discardableResult
  public func block(_ account: DID) async throws -> ChangeOutcome { try await make(.block(account)) }

  /// Unblocks an account; follows that the block removed are not restored.
  @discardableResult
  public func unblock(_ account: DID) async throws -> ChangeOutcome { try await make(.unblock(account)) }

  /// Mutes an account, replacing any mute that it has (Q9).
  @discardableResult
  public func mute(_ account: DID, scope: MuteScope = .everything) async throws -> ChangeOutcome {
    try await make(.mute(account, scope))
  }

  /// Unmutes an account.
  @discardableResult
  public func unmute(_ account: DID) async throws -> ChangeOutcome { try await make(.unmute(account)) }

  /// Mutes all members of a list.
  @discardableResult
  public func muteList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.muteList(list)) }

  /// Unmutes a list.
  @discardableResult
  public func unmuteList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.unmuteList(list)) }

  /// Blocks all members of a list.
  @discardableResult
  public func blockList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.blockList(list)) }

  /// Unblocks a list.
  @discardableResult
  public func unblockList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.unblockList(list)) }
}

/// List changes run one after the other, because each depends on the result of the one before. They are not
/// shown optimistically.
extension RelationshipWriter {
  /// Adds an account to an own list.
  ///
  /// - Parameter allowsFollowed: whether a followed account may be added to a moderation list.
  @discardableResult
  public func add(
    _ account: DID, to list: ATURI, allowsFollowed: Bool = false
  ) async throws -> ChangeOutcome {
    try await make(.add(account, to: list, allowsFollowed: allowsFollowed))
  }

  /// Removes an account from an own list, deleting every record of it (Q16).
  @discardableResult
  public func remove(_ account: DID, from list: ATURI) async throws -> ChangeOutcome {
    try await make(.remove(account, from: list))
  }

  /// Makes a change after those before it, and resumes its waiter.
  private func enqueueListChange(_ change: ChangeIntent, for waiter: IntentMachine.WaiterID) {
    let before = listChange
    listChange = Task {
      await before?.value
      let outcome: Result<ChangeOutcome, any Error>
      do { outcome = .success(try await carryOut(change)) } catch { outcome = .failure(error) }
      end(waiter, with: outcome)
    }
  }

  private func carryOut(_ change: ChangeIntent) async throws(ChangeFailure) -> ChangeOutcome {
    let wasResolved = try await resolveInDoubt([change])
    let known: PlanningFacts
    var facts = stamp(readAt: time.now, nil)
    let made = try await reactionsMade(for: change)
    do { known = try await engine.facts.knowledge(for: [change], naming: made) } catch {
      throw .failed(RepositoryError(asking: error))
    }
    facts.commit = known.commit
    let plan = engine.planner.plan(change, knowing: known[change])
    switch plan.outcome {
    case .refused(let refusal): throw .refused(refusal)
    case .holds: return ChangeOutcome(change, wasResolved ? .done : .held, notes: plan.notes)
    case .steps:
      if let failure = await deliver(plan, restingOn: facts) { throw failure }
      return ChangeOutcome(change, .done, notes: plan.notes)
    }
  }
}

// MARK: - Journal

extension RelationshipWriter {
  /// The records that earlier taps and jobs have made of the reaction that is made or taken back.
  private func reactionsMade(for change: ChangeIntent) async throws(ChangeFailure) -> Set<RecordName> {
    guard case .posts(let posts) = change, posts.reaction != nil else { return [] }
    do {
      let history = try await engine.journal.history(of: [posts.subject], by: account)
      return change.reactionsMade(by: history[posts.subject] ?? [])
    } catch {
      throw ChangeFailure(journal: error)
    }
  }

  private func runner() -> JobRunner {
    engine.runner(
      JobOptions(
        limit: configuration.limit, stopsWhenShort: true, patience: configuration.patience))
  }

  /// Returns the stamp of facts that were read after all changes known here.
  private func stamp(readAt: Duration, _ commit: RepositoryCommit?) -> FactsStamp {
    FactsStamp(revision: seenRevision, readAt: readAt, commit: commit)
  }

  /// Journals a plan as a job of its own, and runs it.
  ///
  /// - Returns: why it failed; nil if it succeeded.
  private func deliver(
    _ plan: PlannedChange, restingOn facts: FactsStamp?
  ) async -> ChangeFailure? {
    do {
      let items = ChangePlan.items(
        of: [plan],
        for: [ChangePlan.Request("\(plan.change.subjects.first?.description ?? "")", plan.change)])
      let files = plan.steps.flatMap(\.writes).flatMap(\.filesLetGo)
      if !files.isEmpty {
        // A tap is carried out even if it cannot be kept.
        _ = try await FileKeeper(repository: engine.repository, journal: engine.journal, time: time).keep(
          files)
      }
      let job = try await JobManager(journal: engine.journal, time: time).add(
        JobDraft(account: account, title: plan.change.title, limit: configuration.limit), items)
      let end = try await runner().run(job.id, plannedBy: facts)
      await recordOwnRevision(job.id, about: Set(plan.steps.map(\.subject)))
      return try await failure(of: job.id, after: end)
    } catch {
      return ChangeFailure(journal: error)
    }
  }

  /// Returns why the job of a tap is not done; cancels what was certainly not sent.
  private func failure(of job: JobID, after end: JobEnd) async throws -> ChangeFailure? {
    let items = try await engine.journal.items(
      of: job, in: [.pending, .inDoubt, .failed, .cancelled], after: nil, most: .max)
    if let failed = items.first(where: { $0.state.kind == .failed }) {
      let reason = failed.state.reason ?? ""
      guard failed.wasInDoubt else { return .failed(RepositoryError(end.codeOfFailures, detail: reason)) }
      // The refusal was of a retry; the first attempt may still arrive. So it is retried with its key.
      _ = try await engine.journal.retryFailed(job)
      return .failed(RepositoryError(.inDoubt, detail: reason))
    }
    guard case .stopped(let stop) = end else {
      return items.isEmpty ? nil : .failed(RepositoryError(.refused, detail: "the job was cancelled"))
    }
    if items.contains(where: { $0.state.kind == .inDoubt || $0.wasInDoubt }) {
      return .failed(RepositoryError(.inDoubt, detail: stop.detail))
    }
    _ = try await engine.journal.cancel(job, at: time.instant)
    return ChangeFailure(stop, at: time.instant)
  }

  /// Settles earlier taps about the same subject whose outcome is in doubt: those that are still wanted are
  /// sent again under the same keys, the others are not sent again.
  ///
  /// - Returns: whether that has carried out what is wanted.
  private func resolveInDoubt(_ changes: [ChangeIntent]) async throws(ChangeFailure) -> Bool {
    var isDone = false
    do {
      let subjects = changes.flatMap(\.subjects)
      let history = try await engine.journal.history(of: subjects, by: account).values.flatMap(\.self)
      let doubts = history.filter { $0.state == .inDoubt || $0.state == .pending && $0.wasInDoubt }
      for job in Set(doubts.map(\.job)).sorted() {
        let steps = doubts.filter { $0.job == job }.map(\.step)
        guard try await engine.journal.summary(of: job).counts.left == steps.count else {
          // A bulk job is settled by its own runner.
          throw ChangeFailure.refused(.awaited(job))
        }
        let isWanted = steps.allSatisfy { step in changes.allSatisfy { $0.agrees(with: step) } }
        if !isWanted {
          let state = try await engine.journal.job(job).state
          if !state.isEnded { _ = try await engine.journal.cancel(job, at: time.instant) }
        }
        let end = try await runner().run(job)
        if case .stopped(let stop) = end {
          throw ChangeFailure.failed(RepositoryError(.inDoubt, detail: stop.detail))
        }
        if isWanted, try await engine.journal.summary(of: job).counts[.done] > 0 { isDone = true }
      }
      if !doubts.isEmpty { await invalidateIfJournalChanged() }
      return isDone
    } catch let failure as ChangeFailure {
      throw failure
    } catch let error as JobError where error.code == .held {
      throw error.job.map { .refused(.awaited($0)) } ?? ChangeFailure(journal: error)
    } catch {
      throw ChangeFailure(journal: error)
    }
  }
}

extension JobEnd {
  /// Why the items of a job of one tap have failed.
  fileprivate var codeOfFailures: RepositoryError.Code {
    guard case .stopped(let stop) = self else { return .refused }
    return switch stop.code {
    case .notPermitted: .notPermitted
    case .accountSuspended: .accountSuspended
    case .accountDeactivated: .accountDeactivated
    default: .refused
    }
  }
}

extension ChangeFailure {
  /// The journal cannot be read or written; nothing was sent that it does not have.
  fileprivate init(journal error: any Error) {
    self = .failed(RepositoryError(.unavailable, detail: "\(DecodingFault(error))", underlying: error))
  }

  /// Creates the failure for a tap that was stopped before anything was done.
  fileprivate init(_ stop: JobStop, at now: Instant) {
    let wait = stop.until.map { max($0.instant - now, .zero) }
    let code: RepositoryError.Code
    switch stop.code {
    case .budget:
      self = .budgetExhausted(until: stop.until)
      return
    case .rateLimited: code = .rateLimited
    case .notAuthorized: code = .notAuthorized
    case .notPermitted: code = .notPermitted
    case .accountSuspended: code = .accountSuspended
    case .accountDeactivated: code = .accountDeactivated
    case .refused: code = .refused
    default: code = .unavailable
    }
    self = .failed(RepositoryError(code, detail: stop.detail, retryAfter: wait))
  }
}
