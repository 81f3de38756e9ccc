// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import KithClient
internal import KithCore

/// Answers requests from the cache, or loads answers from a source in batches, using a
/// ``RequestCoalescer``.
///
/// Cache and coalescer share one lock: a request takes it once, and an answer is cached before anyone can
/// request it again. Each call runs in a task of its own: a caller that stops waiting does not affect
/// others, and a call without waiters is cancelled.
final class RelationshipLoader: OverlaidCache {
  typealias CallerID = RequestCoalescer.CallerID
  typealias Request = RequestCoalescer.Request
  typealias Delivery = RequestCoalescer.Delivery

  /// The receiver of a caller's answers, and the run that the caller belongs to.
  enum Recipient: Sendable {
    case single(CheckedContinuation<RelationshipFinding, any Error>, CallMeter?)
    case many(@Sendable ([Delivery]) -> Void, CallMeter?)

    var run: CallMeter? {
      switch self {
      case .single(_, let run), .many(_, let run): run
      }
    }
  }

  /// A call that has to be started, and the run that it is counted for.
  private typealias NextCall = (id: RequestCoalescer.BatchID, batch: Batch, run: CallMeter?)

  private struct Timer {
    let due: Duration
    let task: Task<Void, Never>
  }

  private struct State: ~Copyable {
    var cache: RelationshipCache
    var coalescer: RequestCoalescer
    var recipients: [CallerID: Recipient] = [:]
    /// The run that last had stale answers refreshed.
    var refreshingRun: CallMeter?
    var calls: [RequestCoalescer.BatchID: Task<Void, Never>] = [:]
    /// Batches whose calls have to be started, and whether a thread is doing that.
    var toBegin: Deque<(id: RequestCoalescer.BatchID, batch: Batch)> = []
    var isBeginning = false
    var timer: Timer?
  }

  private let source: any RelationshipSource
  private let overlay: OptimisticOverlay
  private let changes: ChangeBroadcaster
  private let observed: ObservationHub
  /// Stores what is learned; nil for none.
  private let lastKnown: LastKnownWriter?
  /// How long a single request waits for others, to share a call with them.
  private let gatherWindow: Duration
  private let time: TimeSource
  private let state: PosixMutex<State>

  init(
    source: any RelationshipSource, cachePolicy: RelationshipCache.Policy, overlay: OptimisticOverlay,
    changes: ChangeBroadcaster, lastKnown: LastKnownWriter? = nil, concurrency: Int, gatherWindow: Duration,
    time: TimeSource
  ) {
    self.source = source
    self.overlay = overlay
    self.changes = changes
    observed = ObservationHub(overlay: overlay)
    self.lastKnown = lastKnown
    self.gatherWindow = max(.zero, gatherWindow)
    self.time = time
    state = PosixMutex(
      State(
        cache: RelationshipCache(policy: cachePolicy, time: time),
        coalescer: RequestCoalescer(size: source.batchSize, concurrency: concurrency)))
  }

  deinit { state.withLock { $0.timer?.task.cancel() } }

  // MARK: Cache

  /// Whether the actor follows the target, if a fresh answer is cached; an account never follows itself
  /// (Q4).
  func cachedFollow(of actor: DID, _ target: DID) -> Bool? {
    state.withLock { $0.cache.isFollowing(actor, target) }
  }

  /// Which targets the actor follows according to the cache; stale entries are refreshed.
  func cachedFollows(of actor: DID, among targets: [DID]) -> RelationshipCache.Follows {
    locked { state, now in
      let found = state.cache.follows(of: actor, among: targets)
      return (found, found.stale.isEmpty ? [] : refresh(actor, found.stale, &state, at: now))
    }
  }

  /// Whether each account exists; accounts that are not cached are left out.
  func cachedExistence(of accounts: [DID]) -> [DID: Bool] {
    state.withLock { $0.cache.existence(of: accounts) }
  }

  /// Asks the source which accounts exist, and caches the result.
  func existence(of accounts: [DID]) async throws -> ExistenceFinding {
    let generation = state.withLock { $0.cache.generation }
    let finding = try await source.existing(among: accounts)
    // A hidden account is asked about again: the AppView may show it soon.
    let learned = accounts.filter { finding.faults[$0] == nil && !finding.hidden.contains($0) }
    state.withLock { $0.cache.learn(existing: finding.existing, among: learned, askedIn: generation) }
    return finding
  }

