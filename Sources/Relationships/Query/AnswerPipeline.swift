// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// Answers the questions of one sequence in their order: drives an ``AnswerWindow``.
///
/// Reading stops while the window is full, and the window empties as fast as answers are taken: a slow
/// consumer slows the whole run down, and memory stays bounded. Nothing here runs by itself: the reader, the calls that
/// end and the consumer each do what has become possible, so that a target passes without a change of thread.
final class AnswerPipeline: Sendable {
  /// What a pipeline works with.
  struct Parts: Sendable {
    let actor: DID
    /// Loads relationships and existence, and shares calls with other callers.
    let loader: RelationshipLoader
    let identities: IdentityDirectory
    let verification: FollowRelationshipService.Verification
    /// Calls for handles and for existence that are under way at once.
    let concurrency: Int
    /// How long to wait for more questions before making calls that are not full; zero waits for the last question.
    let linger: Duration
    let time: TimeSource
  }

  private struct State {
    var window: AnswerWindow
    /// What was read and found no room yet.
    var backlog: ArraySlice<RelationshipQuestion> = []
    var inputEnded = false
    var inputFault: (any Error)?
    var failure: (any Error)?
    var isStopped = false
    /// Whether the source has been waited for long enough, and nothing came since.
    var isQuiet = false
    /// Threads that have taken requests out of the window, and are about to hand them to the loader.
    var handingOver = 0
    var works: [Int: Task<Void, Never>] = [:]
    var worksSoFar = 0
    var timer: Task<Void, Never>?
    var reader: CheckedContinuation<Void, Never>?
    var consumer: CheckedContinuation<Void, Never>?

    var isOver: Bool { isStopped || failure != nil }
    /// Whether all questions are in the window.
    var isRead: Bool { inputEnded && backlog.isEmpty }
    /// Whether the source has no more questions yet, though there is room for them.
    var isWaiting: Bool { !inputEnded && backlog.isEmpty && !window.isFull }
    /// Whether no question comes for now that would fill a call.
    var isDraining: Bool { (isRead || isQuiet) && handingOver == 0 }
    var isAtEnd: Bool { isRead && window.isEmpty }
  }

  /// What has become possible.
  private enum Step {
    case request([RelationshipLoader.Request], unverified: [DID])
    /// What is pending leaves.
    case flush
    /// Where so many requests are pending, nothing is under way, and no answer to come could make room.
    case unblock(ifPending: Int)
    case rest
  }

  private let parts: Parts
  private let caller: RelationshipLoader.CallerID
  private let state: PosixMutex<State>

  init(_ parts: Parts, sizes: AnswerWindow.Sizes) {
    self.parts = parts
    caller = parts.loader.newCaller()
    state = PosixMutex(
      State(window: AnswerWindow(actor: parts.actor, sizes: sizes, verification: parts.verification)))
  }

  /// Begins to read and to ask; ``stop()`` ends it.
  func start<Questions: AsyncSequence & Sendable>(_ questions: Questions) -> Task<Void, Never>
  where Questions.Element == [RelationshipQuestion] {
    parts.loader.join(caller) { [weak self] in self?.learned($0) }
    return Task { await read(questions) }
  }

  /// The answers that are ready, at least one; none at the end.
  ///
  /// - Throws: what ended the run early; what the questions' sequence threw, once those before are answered;
  ///   `CancellationError` when it was stopped.
  func nextAnswers() async throws -> [RelationshipAnswer] {
    while true {
      let answers = try change { state throws -> [RelationshipAnswer]? in
        let answers = state.window.takeAnswers()
        if !answers.isEmpty { return answers }
        if let failure = state.failure { throw failure }
        if state.isStopped { throw CancellationError() }
        guard state.isAtEnd else { return nil }
        if let fault = state.inputFault { throw fault }
        return []
      }
      if let answers {
        advance()
        return answers
      }
      await withCheckedContinuation { continuation in change { $0.consumer = continuation } }
    }
  }

