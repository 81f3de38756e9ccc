// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import DequeModule

/// Answers requests from the cache, or loads the answers from a source in batches: drives a ``RequestCoalescer``.
///
/// Cache and coalescer stand behind one lock, so that a request takes a single look from its caller to the call, and
/// an answer is remembered before anybody can ask again. Each call runs in a task of its own: a caller who stops
/// waiting takes nothing from others, and a call that nobody waits for is cancelled.
final class RelationshipLoader: Sendable {
  typealias CallerID = RequestCoalescer.CallerID
  typealias Request = RequestCoalescer.Request
  typealias Delivery = RequestCoalescer.Delivery

  /// Who hears the answers of a caller.
  enum Recipient: Sendable {
    case single(CheckedContinuation<RelationshipFinding, any Error>)
    case many(@Sendable ([Delivery]) -> Void)
  }

  private struct Timer {
    let due: Duration
    let task: Task<Void, Never>
  }

  private struct State: ~Copyable {
    var cache: RelationshipCache
    var coalescer: RequestCoalescer
    var recipients: [CallerID: Recipient] = [:]
    var calls: [RequestCoalescer.BatchID: Task<Void, Never>] = [:]
    /// Batches whose calls are to be begun, and whether a thread is at that already.
    var toBegin: Deque<(id: RequestCoalescer.BatchID, batch: Batch)> = []
    var isBeginning = false
    var timer: Timer?
  }

