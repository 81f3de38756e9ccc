// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
public import Relationships

/// Changes the relationships of one account for an app: follow, block, mute and their opposites, one tap at a
/// time.
///
/// ```swift
/// let writer = RelationshipWriter(account: me, pds: signedIn, relationships: service)
/// try await writer.follow(alice)
/// ```
///
/// What is wished shows at once in the service's answers, in ``FollowRelationshipService/changes`` and in the
/// counts of a ``ProfileService``, and is taken back, with the reason, when the server does not take it. What
/// the server took is then shown in place of what an AppView says, until that has caught up (Q21). However fast
/// wishes about one account follow each other, and from however many tasks, the last one is brought about with
/// the fewest writes; one whose outcome is in doubt is asked for, and repeated under the same key, never
/// doubled.
///
/// Each verb throws ``ChangeFailure``, and `CancellationError` when its task is cancelled: that ends the waiting,
/// not the change.
public actor RelationshipWriter {
  /// How a ``RelationshipWriter`` works.
  public struct Configuration: Sendable, Hashable {
    /// How long a change is tried for while its outcome is in doubt, or the server cannot be reached.
    public var patience: Duration
    /// How long what was learned of an account is held to be so: other devices change it too.
    public var memory: Duration
    /// The points that taps may spend. What jobs leave of the budget, a fifth unless they are told otherwise, is the
    /// reserve for taps, which leave nothing themselves.
    public var limit: WriteLimit

    /// Thirty seconds; five minutes; all points.
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

  /// Whose relationships change.
  public nonisolated let account: DID
  private let engine: ChangeEngine
  private let presenter: OptimisticPresenter
  private let configuration: Configuration
  private let time: TimeSource
  private var states: [IntentKey: IntentState] = [:]
  private var waiting: [IntentMachine.WaiterID: Waiting] = [:]
  private var waitersSoFar = 0
  private var edges = OwnEdgesCache()
  /// Empties itself before it ends.
  private var listing: Task<Void, any Error>?
  /// The last change of lists, which the next one waits for.
  private var listChange: Task<Void, Never>?
  /// The journal's revision up to which all that was done is known here.
  private var seenRevision: Int64 = 0
  /// Later revisions that are those of taps.
  private var ownRevisions: Set<Int64> = []
  /// How often changes of others were noticed.
  private var timesNoticed = 0

  /// Subjects that are remembered while nothing is wished of them.
  private static let mostSubjects = 1_000
  /// With more subjects some are forgotten.
  private var room = RelationshipWriter.mostSubjects

  /// Changes an account's relationships by its PDS.
  ///
  /// - Parameters:
  ///   - pds: asks the account's PDS, signed in; its clock dates the records.
  ///   - appview: who keeps the account's mutes; nil for the AppView that the PDS has chosen.
  ///   - relationships: shows what is wished and done; nil where nobody looks.
  ///   - profiles: shows the counts that go with it; nil where nobody looks. Another account's stay as they are.
  ///   - journal: where changes are written down and counted in the write budget; one that others use, too, is shared
  ///     with their jobs.
  public init(
    account: DID, pds: XRPCClient, appview: ServiceReference? = nil,
    relationships service: FollowRelationshipService? = nil, profiles: ProfileService? = nil,
    journal: any JobStore = InMemoryJobStore(), configuration: Configuration = Configuration()
  ) {
    self.init(
      engine: ChangeEngine(account: account, pds: pds, appview: appview, journal: journal),
      relationships: service, profiles: profiles, configuration: configuration)
  }

  /// Changes relationships by any repository.
  ///
  /// - Parameter keys: names the records.
  public init(
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

  // MARK: What somebody asks for

  /// Makes any change.
  @discardableResult
  public func make(_ change: ChangeIntent) async throws -> ChangeOutcome {
    if let refusal = engine.planner.refusal(of: change) { throw ChangeFailure.refused(refusal) }
    try Task.checkCancellation()
    await noticeChangesOfOthers()
    waitersSoFar += 1
    let waiter = waitersSoFar
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting[waiter] = (change, continuation)
        if let subject = IntentKey(change) {
          wish(change, about: subject, waiter)
        } else {
          makeInTurn(change, for: waiter)
        }
      }
    } onCancel: {
      Task { await self.stopWaiting(waiter) }
    }
  }

  /// Follows who is shown not to be followed, and the other way round.
  ///
  /// What is shown is what was wished last, else what was learned, else what the service answers.
  @discardableResult
  public func toggleFollow(_ account: DID) async throws -> ChangeOutcome {
    var follows = expectsToFollow(account)
    if follows == nil {
      let answered = try await isFollowing(account)
      // Somebody else may have wished something meanwhile, which counts.
      follows = expectsToFollow(account) ?? answered
    }
    return try await make(follows == true ? .unfollow(account) : .follow(account))
  }

  /// Whether the account is followed once all wishes are done; nil where nothing is wished and what was learned is
  /// too old to tell.
  private func expectsToFollow(_ account: DID) -> Bool? {
    guard var state = states[.edges(account)] else { return nil }
    state.forgetOld(at: time.now, after: configuration.memory)
    return state.machine.expected.follows
  }

  /// What other changes of the same journal have done is not known here: all that was learned is learned anew.
  private func noticeChangesOfOthers() async {
    // A journal that cannot be read shows when the change is to be written down.
    guard let revision = try? await engine.journal.revision(), revision > seenRevision else { return }
    let areOwn = (seenRevision + 1...revision).allSatisfy(ownRevisions.contains)
    seenRevision = revision
    ownRevisions = ownRevisions.filter { $0 > revision }
    if areOwn { return }
    timesNoticed += 1
    edges.forget()
    for subject in states.keys { states[subject]?.forget() }
  }

  /// What a tap has done is known here.
  private func noticeOwn(_ job: JobID, about subjects: Set<ChangeStep.Subject>) async {
    // Where the journal cannot be read, it passes for the change of another, and everything is learned anew.
    guard let history = try? await engine.journal.history(of: Array(subjects), by: account) else { return }
    for entry in history.values.joined() where entry.job == job && entry.revision > seenRevision {
      ownRevisions.insert(entry.revision)
    }
    while ownRevisions.remove(seenRevision + 1) != nil { seenRevision += 1 }
  }

  /// Tells who waits for a change that goes in turn; nobody where the waiting was ended.
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
      return try await engine.facts.knowledge(for: [change])[change].follows?.isEmpty == false
    } catch let error as RepositoryError {
      throw ChangeFailure.failed(error)
    }
  }

  // MARK: Wishes

  private func wish(_ change: ChangeIntent, about subject: IntentKey, _ waiter: IntentMachine.WaiterID) {
    var state = states[subject] ?? IntentState()
    state.forgetOld(at: time.now, after: configuration.memory)
    if state.machine.isIdle { state.isSettled = false }
    let actions = state.machine.wished(DesiredState(change), by: waiter)
    go(on: state, actions, about: subject)
  }

  private func perform(_ actions: [IntentMachine.Action], about subject: IntentKey) {
    for action in actions {
      switch action {
      case .learn(let wish): Task { await self.learn(wish, about: subject) }
      case .change(let wish): Task { await self.carryOut(wish, about: subject) }
      case .finish(let waiter, let ending): finish(waiter, ending, about: subject)
      }
    }
    if states.count > room { makeRoom() }
  }

  private func learn(_ wish: DesiredState, about subject: IntentKey) async {
    let changes = subject.changes(for: wish)
    let outcome: Result<(graph: PlanningFacts, learnedAt: Duration), any Error>
    var isSettled = false
    do {
      isSettled = try await settle(changes)
      var known: (graph: PlanningFacts, learnedAt: Duration)
      var times: Int
      repeat {
        times = timesNoticed
        known = try await knowledge(for: changes)
        // What others did meanwhile, it may have missed.
      } while times != timesNoticed
      outcome = .success(known)
    } catch {
      outcome = .failure(error)
    }
    guard var state = states[subject] else { return }
    let actions: [IntentMachine.Action]
    switch outcome {
    case .success(let known):
      state.learned(changes.map { known.graph[$0].limited(to: $0.needs) }, at: known.learnedAt)
      state.isSettled = isSettled
      actions = state.machine.learned(subject.facts(state.known))
      if state.machine.wished == nil { presenter.hold(wish, state.known, about: subject) }
    case .failure(let error):
      state.failure = error as? ChangeFailure ?? .failed(RepositoryError(asking: error))
      actions = state.machine.couldNotLearn()
    }
    go(on: state, actions, about: subject, because: state.failure)
  }

  /// Whole collections are listed where several records of one subject count, and remembered for the next one.
  ///
  /// - Returns: what is known, and from when on the oldest part of it can have changed.
  private func knowledge(
    for changes: [ChangeIntent]
  ) async throws -> (graph: PlanningFacts, learnedAt: Duration) {
    let now = time.now
    let needs = changes.reduce(into: SubjectFacts.Parts()) { $0.formUnion($1.needs) }
    var own = edges.edges(at: now, within: configuration.memory)
    let wanted = needs.intersection([.follows, .blocks, .listBlocks]).subtracting(own.parts)
    // Who only follows is content with less than the whole collection.
    if !wanted.isEmpty, !changes.allSatisfy({ if case .follow = $0 { true } else { false } }) {
      own = try await listed(wanted)
    }
    let learnedAt = edges.oldestListing(of: own.parts.intersection(needs)) ?? now
    return (try await engine.facts.knowledge(for: changes, knowing: own.edges), learnedAt)
  }

  /// Lists collections, and gives them with all others that were listed not too long ago.
  private func listed(
    _ parts: SubjectFacts.Parts
  ) async throws -> (parts: SubjectFacts.Parts, edges: PlanningFacts) {
    while let listing {
      try await listing.value
      let own = edges.edges(at: time.now, within: configuration.memory)
      if own.parts.isSuperset(of: parts) { return own }
    }
    edges.beginListing()
    let task = Task {
      defer { listing = nil }
      let listed = try await engine.facts.collections(parts)
      edges.listed(listed, at: time.now)
    }
    listing = task
    try await task.value
    return edges.edges(at: time.now, within: configuration.memory, and: parts)
  }

  private func carryOut(_ wish: DesiredState, about subject: IntentKey) async {
    guard var state = states[subject] else { return }
    let plan = state.plan(subject.changes(for: wish), by: engine.planner)
    let facts = stamp(readAt: state.learnedAt)
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
    state.failure = failure
    state.notes = plan.notes
    let actions: [IntentMachine.Action]
    if let failure {
      // Of several commits some may have happened.
      let isInDoubt = failure.isInDoubt || plan.steps.count > 1
      if isInDoubt {
        state.forget()
        edges.forget()
      }
      actions = state.machine.failed(isInDoubt: isInDoubt)
    } else {
      state.succeeded(plan)
      for write in plan.steps.flatMap(\.writes) {
        edges.take(write, about: subject, whileListing: listing != nil)
      }
      if subject.isList { for other in states.keys { states[other]?.forgetLists() } }
      actions = state.machine.changed()
    }
    if failure == nil { presenter.take(plan.steps, knowing: state.known) }
    go(on: state, actions, about: subject, because: failure)
  }

  private func go(
    on state: IntentState, _ actions: [IntentMachine.Action], about subject: IntentKey,
    because failure: ChangeFailure? = nil
  ) {
    var state = state
    presenter.show(&state, about: subject, by: engine.planner, because: failure)
    state.rest()
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
      let unknown = RepositoryError(.inDoubt, detail: "it failed for no reason that is known")
      continuation.resume(throwing: state.failure ?? .failed(unknown))
    case .held:
      // What holds may still be a refusal: a block that only comes from a list, say.
      let plan = engine.planner.plan(change, knowing: state.known)
      if case .refused(let refusal) = plan.outcome {
        continuation.resume(throwing: ChangeFailure.refused(refusal))
      } else {
        continuation.resume(
          returning: ChangeOutcome(change, state.isSettled ? .done : .held, notes: plan.notes))
      }
    }
  }

  /// Forgets the subjects that were learned longest ago, a quarter at once.
  private func makeRoom() {
    let some = Self.mostSubjects / 4
    let idle = states.filter { $0.value.machine.isIdle }
    let oldest = idle.sorted { ($0.value.learnedAt ?? .zero) < ($1.value.learnedAt ?? .zero) }
    for (subject, _) in oldest.prefix(some) { states[subject] = nil }
    // Where none may be forgotten, looking through all of them again is left for later.
    room = max(Self.mostSubjects, states.count + some)
  }
}