  /// Ends the run: nothing more is read, asked or answered.
  func stop() {
    let (open, works, timer) = change { state in
      state.isStopped = true
      defer { (state.works, state.timer) = ([:], nil) }
      return (state.window.openTargets, Array(state.works.values), state.timer)
    }
    for work in works { work.cancel() }
    timer?.cancel()
    parts.loader.leave(caller, open.map { PairKey(parts.actor, $0) })
  }

  // MARK: Reading

  private func read<Questions: AsyncSequence>(_ questions: Questions) async
  where Questions.Element == [RelationshipQuestion] {
    if parts.verification.includes(parts.actor) { verifyActor() }
    var fault: (any Error)?
    do {
      // An actor that is known not to exist fails at once, not when the first question comes.
      if !state.withLock(\.isOver) {
        for try await some in questions where await !accept(some) { break }
      }
    } catch {
      fault = error
    }
    change { state in (state.inputEnded, state.inputFault, state.isQuiet) = (true, fault, false) }
    advance()
  }

  /// Takes questions in, and waits until there is room for more; false when nothing more is wanted.
  private func accept(_ questions: [RelationshipQuestion]) async -> Bool {
    change { state in (state.backlog, state.isQuiet) = (questions[...], false) }
    advance()
    await withCheckedContinuation { continuation in change { $0.reader = continuation } }
    return !state.withLock(\.isOver)
  }

  /// An actor that does not exist must not be answered for, and the AppView would answer (Q2).
  private func verifyActor() {
    let exists = parts.loader.rememberedExistence(of: [parts.actor])[parts.actor]
    change { state in
      switch exists {
      case true?: state.window.proveActor()
      case false?: state.failure = RelationshipError.actorNotFound(parts.actor)
      case nil: if parts.verification == .everybody { state.window.verifyActor() }
      }
    }
    advance()
  }

  // MARK: Steps

  /// Does whatever has become possible, until there is nothing more.
  private func advance() {
    while true {
      switch change({ nextStep(&$0) }) {
      case .request(let requests, let unverified): request(requests, unverified)
      case .flush: return parts.loader.flush(caller)
      case .unblock(let requested):
        return parts.loader.pendingCount(of: caller) == requested ? unblock() : ()
      case .rest: return
      }
    }
  }

  private func nextStep(_ state: inout State) -> Step {
    if state.isOver { return .rest }
    while !state.window.isFull, let question = state.backlog.popFirst() { state.window.add(question) }
    let (requests, unverified) = state.window.takeRequests()
    if !requests.isEmpty {
      state.handingOver += 1
      return .request(requests, unverified: unverified)
    }
    begin(&state, draining: state.isDraining)
    if state.isDraining {
      // Handles that are being resolved may fill the last call, but nobody is kept waiting for them.
      let mayFill = state.window.isResolving && !state.isQuiet
      return state.window.requested > 0 && !mayFill ? .flush : .rest
    }
    if state.timer == nil, !state.window.isEmpty { state.timer = waitForQuiet() }
    let isBlocked = state.window.isStuck && state.works.isEmpty && state.handingOver == 0
    return isBlocked ? .unblock(ifPending: state.window.requested) : .rest
  }

  /// Makes calls that are not full: what waits for them keeps the questions from coming that would fill them. Handles
  /// first, whose accounts may fill the others.
  private func unblock() {
    let hasBegun = change { state in
      begin(&state, draining: true)
      return !state.works.isEmpty
    }
    if !hasBegun { parts.loader.flush(caller) }
  }

  private func request(_ requests: [RelationshipLoader.Request], _ unverified: [DID]) {
    var requests = requests
    if !unverified.isEmpty {
      let existing = parts.loader.rememberedExistence(of: unverified)
      requests = change { $0.window.remembered(existing, among: requests) }
    }
    learn(parts.loader.request(parts.actor, about: requests, for: caller))
    change { state in
      if !unverified.isEmpty { state.window.verify(requests) }
      state.handingOver -= 1
    }
  }