  /// What is known about a pair, however old, without a request.
  func known(of actor: DID, _ target: DID) -> RelationshipInfo? {
    state.withLock { $0.cache.known(of: actor, in: PairKey(actor, target)).info }
  }

  /// Number of observed pairs.
  var observedCount: Int { observed.count }

  /// Subscribes to a pair.
  func observe(_ question: ObservationHub.Question) -> ObservationSubscription {
    let (subscription, afterwards) = state.withLock { state in
      let (actor, target) = (question.actor, question.target)
      if actor == target {
        let itself = RelationshipInfo.withItself(actor, at: Datetime(at: time.instant))
        return observed.join(question, knowing: (itself, true))
      }
      return observed.join(question, knowing: state.cache.known(of: actor, in: question.pair))
    }
    for action in afterwards { action() }
    return subscription
  }

  /// Invalidates a pair, including an answer in progress. The next answer is compared with the old one; it is
  /// requested at once if the pair is observed.
  func invalidate(_ actor: DID, _ target: DID) {
    source.forget()
    notifying { state in
      state.cache.expire(actor: actor, target: target)
      state.coalescer.invalidate(PairKey(actor, target))
      lastKnown?.remove(actor, target)
      return observed.expired(PairKey(actor, target))
    }
  }

  /// Invalidates every answer, including those in progress, and keeps all as last known. Observed pairs are
  /// requested at once.
  func markStale() {
    source.forget()
    notifying { state in
      state.cache.expireAll()
      state.coalescer.invalidateAll()
      return observed.expiredAll()
    }
  }

  /// Invalidates every answer, including those in progress. While there are subscribers, the next answers are
  /// compared with the old ones. Observed pairs are requested at once.
  func invalidateAll() { removeAll(forgettingObserved: false) }

  /// Forgets every answer as ``invalidateAll()`` does, and what observers were shown as well.
  func forgetAll() { removeAll(forgettingObserved: true) }

  private func removeAll(forgettingObserved isForgotten: Bool) {
    // First: a query that begins later must not find what the source keeps.
    source.forget()
    notifying { state in
      state.cache.removeAll(keepingCompared: changes.hasSubscribers)
      state.coalescer.invalidateAll()
      lastKnown?.removeAll()
      return observed.expiredAll(isForgotten: isForgotten)
    }
  }

  /// Caches earlier relationships as stale, for pairs that are not cached.
  func restore(_ relationships: [RelationshipInfo]) -> Int {
    let (count, afterwards) = state.withLock { state in
      (state.cache.restore(relationships), observed.restored(relationships))
    }
    for action in afterwards { action() }
    return count
  }

  /// Removes expired answers that nothing is compared with.
  func prune() { state.withLock { _ = $0.cache.prune(keepingCompared: changes.hasSubscribers) } }

  var statistics: RelationshipCache.Statistics { state.withLock { $0.cache.statistics } }

  func applyLocalChange(
    _ actor: DID, _ target: DID, isExpected: Bool, failure: ChangeFailure?,
    _ edit: (RelationshipInfo) -> RelationshipInfo,
    tell: (_ before: RelationshipInfo, _ now: RelationshipInfo) -> RelationshipChange
  ) {
    notifying { state in
      let moved = state.cache.move(
        actor, target, isExpected: isExpected, isRollback: failure != nil, edit)
      let shown = observed.moved(actor, target, cached: moved?.now, failure: failure, edit)
      // A stored relationship that is not cached is older than the change.
      if let moved, moved.isCached { lastKnown?.keep([moved.now]) } else { lastKnown?.remove(actor, target) }
      guard let moved else { return shown }
      return shown + changes.post([tell(moved.before, moved.now)])
    }
  }

  func observe(_ edge: ObservedEdge, among watched: Set<DID>) {
    guard case .doubtful = edge.change else {
      if let subject = edge.subject { observe(edge, of: subject, among: watched) }
      return
    }
    let doubtful = state.withLock { state in
      let pairs =
        if let subject = edge.subject {
          [PairKey(edge.author, subject)]
        } else if watched.contains(edge.author) {
          state.cache.pairs(of: edge.author) + observed.pairs(of: edge.author)
        } else {
          watched.map { PairKey(edge.author, $0) }
        }
      return Set(pairs).filter { pair in
        let shown = state.cache.lastAnswer(of: edge.author, in: pair) ?? observed.shown(pair)
        return shown.map(edge.castsDoubt) ?? false
      }
    }
    for pair in doubtful { invalidate(pair.low, pair.high) }
  }