extension RelationshipWriter {
  /// Follows an account.
  @discardableResult
  public func follow(_ account: DID) async throws -> ChangeOutcome { try await make(.follow(account)) }

  /// Follows an account no more, by whichever record (Q16).
  @discardableResult
  public func unfollow(_ account: DID) async throws -> ChangeOutcome { try await make(.unfollow(account)) }

  /// Blocks an account, and follows it no more, in one commit.
  @discardableResult
  public func block(_ account: DID) async throws -> ChangeOutcome { try await make(.block(account)) }

  /// Blocks an account no more; follows that ended with the block do not come back.
  @discardableResult
  public func unblock(_ account: DID) async throws -> ChangeOutcome { try await make(.unblock(account)) }

  /// Mutes an account, in place of whatever mute it has (Q9).
  @discardableResult
  public func mute(_ account: DID, scope: MuteScope = .everything) async throws -> ChangeOutcome {
    try await make(.mute(account, scope))
  }

  /// Mutes an account no more.
  @discardableResult
  public func unmute(_ account: DID) async throws -> ChangeOutcome { try await make(.unmute(account)) }

  /// Mutes all members of a list.
  @discardableResult
  public func muteList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.muteList(list)) }

  /// Mutes a list no more.
  @discardableResult
  public func unmuteList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.unmuteList(list)) }

  /// Blocks all members of a list.
  @discardableResult
  public func blockList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.blockList(list)) }

  /// Blocks a list no more.
  @discardableResult
  public func unblockList(_ list: ATURI) async throws -> ChangeOutcome { try await make(.unblockList(list)) }
}

