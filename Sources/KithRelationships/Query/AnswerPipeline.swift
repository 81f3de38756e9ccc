// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// Answers the questions of one sequence in order, using an ``AnswerWindow``.
///
/// Reading stops while the window is full, and the window empties as answers are taken: a slow consumer
/// applies back-pressure to the whole run, and memory stays bounded. The pipeline has no task of its own:
/// the reader, completed calls and the consumer each do the steps that have become possible, so a target
/// needs no thread switch.
final class AnswerPipeline: Sendable {
  /// The dependencies of a pipeline.
  struct Parts: Sendable {
    let actor: DID
    /// Loads relationships and existence, and shares calls with other callers.
    let loader: RelationshipLoader
    /// Resolves handles; nil if all targets are DIDs.
    let identities: IdentityDirectory?
    let verification: FollowRelationshipService.Verification
    /// Concurrent calls for handles and for existence.
    let concurrency: Int
    /// How long to wait for more questions before sending partial batches; zero waits for the end of the
    /// questions.
    let linger: Duration
    let time: TimeSource
  }

  private struct State {
    var window: AnswerWindow
    /// Questions that were read but do not fit into the window yet.
    var backlog: ArraySlice<RelationshipQuestion> = []
    var inputEnded = false
    var inputFault: (any Error)?
    var failure: (any Error)?
    var isStopped = false
    /// Whether the source has sent nothing for the linger time.
    var isQuiet = false
    /// Number of threads that have taken requests from the window and not yet passed them to the loader.
    var handingOver = 0
    var works: [Int: Task<Void, Never>] = [:]
    var worksSoFar = 0
    var timer: Task<Void, Never>?
    var reader: CheckedContinuation<Void, Never>?
    var consumer: CheckedContinuation<Void, Never>?

    var isOver: Bool { isStopped || failure != nil }
    /// Whether all questions are in the window.
    var isRead: Bool { inputEnded && backlog.isEmpty }
    /// Whether the source has no questions at the moment although there is room.
    var isWaiting: Bool { !inputEnded && backlog.isEmpty && !window.isFull }
    /// Whether no more questions are expected for now that could fill a batch.
    var isDraining: Bool { (isRead || isQuiet) && handingOver == 0 }
    var isAtEnd: Bool { isRead && window.isEmpty }
  }

  /// The next possible step.
  private enum Step {
    case request([RelationshipLoader.Request], unverified: [DID])
    /// Send partial batches.
    case flush
    /// If this many requests are pending: nothing is in progress, and no answer can make room.
    case unblock(ifPending: Int)
    case wait
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

  /// Starts reading and requesting; ``stop()`` ends it.
  func start<Questions: AsyncSequence & Sendable>(_ questions: Questions) -> Task<Void, Never>
  where Questions.Element == [RelationshipQuestion] {
    parts.loader.join(caller) { [weak self] in self?.learned($0) }
    return Task { await read(questions) }
  }

  /// The next answers, at least one; empty at the end.
  ///
  /// - Throws: the error that ended the run early; the error of the questions' sequence, after the answers
  ///   to the questions before it; `CancellationError` after ``stop()``.
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

  /// Ends the run: nothing more is read, requested or answered.
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
      // An actor that is known not to exist fails at once, before the first question arrives.
      if !state.withLock(\.isOver) {
        for try await some in questions where await !accept(some) { break }
      }
    } catch {
      fault = error
    }
    change { state in (state.inputEnded, state.inputFault, state.isQuiet) = (true, fault, false) }
    advance()
  }

  /// Adds questions and waits until there is room for more; returns false if no more are wanted.
  private func accept(_ questions: [RelationshipQuestion]) async -> Bool {
    change { state in (state.backlog, state.isQuiet) = (questions[...], false) }
    advance()
    await withCheckedContinuation { continuation in change { $0.reader = continuation } }
    return !state.withLock(\.isOver)
  }

  /// An actor that does not exist must fail, but the AppView would return answers (Q2).
  private func verifyActor() {
    let exists = parts.loader.cachedExistence(of: [parts.actor])[parts.actor]
    change { state in
      switch exists {
      case true?: state.window.proveActor()
      case false?: state.failure = RelationshipError.actorNotFound(parts.actor)
      case nil: if parts.verification == .all { state.window.verifyActor() }
      }
    }
    advance()
  }

  // MARK: Steps

  /// Performs steps until there are none left.
  private func advance() {
    while true {
      switch change({ nextStep(&$0) }) {
      case .request(let requests, let unverified): request(requests, unverified)
      case .flush: return parts.loader.flush(caller)
      case .unblock(let requested):
        return parts.loader.pendingCount(of: caller) == requested ? unblock() : ()
      case .wait: return
      }
    }
  }

  private func nextStep(_ state: inout State) -> Step {
    if state.isOver { return .wait }
    while !state.window.isFull, let question = state.backlog.popFirst() { state.window.add(question) }
    let (requests, unverified) = state.window.takeRequests()
    if !requests.isEmpty {
      state.handingOver += 1
      return .request(requests, unverified: unverified)
    }
    begin(&state, draining: state.isDraining)
    if state.isDraining {
      // Handles being resolved may fill the last batch, but a quiet source is not kept waiting for them.
      let mayFill = state.window.isResolving && !state.isQuiet
      return state.window.requested > 0 && !mayFill ? .flush : .wait
    }
    if state.timer == nil, !state.window.isEmpty { state.timer = waitForQuiet() }
    let isBlocked = state.window.isStuck && state.works.isEmpty && state.handingOver == 0
    return isBlocked ? .unblock(ifPending: state.window.requested) : .wait
  }

  /// Sends partial batches when the window is full of questions that wait for them. Handles come first, as
  /// their accounts may fill the other batches.
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
      let existing = parts.loader.cachedExistence(of: unverified)
      requests = change { $0.window.cached(existing, among: requests) }
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

  /// Sends partial batches if the source has no more questions after the linger time.
  private func waitForQuiet() -> Task<Void, Never>? {
    if parts.linger <= .zero { return nil }
    return Task { [weak self, parts] in
      // Continue even if the clock fails, so that questions are not stuck.
      if !parts.time.isManual { try? await parts.time.sleep(for: parts.linger) }
      if !Task.isCancelled { self?.endLinger() }
    }
  }

  private func endLinger() {
    change { state in (state.timer, state.isQuiet) = (nil, state.isWaiting) }
    advance()
  }

  // MARK: Calls

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
        guard let identities = parts.identities else { throw RelationshipError.clientNotConfigured }
        let outcomes = try await identities.accounts(of: handles)
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

  /// Ends the run if the actor does not exist or, if everything is verified, its existence is unknown.
  private func check(
    _ outcome: Result<ExistenceFinding, RelationshipError>
  ) throws(RelationshipError) {
    do throws(RelationshipError) {
      let finding = try outcome.get()
      if let fault = finding.faults[parts.actor] { throw fault }
      if !finding.existing.contains(parts.actor) { throw .actorNotFound(parts.actor) }
    } catch {
      if error.code == .actorNotFound || parts.verification == .all { throw error }
    }
  }

  /// A failed call becomes the outcome of its accounts; only cancellation ends the run.
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

  // MARK: Resuming

  /// Changes the state, and resumes the reader and the consumer if they can continue.
  ///
  /// They are resumed without the lock: resuming a task takes the task's lock, which is held during its
  /// cancellation, and cancellation calls this pipeline's `stop()`.
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