  private let source: any RelationshipSource
  private let overlay: OptimisticOverlay
  private let changes: ChangeBroadcaster
  /// Keeps what is learned; nil where nothing is kept.
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
    self.lastKnown = lastKnown
    self.gatherWindow = max(.zero, gatherWindow)
    self.time = time
    state = PosixMutex(
      State(
        cache: RelationshipCache(policy: cachePolicy, time: time),
        coalescer: RequestCoalescer(size: source.batchSize, concurrency: concurrency)))
  }

  deinit { state.withLock { $0.timer?.task.cancel() } }

  // MARK: Memory

  /// Whether the actor follows the target, if a fresh answer is remembered; nobody follows themselves (Q4).
  func rememberedFollow(of actor: DID, _ target: DID) -> Bool? {
    state.withLock { $0.cache.isFollowing(actor, target) }
  }

  /// Whom of the targets the actor follows, as far as it is remembered; what of that is stale is refreshed.
  func rememberedFollows(of actor: DID, among targets: [DID]) -> RelationshipCache.Follows {
    locked { state, now in
      let found = state.cache.follows(of: actor, among: targets)
      return (found, found.stale.isEmpty ? [] : refresh(actor, found.stale, &state, at: now))
    }
  }

  /// Whether each account exists; those of which nothing is remembered are left out.
  func rememberedExistence(of accounts: [DID]) -> [DID: Bool] {
    state.withLock { $0.cache.existence(of: accounts) }
  }

  /// Asks the source which accounts exist, and remembers that.
  func existence(of accounts: [DID]) async throws -> ExistenceFinding {
    let generation = state.withLock { $0.cache.generation }
    let finding = try await source.existing(among: accounts)
    let learned = accounts.filter { finding.faults[$0] == nil }
    state.withLock { $0.cache.learn(existing: finding.existing, among: learned, askedIn: generation) }
    return finding
  }

  /// Forgets what is known of a pair, or about to be: the next request asks anew.
  func invalidate(_ actor: DID, _ target: DID) {
    state.withLock { state in
      state.cache.remove(actor: actor, target: target)
      state.coalescer.invalidate(PairKey(actor, target))
      lastKnown?.remove(actor, target)
    }
  }

  /// Forgets every answer, those under way included.
  func invalidateAll() {
    state.withLock { state in
      state.cache.removeAll()
      state.coalescer.invalidateAll()
      lastKnown?.removeAll()
    }
  }

  /// Remembers as stale what was known before this process began, of pairs of which nothing is remembered.
  func restore(_ relationships: [RelationshipInfo]) -> Int {
    state.withLock { $0.cache.restore(relationships) }
  }

  /// Forgets the answers whose time is over.
  func prune() { state.withLock { _ = $0.cache.prune() } }

  var statistics: RelationshipCache.Statistics { state.withLock { $0.cache.statistics } }

  /// Changes what is remembered of a pair as its actor's own doing makes it, and tells so before anything else can
  /// change it again.
  func move(
    _ actor: DID, _ target: DID, _ edit: (RelationshipInfo) -> RelationshipInfo,
    tell: (_ before: RelationshipInfo, _ now: RelationshipInfo) -> RelationshipChange
  ) {
    let wakenings = state.withLock { state -> [@Sendable () -> Void] in
      guard let moved = state.cache.move(actor, target, edit) else {
        // What an earlier process knew was before the change.
        lastKnown?.remove(actor, target)
        return []
      }
      lastKnown?.keep([moved.now])
      return changes.post([tell(moved.before, moved.now)])
    }
    for wake in wakenings { wake() }
  }

  // MARK: Requests

  /// What is learned of one target that is not the actor.
  ///
  /// - Throws: ``RelationshipError`` `actorNotFound` when nobody is the actor; `CancellationError`.
  func finding(of actor: DID, with target: DID) async throws -> RelationshipFinding {
    let caller = newCaller()
    let pair = PairKey(actor, target)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let remembered = locked { state, now -> (Result<RelationshipFinding, any Error>?, [Action]) in
          if Task.isCancelled { return (.failure(CancellationError()), []) }
          switch state.cache.finding(of: actor, in: pair, at: CacheMoment(now)) {
          case .fresh(let finding): return (.success(finding), [])
          case .stale(let finding): return (.success(finding), refresh(actor, [target], &state, at: now))
          case .none:
            state.recipients[caller] = .single(continuation)
            let request = Request(actor, target, slot: 0, due: now + gatherWindow)
            return (nil, state.coalescer.request(actor, about: [request], for: caller, at: now))
          }
        }
        if let remembered { continuation.resume(with: remembered) }
      }
    } onCancel: {
      guard case .single(let continuation) = leave(caller, [pair]) else { return }
      continuation.resume(throwing: CancellationError())
    }
  }

  /// A number for a caller of ``request(_:about:for:)``.
  func newCaller() -> CallerID { state.withLock { $0.coalescer.newCaller() } }

  /// Has a caller hear the answers to its requests, from any thread, until it leaves.
  func join(_ caller: CallerID, hearing hear: @escaping @Sendable ([Delivery]) -> Void) {
    state.withLock { $0.recipients[caller] = .many(hear) }
  }

  /// Takes requests up, about any targets but the actor; none of a caller that has left.
  ///
  /// - Returns: the answers that are remembered; the caller hears the others later.
  func request(_ actor: DID, about requests: [Request], for caller: CallerID) -> [Delivery] {
    locked { state, now in
      guard state.recipients[caller] != nil else { return ([], []) }
      var deliveries: [Delivery] = []
      var stale: [DID] = []
      let moment = CacheMoment(now)
      for request in requests {
        switch state.cache.finding(of: actor, in: request.pair, at: moment) {
        case .fresh(let finding): deliveries.append(Delivery(slot: request.slot, outcome: .finding(finding)))
        case .stale(let finding):
          deliveries.append(Delivery(slot: request.slot, outcome: .finding(finding)))
          stale.append(request.pair.opposite(actor))
        case .none: continue
        }
      }
      let remembered = Set(deliveries.map(\.slot))
      let missing = remembered.isEmpty ? requests : requests.filter { !remembered.contains($0.slot) }
      var actions = state.coalescer.request(actor, about: missing, for: caller, at: now)
      if !stale.isEmpty { actions += refresh(actor, stale, &state, at: now) }
      return (deliveries, actions)
    }
  }

  /// How many of a caller's pairs wait for their batch to be full.
  func pendingCount(of caller: CallerID) -> Int { state.withLock { $0.coalescer.pendingCount(of: caller) } }

  /// What is pending of a caller's requests leaves, for nothing more comes that would fill its batches.
  func flush(_ caller: CallerID) {
    locked { state, now in ((), state.coalescer.flush(caller, at: now)) }
  }

  /// A caller does not wait for these pairs any more, nor for anything else.
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
    state.coalescer.refresh(actor, targets, due: now + gatherWindow, at: now)
  }

  // MARK: Calls

  private func run(_ id: RequestCoalescer.BatchID, _ batch: Batch) async {
    let outcome: Result<[RelationshipFinding], RelationshipError>
    do {
      outcome = .success(try await source.relationships(of: batch.center, with: batch.others))
    } catch {
      outcome = .failure(RelationshipError.wrapping(error) ?? .networkError(error))
    }
    let wakenings = locked { state, now -> ([@Sendable () -> Void], [Action]) in
      // Abandoned meanwhile.
      guard state.coalescer.isOpen(id) else { return ([], []) }
      state.calls[id] = nil
      let outcome = outcome.map { overlay.isEmpty ? $0 : $0.map(shown) }
      var wakenings: [@Sendable () -> Void] = []
      if case .success(let findings) = outcome { wakenings = learn(findings, from: id, batch, &state) }
      return (wakenings, state.coalescer.answered(id, outcome, at: now))
    }
    for wake in wakenings { wake() }
  }

  /// An answer, with what an account has just done, though the source does not show it yet (Q21).
  private func shown(_ finding: RelationshipFinding) -> RelationshipFinding {
    if case .known(let info) = finding { .known(overlay.heard(info)) } else { finding }
  }

  /// Remembers what was learned, and tells what has changed, from the end of who asked first.
  private func learn(
    _ findings: [RelationshipFinding], from id: RequestCoalescer.BatchID, _ batch: Batch,
    _ state: inout State
  ) -> [@Sendable () -> Void] {
    let news = state.cache.learn(
      findings, of: batch.center, in: state.coalescer.pairs(in: id),
      except: state.coalescer.invalidated(in: id))
    if let lastKnown {
      let invalidated = state.coalescer.invalidated(in: id)
      lastKnown.keep(
        findings.compactMap { finding in
          guard case .known(let info) = finding, info.actor == batch.center,
            !invalidated.contains(PairKey(info.actor, info.target))
          else { return nil }
          return info
        })
    }
    if news.isEmpty { return [] }
    var told: [RelationshipChange] = []
    for (before, now) in news {
      let isReversed = state.coalescer.isReversed(PairKey(batch.center, now.target), in: id)
      told.append(
        isReversed ? .changed(from: before.swapped, to: now.swapped) : .changed(from: before, to: now))
    }
    return changes.post(told)
  }

  private typealias Action = RequestCoalescer.Action

  /// Changes the state, and does what the coalescer says.
  ///
  /// Callers are answered, and calls begun and called off, once the lock is free: to wake or to cancel a task takes a
  /// lock of the task, which is held while a caller that is cancelled leaves.
  ///
  /// - Parameter isLeaving: whether it may be held just now: then others begin the calls.
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
      case .single(let continuation):
        for delivery in deliveries {
          switch delivery.outcome {
          case .finding(let finding): continuation.resume(returning: finding)
          case .noActor(let error): continuation.resume(throwing: error)
          }
        }
      case .many(let hear): hear(deliveries)
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

  /// Begins calls, each up to where it waits, without a change of thread; one after another, for a source that need
  /// not wait would else begin the next one within the one before.
  private func beginCalls() {
    guard var next = state.withLock({ $0.isBeginning ? nil : nextCall(&$0) }) else { return }
    while true {
      let (id, batch) = next
      let call =
        if #available(macOS 26, iOS 26, *) {
          Task.immediate { await self.run(id, batch) }
        } else {
          Task { await self.run(id, batch) }
        }
      let (isOpen, following) = state.withLock { state in
        // It may have ended already, or have been abandoned before it could be noted.
        let isOpen = state.coalescer.isOpen(id)
        if isOpen { state.calls[id] = call }
        return (isOpen, nextCall(&state))
      }
      if !isOpen { call.cancel() }
      guard let following else { return }
      next = following
    }
  }

  /// Takes out the next batch that somebody waits for; nil where there is none.
  private func nextCall(_ state: inout State) -> (id: RequestCoalescer.BatchID, batch: Batch)? {
    while let next = state.toBegin.popFirst() {
      guard state.coalescer.isOpen(next.id) else { continue }
      state.isBeginning = true
      return next
    }
    state.isBeginning = false
    return nil
  }

  /// A timer that comes too early finds nothing to do, and arranges the next.
  private func arrangeTimer(_ state: inout State, at now: Duration) {
    guard let due = state.coalescer.wakeUp else { return }
    if let timer = state.timer, timer.due <= due { return }
    // A timer in its place that is due later finds nothing to do.
    let task = Task { [weak self, time] in
      // A clock that cannot wait must not leave requests lying.
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