/// Lists change one after the other, for each change rests on what the one before has left, and nothing shows before
/// it is so.
extension RelationshipWriter {
  /// Puts an account on a list of one's own.
  ///
  /// - Parameter allowsFollowed: whether a moderation list may take in somebody who is followed.
  @discardableResult
  public func add(
    _ account: DID, to list: ATURI, allowsFollowed: Bool = false
  ) async throws -> ChangeOutcome {
    try await make(.list(.add(account, to: list, allowsFollowed: allowsFollowed)))
  }

  /// Takes an account off a list of one's own, by whichever record (Q16).
  @discardableResult
  public func remove(_ account: DID, from list: ATURI) async throws -> ChangeOutcome {
    try await make(.list(.remove(account, from: list)))
  }

  /// Makes a change once those before it are made, and tells who waits.
  private func makeInTurn(_ change: ChangeIntent, for waiter: IntentMachine.WaiterID) {
    let before = listChange
    listChange = Task {
      await before?.value
      let outcome: Result<ChangeOutcome, any Error>
      do { outcome = .success(try await carryOut(change)) } catch { outcome = .failure(error) }
      end(waiter, with: outcome)
    }
  }

  private func carryOut(_ change: ChangeIntent) async throws(ChangeFailure) -> ChangeOutcome {
    let isSettled = try await settle([change])
    let known: PlanningFacts
    let facts = stamp(readAt: time.now)
    do { known = try await engine.facts.knowledge(for: [change]) } catch {
      throw .failed(RepositoryError(asking: error))
    }
    let plan = engine.planner.plan(change, knowing: known[change])
    switch plan.outcome {
    case .refused(let refusal): throw .refused(refusal)
    case .holds: return ChangeOutcome(change, isSettled ? .done : .held, notes: plan.notes)
    case .steps:
      if let failure = await deliver(plan, restingOn: facts) { throw failure }
      return ChangeOutcome(change, .done, notes: plan.notes)
    }
  }
}