  private func learned(_ deliveries: [RelationshipLoader.Delivery]) {
    learn(deliveries)
    advance()
  }

  private func learn(_ deliveries: [RelationshipLoader.Delivery]) {
    if deliveries.isEmpty { return }
    change { state in
      if state.isOver { return }
      do throws(RelationshipError) { try state.window.learned(deliveries) } catch { state.failure = error }
    }
  }

  /// Has what waits for a full call leave when the source has no more by then.
  private func waitForQuiet() -> Task<Void, Never>? {
    if parts.linger <= .zero { return nil }
    return Task { [weak self, parts] in
      // A clock that cannot wait must not leave questions lying.
      try? await parts.time.sleep(for: parts.linger)
      if !Task.isCancelled { self?.endLinger() }
    }
  }

  private func endLinger() {
    change { state in (state.timer, state.isQuiet) = (nil, state.isWaiting) }
    advance()
  }

  // MARK: Works

  private func begin(_ state: inout State, draining: Bool) {
    while state.works.count < parts.concurrency,
      let work = state.window.nextWork(draining: draining)
    {
      state.worksSoFar += 1
      let number = state.worksSoFar
      state.works[number] = Task {
        let result = await perform(work)
        finish(number, result)
      }
    }
  }

  private typealias Change = @Sendable (inout AnswerWindow) -> Void

  private func perform(_ work: AnswerWindow.Work) async -> Result<Change, any Error> {
    do {
      switch work {
      case .resolve(let handles):
        let outcomes = try await parts.identities.accounts(of: handles)
        return .success { $0.resolved(outcomes, of: handles) }
      case .verify(let accounts):
        let outcome = try await settled { try await parts.loader.existence(of: accounts) }
        if accounts.contains(parts.actor) { try check(outcome) }
        return .success { $0.verified(outcome, among: accounts) }
      }
    } catch {
      return .failure(error)
    }
  }

  private func finish(_ number: Int, _ result: Result<Change, any Error>) {
    change { state in
      state.works[number] = nil
      if state.isOver { return }
      switch result {
      case .success(let change): change(&state.window)
      case .failure(let error): state.failure = error
      }
    }
    advance()
  }

  /// Ends the run where the actor does not exist, and, where all are verified, where that could not be learned.
  private func check(
    _ outcome: Result<ExistenceFinding, RelationshipError>
  ) throws(RelationshipError) {
    do throws(RelationshipError) {
      let finding = try outcome.get()
      if let fault = finding.faults[parts.actor] { throw fault }
      if !finding.existing.contains(parts.actor) { throw .actorNotFound(parts.actor) }
    } catch {
      if error.code == .actorNotFound || parts.verification == .everybody { throw error }
    }
  }

  /// A call that failed is an outcome of its accounts; only a cancellation ends the whole run.
  private func settled<Value>(
    _ body: () async throws -> Value
  ) async throws -> Result<Value, RelationshipError> {
    do {
      return .success(try await body())
    } catch {
      guard let fault = RelationshipError.wrapping(error) else { throw error }
      return .failure(fault)
    }
  }

  // MARK: Waking

  /// Changes the state, and wakes the reader and the consumer when there is something for them.
  ///
  /// They are woken once the lock is free: to wake a task takes a lock of the task, which is held where it is cancelled,
  /// and that stops this pipeline.
  private func change<Value>(_ body: (inout State) throws -> Value) rethrows -> Value {
    let (value, reader, consumer) = try state.withLock { state in
      let value = try body(&state)
      let canRead = state.isOver || (state.backlog.isEmpty && !state.window.isFull)
      let canTake = state.isOver || state.isAtEnd || state.window.hasAnswer
      return (value, canRead ? state.reader.take() : nil, canTake ? state.consumer.take() : nil)
    }
    reader?.resume()
    consumer?.resume()
    return value
  }
}