  private func observe(_ edge: ObservedEdge, of subject: DID, among watched: Set<DID>) {
    let pair = PairKey(edge.author, subject)
    let known = state.withLock { $0.cache.lastAnswer(of: subject, in: pair) ?? observed.shown(pair) }
    if let known, edge.at < known.checkedAt.instant {
      if edge.castsDoubt(on: known), overlay.expect(edge, of: subject) { invalidate(pair.low, pair.high) }
      return
    }
    notifying { state in
      // An answer in progress may be older.
      state.coalescer.invalidate(pair)
      let sides = watched.contains(subject) ? [subject, edge.author] : [edge.author, subject]
      let answers = sides.map { state.cache.lastAnswer(of: $0, in: pair) }
      // Only the side that asked about mutes knows them.
      let side = answers.firstIndex { $0?.muted != nil }.map { sides[$0] } ?? sides[0]
      if let known = answers[0] ?? observed.shown(pair) {
        guard !edge.applied(to: known).hasSameFacts(as: known) else { return [] }
      } else if !overlay.counts(for: edge.author) {
        return []
      }
      guard overlay.expect(edge, of: subject) else { return [] }
      let edit: (RelationshipInfo) -> RelationshipInfo = { self.overlay.overlaid(edge.applied(to: $0)) }
      let moved = state.cache.move(side, pair.opposite(side), edit)
      let shown = observed.told(pair, edit)
      guard let moved else { return shown }
      if moved.isCached { lastKnown?.keep([moved.now]) } else { lastKnown?.remove(pair.low, pair.high) }
      return shown + changes.post([.changed(from: moved.before, to: moved.now)])
    }
  }

  /// Changes the state, then tells subscribers of it without the lock.
  private func notifying(_ change: (inout State) -> ObservationHub.Afterwards) {
    for action in state.withLock(change) { action() }
  }

  // MARK: Requests

  /// Which answers a query takes.
  enum Freshness: Sendable {
    /// Any cached one that may be shown; a stale one is refreshed.
    case cached
    /// A cached one within its lifetime, or that of a call in progress.
    case fresh
    /// That of a new call.
    case new
  }