// MARK: - By way of the journal

extension RelationshipWriter {
  private func runner() -> JobRunner {
    engine.runner(
      JobRunner.Options(
        limit: configuration.limit, stopsWhenShort: true, patience: configuration.patience))
  }

  /// As of when facts are that are known here; nil where it is not known.
  private func stamp(readAt: Duration?) -> JobRunner.FactsStamp? {
    readAt.map { JobRunner.FactsStamp(revision: seenRevision, readAt: $0) }
  }

  /// Writes a plan down as a job of its own, and runs it.
  ///
  /// - Returns: why it was not done; nil where it was.
  private func deliver(
    _ plan: PlannedChange, restingOn facts: JobRunner.FactsStamp?
  ) async -> ChangeFailure? {
    do {
      let items = ChangePlan.items(of: [plan], inputs: ["\(plan.change.subjects.first?.description ?? "")"])
      let job = try await JobManager(journal: engine.journal, time: time).add(
        JobDraft(account: account, title: plan.change.title, limit: configuration.limit), items)
      let end = try await runner().run(job.id, plannedBy: facts)
      await noticeOwn(job.id, about: Set(plan.steps.map(\.subject)))
      return try await failure(of: job.id, after: end)
    } catch {
      return ChangeFailure(journal: error)
    }
  }

