// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// Where all questions of a service come together: drives a ``QuestionPool``, so that equal ones share a call
/// and single ones become batches.
///
/// Each call runs in a task of its own. Who stops waiting, by cancellation or by a deadline, takes nothing
/// from others; a call that nobody waits for any more is cancelled.
actor QuestionDesk {
  private let source: any RelationshipSource
  private let cache: RelationshipCache
  private let changes: ChangeBroadcaster
  private let time: TimeSource
  private var pool: QuestionPool
  private var askersSoFar = 0
  /// Askers who are nobody: they only see to it that stale answers are asked for anew.
  private var refreshing: Set<QuestionPool.AskerID> = []
  private var waiting: [QuestionPool.AskerID: CheckedContinuation<Findings, any Error>] = [:]
  private var calls: [QuestionPool.CallID: Task<Void, Never>] = [:]

  /// Half of the calls that a service has under way, as a rule.
  private static let mostRefreshes = 4

  /// - Parameter gatherWindow: how long single questions gather; zero for not at all.
  init(
    source: any RelationshipSource, cache: RelationshipCache, changes: ChangeBroadcaster,
    gatherWindow: Duration,
    time: TimeSource
  ) {
    self.source = source
    self.cache = cache
    self.changes = changes
    self.time = time
    pool = QuestionPool(atMost: source.batchSize, window: gatherWindow)
  }

  /// Asks the source, alone or together with others who ask at the same time; remembers what it said, and
  /// tells listeners what has changed.
  ///
  /// - Parameters:
  ///   - targets: none of them twice, and none of them the actor.
  ///   - gathers: whether to wait a moment for others, to share a call with them.
  /// - Returns: what was learned of each target.
  /// - Throws: ``RelationshipError`` `actorNotFound` when nobody is the actor; `CancellationError`.
  func ask(_ actor: DID, about targets: [DID], gathers: Bool) async throws -> Findings {
    if targets.isEmpty { return Findings() }
    let asker = newAsker()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting[asker] = continuation
        perform(pool.ask(actor, about: targets, for: asker, gathers: gathers, at: time.now))
      }
    } onCancel: {
      Task { await self.cancel(asker) }
    }
  }

  /// Asks about targets anew without anybody waiting, but for those who are being asked about.
  ///
  /// A few calls at a time: those who wait come first, and what is left stays stale until the next question.
  func refresh(_ actor: DID, _ targets: [DID]) {
    guard refreshing.count < Self.mostRefreshes else { return }
    var quiet: [DID] = []
    for target in targets where quiet.count < source.batchSize && !pool.isOpen(PairKey(actor, target)) {
      quiet.append(target)
    }
    guard !quiet.isEmpty else { return }
    let asker = newAsker()
    refreshing.insert(asker)
    perform(pool.ask(actor, about: quiet, for: asker, gathers: quiet.count == 1, at: time.now))
  }

  /// Whoever asks about a pair from now on does not share what is under way about it.
  func forget(_ actor: DID, _ target: DID) { pool.forget(PairKey(actor, target)) }

  /// Whoever asks from now on shares nothing that is under way.
  func forgetAll() { pool.forgetAll() }

  private func newAsker() -> QuestionPool.AskerID {
    askersSoFar += 1
    return askersSoFar
  }

  private func cancel(_ asker: QuestionPool.AskerID) {
    guard let continuation = waiting.removeValue(forKey: asker) else { return }
    continuation.resume(throwing: CancellationError())
    perform(pool.cancelled(asker))
  }

  private func perform(_ actions: [QuestionPool.Action]) {
    for action in actions {
      switch action {
      case .ask(let id, let star): calls[id] = Task { await self.run(id, star) }
      case .abandon(let id): calls.removeValue(forKey: id)?.cancel()
      case .deliver(let asker, let findings):
        refreshing.remove(asker)
        waiting.removeValue(forKey: asker)?.resume(with: findings.mapError { $0 as any Error })
      case .wake(let delay):
        Task { [end = time.now + delay] in
          // A clock that cannot wait any more must not leave questions lying.
          try? await time.sleep(for: delay)
          perform(pool.windowEnded(at: max(end, time.now)))
        }
      }
    }
  }

  private func run(_ id: QuestionPool.CallID, _ star: Star) async {
    let outcome = await learn(star, by: id)
    calls[id] = nil
    perform(pool.answered(id, outcome))
  }

  private func learn(
    _ star: Star, by call: QuestionPool.CallID
  ) async -> Result<Findings, RelationshipError> {
    let generation = await cache.generation
    do {
      let found = try await source.relationships(of: star.center, with: star.others)
      let findings = Findings(found, of: star.others)
      // The cache tells its news itself, so that none is overtaken by a later one; who asked is known here.
      let reversed = pool.reversed(in: call)
      await cache.learn(findings, of: star.center, with: star.others, askedIn: generation) { [changes] news in
        changes.post(reversed.isEmpty ? news : news.map { Self.asItWasAsked($0, reversed) })
      }
      return .success(findings)
    } catch {
      return .failure(RelationshipError.wrapping(error) ?? .networkError(error))
    }
  }

  /// A change of a pair, told from the end of whoever asked about it first.
  ///
  /// - Parameter reversed: the targets who asked about it themselves.
  private static func asItWasAsked(_ change: RelationshipChange, _ reversed: Set<DID>) -> RelationshipChange {
    guard case .changed(let before, let now) = change, reversed.contains(now.target) else { return change }
    return .changed(from: before.swapped, to: now.swapped)
  }
}