  /// The finding for one target other than the actor.
  ///
  /// - Throws: ``RelationshipError`` `actorNotFound` if the actor does not exist; `CancellationError`.
  func finding(
    of actor: DID, with target: DID, _ freshness: Freshness = .cached
  ) async throws -> RelationshipFinding {
    let caller = newCaller()
    let pair = PairKey(actor, target)
    if freshness == .new { source.forget() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let cached = locked { state, now -> (Result<RelationshipFinding, any Error>?, [Action]) in
          if Task.isCancelled { return (.failure(CancellationError()), []) }
          if freshness == .new { state.coalescer.invalidate(pair) }
          switch freshness == .new ? .none : state.cache.finding(of: actor, in: pair, at: CacheInstant(now)) {
          case .fresh(let finding): return (.success(finding), [])
          case .stale(let finding) where freshness == .cached:
            return (.success(finding), refresh(actor, [target], &state, at: now))
          case .stale, .none:
            state.recipients[caller] = .single(continuation, CallMeter.ofRun)
            let request = Request(actor, target, slot: 0, due: now + gatherWindow)
            return (nil, state.coalescer.request(actor, about: [request], for: caller, at: now))
          }
        }
        if let cached { continuation.resume(with: cached) }
      }
    } onCancel: {
      guard case .single(let continuation, _) = leave(caller, [pair]) else { return }
      continuation.resume(throwing: CancellationError())
    }
  }

  /// A new caller for ``request(_:about:for:)``.
  func newCaller() -> CallerID { state.withLock { $0.coalescer.newCaller() } }

  /// Registers a caller, which receives the answers to its requests on any thread until it leaves.
  func join(_ caller: CallerID, hearing hear: @escaping @Sendable ([Delivery]) -> Void) {
    let run = CallMeter.ofRun
    state.withLock { $0.recipients[caller] = .many(hear, run) }
  }

  /// Adds requests about any targets except the actor; ignored if the caller has left.
  ///
  /// - Returns: the cached answers; the others are delivered later.
  func request(_ actor: DID, about requests: [Request], for caller: CallerID) -> [Delivery] {
    locked { state, now in
      guard state.recipients[caller] != nil else { return ([], []) }
      var deliveries: [Delivery] = []
      var stale: [DID] = []
      let moment = CacheInstant(now)
      for request in requests {
        switch state.cache.finding(of: actor, in: request.pair, at: moment) {
        case .fresh(let finding): deliveries.append(Delivery(slot: request.slot, outcome: .finding(finding)))
        case .stale(let finding):
          deliveries.append(Delivery(slot: request.slot, outcome: .finding(finding)))
          stale.append(request.pair.opposite(actor))
        case .none: continue
        }
      }
      let cached = Set(deliveries.map(\.slot))
      let missing = cached.isEmpty ? requests : requests.filter { !cached.contains($0.slot) }
      var actions = state.coalescer.request(actor, about: missing, for: caller, at: now)
      if !stale.isEmpty { actions += refresh(actor, stale, &state, at: now) }
      return (deliveries, actions)
    }
  }

  /// How many of a caller's pairs wait for a full batch.
  func pendingCount(of caller: CallerID) -> Int { state.withLock { $0.coalescer.pendingCount(of: caller) } }

  /// Sends a caller's pending requests, as no more will come to fill their batches.
  func flush(_ caller: CallerID) {
    locked { state, now in ((), state.coalescer.flush(caller, at: now)) }
  }

  /// Unregisters a caller and cancels its open pairs.
  @discardableResult
  func leave(_ caller: CallerID, _ pairs: [PairKey]) -> Recipient? {
    locked(isLeaving: true) { state, now in
      guard let recipient = state.recipients.removeValue(forKey: caller) else { return (nil, []) }
      return (recipient, state.coalescer.cancel(caller, of: pairs, at: now))
    }
  }

  private func refresh(
    _ actor: DID, _ targets: [DID], _ state: inout State, at now: Duration
  ) -> [Action] {
    state.refreshingRun = CallMeter.ofRun
    return state.coalescer.refresh(actor, targets, due: now + gatherWindow, at: now)
  }

  // MARK: Calls

  // In the task of the call: a task that is made in a closure takes a lock whenever it is switched (Swift 6.3).
  private func call(_ id: RequestCoalescer.BatchID, _ batch: Batch, for run: CallMeter?) async {
    if run === CallMeter.ofRun { return await call(id, batch) }
    await CallMeter.$ofRun.withValue(run) { await call(id, batch) }
  }

  private func call(_ id: RequestCoalescer.BatchID, _ batch: Batch) async {
    let outcome: Result<[RelationshipFinding], RelationshipError>
    do {
      outcome = .success(try await source.relationships(of: batch.center, with: batch.others))
    } catch {
      outcome = .failure(RelationshipError.wrapping(error) ?? .networkError(error))
    }
    let wakenings = locked { state, now -> ([@Sendable () -> Void], [Action]) in
      // Abandoned in the meantime.
      guard state.coalescer.isOpen(id) else { return ([], []) }
      state.calls[id] = nil
      let outcome = outcome.map { overlay.isEmpty ? $0 : $0.map(shown) }
      var wakenings: [@Sendable () -> Void] = []
      if case .success(let findings) = outcome { wakenings = learn(findings, from: id, batch, &state) }
      return (wakenings, state.coalescer.answered(id, outcome, at: now))
    }
    for wake in wakenings { wake() }
  }

  /// An answer with the account's recent changes, which the source may not show yet (Q21).
  private func shown(_ finding: RelationshipFinding) -> RelationshipFinding {
    if case .known(let info) = finding { .known(overlay.reconcile(info)) } else { finding }
  }

  /// Caches the findings and posts what changed, from the point of view of the first requester.
  private func learn(
    _ findings: [RelationshipFinding], from id: RequestCoalescer.BatchID, _ batch: Batch,
    _ state: inout State
  ) -> [@Sendable () -> Void] {
    let (pairs, invalidated) = (state.coalescer.pairs(in: id), state.coalescer.invalidated(in: id))
    let news = state.cache.learn(findings, of: batch.center, in: pairs, except: invalidated)
    lastKnown?.keep(
      findings.compactMap { finding in
        guard case .known(let info) = finding, !info.lacksMutes, info.actor == batch.center,
          !invalidated.contains(info.pair)
        else { return nil }
        return info
      })
    let shown = observed.learned(findings, in: pairs, except: invalidated)
    if news.isEmpty { return shown }
    var told: [RelationshipChange] = []
    for (before, now) in news {
      let isReversed = state.coalescer.isReversed(PairKey(batch.center, now.target), in: id)
      told.append(
        isReversed ? .changed(from: before.swapped, to: now.swapped) : .changed(from: before, to: now))
    }
    return shown + changes.post(told)
  }

  private typealias Action = RequestCoalescer.Action

  /// Changes the state, and performs the coalescer's actions.
  ///
  /// Answers are delivered, and calls started and cancelled, without the lock: resuming or cancelling a
  /// task takes the task's lock, which is held while a cancelled caller leaves.
  ///
  /// - Parameter isLeaving: whether the task's lock may be held now; calls are then started from another
  ///   task.
  private func locked<Value>(
    isLeaving: Bool = false, _ change: (inout State, Duration) -> (Value, [Action])
  ) -> Value {
    let now = time.now
    let (value, answers, abandoned, hasCalls) = state.withLock { state in
      let (value, actions) = change(&state, now)
      let (answers, abandoned) = perform(actions, &state)
      arrangeTimer(&state, at: now)
      return (value, answers, abandoned, !state.toBegin.isEmpty)
    }
    for call in abandoned { call.cancel() }
    if hasCalls { if isLeaving { Task { beginCalls() } } else { beginCalls() } }
    for (recipient, deliveries) in answers {
      switch recipient {
      case .single(let continuation, _):
        for delivery in deliveries {
          switch delivery.outcome {
          case .finding(let finding): continuation.resume(returning: finding)
          case .noActor(let error): continuation.resume(throwing: error)
          }
        }
      case .many(let hear, let run): CallMeter.counting(for: run) { hear(deliveries) }
      }
    }
    return value
  }

  private func perform(
    _ actions: [Action], _ state: inout State
  ) -> (answers: [(Recipient, [Delivery])], abandoned: [Task<Void, Never>]) {
    var answers: [(Recipient, [Delivery])] = []
    var abandoned: [Task<Void, Never>] = []
    for action in actions {
      switch action {
      case .send(let id, let batch): state.toBegin.append((id, batch))
      case .abandon(let id): if let call = state.calls.removeValue(forKey: id) { abandoned.append(call) }
      case .deliver(let caller, let deliveries):
        guard let recipient = state.recipients[caller] else { continue }
        if case .single = recipient { state.recipients[caller] = nil }
        answers.append((recipient, deliveries))
      }
    }
    return (answers, abandoned)
  }

  /// Starts calls, each up to its first suspension, without a thread switch; one after another, because a
  /// source that does not suspend would otherwise start the next call inside the previous one.
  private func beginCalls() {
    guard var next = state.withLock({ $0.isBeginning ? nil : nextCall(&$0) }) else { return }
    while true {
      let (id, batch, run) = next
      let call =
        if #available(macOS 26, iOS 26, *) {
          Task.immediate { await self.call(id, batch, for: run) }
        } else {
          Task { await self.call(id, batch, for: run) }
        }
      let (isOpen, following) = state.withLock { state in
        // The call may have ended already, or have been abandoned before it was stored.
        let isOpen = state.coalescer.isOpen(id)
        if isOpen { state.calls[id] = call }
        return (isOpen, nextCall(&state))
      }
      if !isOpen { call.cancel() }
      guard let following else { return }
      next = following
    }
  }

  /// Takes the next batch that still has waiters; nil if there is none.
  private func nextCall(_ state: inout State) -> NextCall? {
    while let (id, batch) = state.toBegin.popFirst() {
      guard state.coalescer.isOpen(id) else { continue }
      state.isBeginning = true
      guard let caller = state.coalescer.firstCaller(in: id) else { return (id, batch, state.refreshingRun) }
      return (id, batch, state.recipients[caller]?.run)
    }
    state.isBeginning = false
    return nil
  }

  /// A timer that fires too early finds nothing to do, and sets the next one.
  private func arrangeTimer(_ state: inout State, at now: Duration) {
    guard let due = state.coalescer.wakeUp else { return }
    if let timer = state.timer, timer.due <= due { return }
    // The replaced timer is due later and will find nothing to do.
    let task = Task { [weak self, time] in
      // Continue even if the clock fails, so that requests are not stuck.
      try? await time.sleep(for: due - now)
      if !Task.isCancelled { self?.elapse(to: due) }
    }
    state.timer = Timer(due: due, task: task)
  }

  private func elapse(to due: Duration) {
    locked { state, now in
      if state.timer?.due == due { state.timer = nil }
      return ((), state.coalescer.elapsed(at: max(now, due)))
    }
  }
}
