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

    /// Thirty seconds; five minutes.
    public init(patience: Duration = .seconds(30), memory: Duration = .seconds(300)) {
      self.patience = patience
      self.memory = memory
    }
  }

  private typealias Waiting = (
    change: ChangeIntent, continuation: CheckedContinuation<ChangeOutcome, any Error>
  )

  /// Whose relationships change.
  public nonisolated let account: DID
  let survey: FactLoader
  private let stage: OptimisticPresenter
  let carrier: StepExecutor
  let planner: ChangePlanner
  private let configuration: Configuration
  private let time: TimeSource
  private var states: [IntentKey: IntentState] = [:]
  private var waiting: [IntentMachine.WaiterID: Waiting] = [:]
  private var waitersSoFar = 0
  private var book = OwnEdgesCache()
  /// Empties itself before it ends.
  private var listing: Task<Void, any Error>?
  /// The last change of lists, which the next one waits for.
  var listChange: Task<Void, Never>?
  /// What may have been made of lists, the latest last.
  var listDoubts = ListDoubts()

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
  public init(
    account: DID, pds: XRPCClient, appview: ServiceReference? = nil,
    relationships service: FollowRelationshipService? = nil, profiles: ProfileService? = nil,
    configuration: Configuration = Configuration()
  ) {
    var proxied = pds
    if let appview { proxied.configuration.proxy = appview }
    let time = pds.time
    self.init(
      repository: PDSRepository(account: account, pds: pds, appview: appview),
      survey: FactLoader(account: account, pds: pds, appview: proxied), relationships: service,
      profiles: profiles, keys: TIDClock(time: time), configuration: configuration, time: time)
  }

  /// Changes relationships by any repository.
  ///
  /// - Parameter keys: names the records.
  public init(
    repository: any Repository, survey: FactLoader, relationships service: FollowRelationshipService? = nil,
    profiles: ProfileService? = nil, keys: TIDClock, configuration: Configuration = Configuration(),
    time: TimeSource = .system
  ) {
    account = repository.account
    self.survey = survey
    // What another account sees does not move with this one's wishes.
    let profiles = profiles?.account == repository.account ? profiles : nil
    stage = OptimisticPresenter(account: repository.account, service: service, profiles: profiles)
    carrier = StepExecutor(repository: repository, patience: configuration.patience, time: time)
    planner = ChangePlanner(account: repository.account, keys: keys, time: time)
    self.configuration = configuration
    self.time = time
  }

  // MARK: What somebody asks for

  /// Makes any change.
  @discardableResult
  public func make(_ change: ChangeIntent) async throws -> ChangeOutcome {
    if let refusal = planner.refusal(of: change) { throw ChangeFailure.refused(refusal) }
    try Task.checkCancellation()
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
    guard let state = states[.edges(account)], !isForgettable(state) else { return nil }
    return state.machine.expected.follows
  }

  private func isForgettable(_ state: IntentState) -> Bool {
    state.machine.isIdle && state.isOld(at: time.now, after: configuration.memory)
  }

  /// Tells who waits for a change that goes in turn; nobody where the waiting was ended.
  func end(_ waiter: IntentMachine.WaiterID, with outcome: Result<ChangeOutcome, any Error>) {
    waiting.removeValue(forKey: waiter)?.continuation.resume(with: outcome)
  }

  private func stopWaiting(_ waiter: IntentMachine.WaiterID) {
    waiting.removeValue(forKey: waiter)?.continuation.resume(throwing: CancellationError())
  }

  private func isFollowing(_ account: DID) async throws -> Bool {
    if let isFollowing = try await stage.isFollowing(account) { return isFollowing }
    let change = ChangeIntent.unfollow(account)
    do {
      return try await survey.knowledge(for: [change])[change].follows?.isEmpty == false
    } catch let error as RepositoryError {
      throw ChangeFailure.failed(error)
    }
  }

  // MARK: Wishes

  private func wish(_ change: ChangeIntent, about subject: IntentKey, _ waiter: IntentMachine.WaiterID) {
    var state = states[subject] ?? IntentState()
    if isForgettable(state) { state.forget() }
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
    do { outcome = .success(try await knowledge(for: changes)) } catch { outcome = .failure(error) }
    guard var state = states[subject] else { return }
    let actions: [IntentMachine.Action]
    switch outcome {
    case .success(let known):
      state.learned(changes.map { known.graph[$0] }, at: known.learnedAt)
      actions = state.machine.learned(subject.facts(state.known))
      if state.machine.wished == nil { stage.hold(wish, state.known, about: subject) }
    case .failure(let error):
      state.failure = .failed(RepositoryError(asking: error))
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
    var own = book.edges(at: now, within: configuration.memory)
    let learnedAt = book.oldestListing(of: own.parts.intersection(needs)) ?? now
    let wanted = needs.intersection([.follows, .blocks, .listBlocks]).subtracting(own.parts)
    // Who only follows is content with less than the whole collection.
    if !wanted.isEmpty, !changes.allSatisfy({ if case .follow = $0 { true } else { false } }) {
      own.edges = try await listed(wanted, besides: own.edges)
    }
    return (try await survey.knowledge(for: changes, knowing: own.edges), learnedAt)
  }

  private func listed(
    _ parts: SubjectFacts.Parts, besides known: PlanningFacts
  ) async throws -> PlanningFacts {
    while let listing {
      try await listing.value
      let own = book.edges(at: time.now, within: configuration.memory)
      if own.parts.isSuperset(of: parts) { return own.edges }
    }
    book.beginListing()
    let task = Task {
      defer { listing = nil }
      let edges = try await survey.collections(parts)
      book.listed(edges, at: time.now)
    }
    listing = task
    try await task.value
    return book.edges(at: time.now, within: nil).edges
  }

  private func carryOut(_ wish: DesiredState, about subject: IntentKey) async {
    guard var state = states[subject] else { return }
    let plan = state.plan(subject.changes(for: wish), by: planner)
    states[subject] = state
    var failure: ChangeFailure?
    switch plan.outcome {
    case .steps(let steps):
      do { for step in steps { try await carrier.carryOut(step) } } catch { failure = .failed(error) }
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
      state.failed(isInDoubt: isInDoubt)
      if isInDoubt { book.forget() }
      actions = state.machine.failed(isInDoubt: isInDoubt)
    } else {
      state.succeeded(plan)
      note(plan.steps, about: subject)
      actions = state.machine.changed()
    }
    if failure == nil { stage.take(plan.steps, about: subject, knowing: state.known) }
    go(on: state, actions, about: subject, because: failure)
  }

  /// What the repository has taken is so in every memory of it.
  private func note(_ steps: [ChangeStep], about subject: IntentKey) {
    for write in steps.flatMap(\.writes) { book.take(write, about: subject, whileListing: listing != nil) }
  }

  private func go(
    on state: IntentState, _ actions: [IntentMachine.Action], about subject: IntentKey,
    because failure: ChangeFailure? = nil
  ) {
    var state = state
    stage.show(&state, about: subject, by: planner, because: failure)
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
      let plan = planner.plan(change, knowing: state.known)
      if case .refused(let refusal) = plan.outcome {
        continuation.resume(throwing: ChangeFailure.refused(refusal))
      } else {
        continuation.resume(returning: ChangeOutcome(change, .held, notes: plan.notes))
      }
    }
  }

  /// Forgets the subjects that were learned longest ago, a quarter at once.
  private func makeRoom() {
    let some = Self.mostSubjects / 4
    let idle = states.filter { $0.value.mayBeForgotten }
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
  func makeInTurn(_ change: ChangeIntent, for waiter: IntentMachine.WaiterID) {
    let before = listChange
    listChange = Task {
      await before?.value
      let outcome: Result<ChangeOutcome, any Error>
      do { outcome = .success(try await carryOut(change)) } catch { outcome = .failure(error) }
      end(waiter, with: outcome)
    }
  }

  private func carryOut(_ change: ChangeIntent) async throws(ChangeFailure) -> ChangeOutcome {
    let known: PlanningFacts
    do { known = try await survey.knowledge(for: [change]) } catch {
      throw .failed(RepositoryError(asking: error))
    }
    let plan = planner.plan(change, knowing: known[change])
    if case .refused(let refusal) = plan.outcome { throw .refused(refusal) }
    let steps = listDoubts.keepingKeys(of: change, in: plan.steps)
    do throws(RepositoryError) {
      for step in steps { try await carrier.carryOut(step) }
    } catch {
      if error.code == .inDoubt { listDoubts.add(change, steps) } else { listDoubts.end(change) }
      throw .failed(error)
    }
    listDoubts.end(change)
    return ChangeOutcome(change, steps.isEmpty ? .held : .done, notes: plan.notes)
  }
}
