// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// Drives a ``QuestionWindow``: reads questions while there is room, does the work of so many lanes side by
/// side, and hands out answers in order.
///
/// Reading stops while the window is full, and the window empties as fast as answers are taken: a slow
/// consumer slows the whole run down, and memory stays bounded. Where questions come slowly, as somebody types
/// them, a batch does not wait for ever to be full.
actor AnswerPump {
  /// What the lanes need to do their work.
  struct Workshop: Sendable {
    let actor: DID
    /// Asks about relationships, together with whoever else asks.
    let desk: QuestionDesk
    /// Tells which accounts exist.
    let source: any RelationshipSource
    let identities: IdentityDirectory
    let cache: RelationshipCache
    let verification: FollowRelationshipService.Verification
    /// How long a batch may gather before it goes as it is; zero for as long as it takes.
    let linger: Duration
    let time: TimeSource
  }

  private let workshop: Workshop
  private let lanes: Int
  private var window: QuestionWindow
  private var inputEnded = false
  private var inputFault: (any Error)?
  private var busyLanes = 0
  private var linger: Linger
  private var watch: Task<Void, Never>?
  private var failure: (any Error)?
  private var isStopped = false
  private var idleLanes: [CheckedContinuation<QuestionWindow.Work?, Never>] = []
  private var reader: CheckedContinuation<Void, Never>?
  private var consumer: CheckedContinuation<Void, Never>?

  init(workshop: Workshop, sizes: QuestionWindow.Sizes, lanes: Int) {
    self.workshop = workshop
    self.lanes = max(1, lanes)
    linger = Linger(atMost: workshop.linger)
    window = QuestionWindow(actor: workshop.actor, sizes: sizes, verification: workshop.verification)
  }

  /// Runs to the end of the questions; returns early when stopped.
  nonisolated func run<Questions: AsyncSequence & Sendable>(_ questions: Questions) async
  where Questions.Element == [RelationshipQuestion] {
    await withTaskCancellationHandler {
      await withTaskGroup { group in
        group.addTask { await self.read(questions) }
        for _ in 0..<lanes {
          group.addTask {
            while let work = await self.nextWork() { await self.perform(work) }
          }
        }
      }
    } onCancel: {
      Task { await self.stop() }
    }
    await endWatch()
  }

  /// The answers that are ready, at least one; none at the end.
  ///
  /// - Throws: what ended the run early; what the questions' sequence threw, once those before are answered;
  ///   `CancellationError` when the consumer was cancelled.
  func nextAnswers() async throws -> [RelationshipAnswer] {
    while true {
      let answers = window.takeAnswers()
      if !answers.isEmpty {
        distribute()
        return answers
      }
      if let failure { throw failure }
      if isStopped { throw CancellationError() }
      if inputEnded, window.isEmpty {
        if let inputFault { throw inputFault }
        return []
      }
      await withCheckedContinuation { consumer = $0 }
    }
  }

  /// Ends the run: lanes finish what they are at, and nothing more is read, asked or answered.
  func stop() {
    isStopped = true
    distribute()
  }

  // MARK: Reading

  private func read<Questions: AsyncSequence>(_ questions: Questions) async
  where Questions.Element == [RelationshipQuestion] {
    if workshop.verification.includes(workshop.actor) { await verifyActor() }
    do {
      // Whoever is known not to exist is told so at once, not when the first question comes.
      if failure == nil {
        for try await some in questions {
          var rest = some[...]
          while !rest.isEmpty, !isStopped, failure == nil { await take(&rest) }
          if isStopped || failure != nil { break }
        }
      }
    } catch {
      inputFault = error
    }
    inputEnded = true
    distribute()
  }

  /// Takes up questions as long as there is room, and waits for room for more.
  private func take(_ questions: inout ArraySlice<RelationshipQuestion>) async {
    while !window.isFull, let question = questions.popFirst() { window.add(question) }
    distribute()
    while window.isFull, !isStopped, failure == nil {
      await withCheckedContinuation { reader = $0 }
    }
  }

  /// An actor that nobody is must not be answered for, and the AppView would answer (Q2).
  private func verifyActor() async {
    switch await workshop.cache.existence(of: [workshop.actor])[workshop.actor] {
    case true?: window.proveActor()
    case false?: failure = RelationshipError.actorNotFound(workshop.actor)
    case nil: if workshop.verification == .everybody { window.verifyActor() }
    }
  }

  // MARK: Lanes

  private func nextWork() async -> QuestionWindow.Work? {
    await withCheckedContinuation { lane in
      idleLanes.append(lane)
      distribute()
    }
  }

  private nonisolated func perform(_ work: QuestionWindow.Work) async {
    do {
      switch work {
      case .resolve(let handles):
        let outcomes = try await workshop.identities.dids(of: handles)
        await finished { $0.resolved(outcomes, of: handles) }
      case .lookUp(let targets):
        let found = await workshop.cache.findingsOfAnyAge(of: workshop.actor, with: targets)
        if !found.stale.isEmpty { await workshop.desk.refresh(workshop.actor, found.stale) }
        let verified = targets.filter(workshop.verification.includes)
        let existing = verified.isEmpty ? [:] : await workshop.cache.existence(of: verified)
        await finished { $0.lookedUp(found.known, existing: existing, in: targets) }
      case .ask(let targets):
        let outcome = try await settled {
          try await workshop.desk.ask(workshop.actor, about: targets, gathers: false)
        }
        await finished { $0.learned(outcome, about: targets) }
      case .verify(let targets):
        let outcome = try await settled { try await workshop.verify(targets) }
        if targets.contains(workshop.actor) { try check(outcome) }
        await finished { $0.verified(outcome, among: targets) }
      }
    } catch {
      await failed(error)
    }
  }

  /// Ends the run where the actor does not exist, and, where all are verified, where that could not be learned.
  private nonisolated func check(
    _ outcome: Result<ExistenceFinding, RelationshipError>
  ) throws(RelationshipError) {
    let actor = workshop.actor
    do throws(RelationshipError) {
      let finding = try outcome.get()
      if let fault = finding.faults[actor] { throw fault }
      if !finding.existing.contains(actor) { throw .actorNotFound(actor) }
    } catch {
      if error.code == .actorNotFound || workshop.verification == .everybody { throw error }
    }
  }

  /// A batch that failed is an outcome of its targets; only an actor that nobody is ends the whole run.
  private nonisolated func settled<Value>(
    _ body: () async throws -> Value
  ) async throws -> Result<Value, RelationshipError> {
    do {
      return .success(try await body())
    } catch {
      guard let fault = RelationshipError.wrapping(error), fault.code != .actorNotFound else { throw error }
      return .failure(fault)
    }
  }

  private func finished(_ event: @Sendable (inout QuestionWindow) -> Void) {
    busyLanes -= 1
    event(&window)
    distribute()
  }

  private func failed(_ error: any Error) {
    busyLanes -= 1
    failure = failure ?? error
    distribute()
  }

  // MARK: Waking

  /// Work that is no full batch, where nothing else is left that could make it one.
  private func lastResort() -> QuestionWindow.Work? {
    busyLanes == 0 && window.isStuck ? window.lastResort() : nil
  }

  /// Wakes whoever has something to do after a change of state.
  private func distribute() {
    let isOver = isStopped || failure != nil
    while !isOver, let lane = idleLanes.last {
      guard let work = window.nextWork(draining: inputEnded, overdue: linger.overdue) ?? lastResort() else {
        break
      }
      idleLanes.removeLast()
      busyLanes += 1
      linger.left(
        work.stage, isEmpty: !window.gathering.contains(work.stage), at: workshop.time.now)
      lane.resume(returning: work)
    }
    if isOver || (inputEnded && window.isSettled) {
      for lane in idleLanes { lane.resume(returning: nil) }
      idleLanes = []
    }
    if isOver || !window.isFull {
      reader?.resume()
      reader = nil
    }
    if isOver || window.hasAnswer || (inputEnded && window.isEmpty) {
      consumer?.resume()
      consumer = nil
    }
    watchGathering(isOver: isOver)
  }

  // MARK: Linger

  /// Sees to it that nothing gathers for longer than ``Workshop/linger``.
  private func watchGathering(isOver: Bool) {
    // Once no more questions come, nothing is gathered for.
    if isOver || inputEnded { return }
    linger.gather(window.gathering, at: workshop.time.now)
    guard watch == nil, let end = linger.end else { return }
    watch = Task { [time = workshop.time, rest = end - workshop.time.now] in
      guard (try? await time.sleep(for: rest)) != nil else { return }
      endLinger()
    }
  }

  private func endLinger() {
    watch = nil
    linger.pass(to: workshop.time.now, isBusy: busyLanes >= lanes)
    distribute()
  }

  private func endWatch() {
    watch?.cancel()
    watch = nil
  }
}

extension AnswerPump.Workshop {
  /// Asks the source which accounts exist, and remembers that too.
  func verify(_ targets: [DID]) async throws -> ExistenceFinding {
    let generation = await cache.generation
    let finding = try await source.existing(among: targets)
    let learned = targets.filter { finding.faults[$0] == nil }
    await cache.learn(existing: finding.existing, among: learned, askedIn: generation)
    return finding
  }
}