  /// Why the job of a tap is not done; what was certainly not sent of it is given up.
  private func failure(of job: JobID, after end: JobEnd) async throws -> ChangeFailure? {
    let items = try await engine.journal.items(
      of: job, in: [.pending, .inDoubt, .failed, .cancelled], after: nil, most: .max)
    if let failed = items.first(where: { $0.state.kind == .failed }) {
      let reason = failed.state.reason ?? ""
      guard failed.wasInDoubt else { return .failed(RepositoryError(.refused, detail: reason)) }
      // Who refuses it a second time has not refused the first, which may still arrive: it is tried again with its key.
      _ = try await engine.journal.retryFailed(job)
      return .failed(RepositoryError(.inDoubt, detail: reason))
    }
    guard case .stopped(let stop) = end else {
      return items.isEmpty ? nil : .failed(RepositoryError(.refused, detail: "the job was given up"))
    }
    if items.contains(where: { $0.state.kind == .inDoubt || $0.wasInDoubt }) {
      return .failed(RepositoryError(.inDoubt, detail: stop.detail))
    }
    _ = try await engine.journal.cancel(job, at: time.microsecondsSinceEpoch)
    return ChangeFailure(stop, at: time.microsecondsSinceEpoch)
  }

  /// Finds out what became of earlier taps about the same whose outcome is in doubt: what is wanted still is sent
  /// again under its own keys, what is not is not sent again.
  ///
  /// - Returns: whether what is wanted was brought about that way.
  private func settle(_ changes: [ChangeIntent]) async throws(ChangeFailure) -> Bool {
    var isDone = false
    do {
      let subjects = changes.flatMap(\.subjects)
      let history = try await engine.journal.history(of: subjects, by: account).values.flatMap(\.self)
      let doubts = history.filter { $0.state == .inDoubt || $0.state == .pending && $0.wasInDoubt }
      for job in Set(doubts.map(\.job)).sorted() {
        let steps = doubts.filter { $0.job == job }.map(\.step)
        guard try await engine.journal.summary(of: job).counts.left == steps.count else {
          // Of a job of many: whoever runs that finds out.
          throw ChangeFailure.refused(.awaited(job))
        }
        let isWanted = steps.allSatisfy { step in changes.allSatisfy { $0.agrees(with: step) } }
        if !isWanted {
          let state = try await engine.journal.job(job).state
          if !state.isEnded { _ = try await engine.journal.cancel(job, at: time.microsecondsSinceEpoch) }
        }
        let end = try await runner().run(job)
        if case .stopped(let stop) = end {
          throw ChangeFailure.failed(RepositoryError(.inDoubt, detail: stop.detail))
        }
        if isWanted, try await engine.journal.summary(of: job).counts[.done] > 0 { isDone = true }
      }
      if !doubts.isEmpty { await noticeChangesOfOthers() }
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

extension ChangeFailure {
  /// The journal cannot be read or written: nothing was sent that it does not know of.
  fileprivate init(journal error: any Error) {
    self = .failed(RepositoryError(.unavailable, detail: "\(error)", underlying: error))
  }

  /// What stopped a tap before anything was done.
  fileprivate init(_ stop: JobStop, at now: Int64) {
    let wait = stop.until.map { Duration.microseconds(max($0.microsecondsSinceEpoch - now, 0)) }
    let code: RepositoryError.Code
    switch stop.code {
    case .budget:
      self = .budgetExhausted(until: stop.until)
      return
    case .rateLimited: code = .rateLimited
    case .notAuthorized: code = .notAuthorized
    case .refused: code = .refused
    default: code = .unavailable
    }
    self = .failed(RepositoryError(code, detail: stop.detail, retryAfter: wait))
  }
}
