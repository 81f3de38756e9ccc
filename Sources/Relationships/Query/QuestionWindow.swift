// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// The questions under way, from the oldest unanswered one on: pure state, told of every event, that says
/// which work to do next and gives the answers out in the order of the questions.
///
/// A question goes through stages: a handle is resolved, the cache is looked at, the source is asked, and
/// on request the account's existence is verified. Each stage gathers a full batch before it asks for work,
/// unless it is drained, and no target is in two batches however often it is asked for.
struct QuestionWindow {
  /// Something for a driver to do; its outcome comes back by the function named beside it.
  enum Work: Equatable {
    /// Resolve handles: ``resolved(_:of:)``.
    case resolve([Handle])
    /// Look into the cache: ``lookedUp(_:existing:in:)``.
    case lookUp([DID])
    /// Ask the source: ``learned(_:about:)``.
    case ask([DID])
    /// Find out which accounts exist: ``verified(_:among:)``.
    case verify([DID])
  }

  /// How much is gathered for each kind of work.
  struct Sizes {
    var resolve: Int
    var ask: Int
    /// The most that is looked up at once: a call's worth at least, as soon as that is there.
    var lookUp: Int
    var verify: Int
    /// Slots before ``isFull``: enough to keep every call busy while the oldest one is slow.
    var window: Int
  }

  private enum Slot {
    case resolving(input: String?)
    case asking(input: String?, DID)
    case answered(RelationshipAnswer)
  }

  /// What is still open about one target, and who waits for it.
  private struct OpenTarget {
    var firstSlot: Int
    var furtherSlots: [Int] = []
    var state: RelationshipAnswer.State?
    var exists: Bool?
  }

  private let actor: DID
  private let sizes: Sizes
  private let verification: FollowRelationshipService.Verification
  private var slots: [Slot] = []
  /// The number of the first slot; slots keep their number while older ones are taken out.
  private var firstSlot = 0
  private var taken = 0
  private var slotsByHandle: [Handle: [Int]] = [:]
  private var targets: [DID: OpenTarget] = [:]
  private var toResolve: [Handle] = []
  private var toLookUp: [DID] = []
  private var toAsk: [DID] = []
  private var toVerify: [DID] = []
  /// Whether it is still open that the actor exists; answers wait for that.
  private var isActorOpen = false
  private var isActorProven = false
  /// Why it is not known whether the actor exists.
  private var actorFault: RelationshipError?
  private var resolving = 0
  private var lookingUp = 0

  init(actor: DID, sizes: Sizes, verification: FollowRelationshipService.Verification) {
    self.actor = actor
    self.sizes = sizes
    self.verification = verification
  }

  /// Whether no further question should be added for now.
  var isFull: Bool { slots.count - taken >= sizes.window }

  /// The stages where something waits for its batch to be full.
  var gathering: Stages {
    var stages: Stages = toResolve.isEmpty ? [] : .resolve
    if !toLookUp.isEmpty { stages.insert(.lookUp) }
    if !toAsk.isEmpty { stages.insert(.ask) }
    if !toVerify.isEmpty { stages.insert(.verify) }
    return stages
  }

  /// Whether every question was answered and taken.
  var isEmpty: Bool { slots.count == taken }

  /// Whether every question was answered, taken or not.
  var isSettled: Bool { slotsByHandle.isEmpty && targets.isEmpty && !isActorOpen }

  /// Whether the oldest question that was not taken is answered.
  var hasAnswer: Bool {
    if !isActorOpen, taken < slots.count, case .answered = slots[taken] { true } else { false }
  }

  /// Whether no question can come before one of those here is answered: as long as answers stand at the head,
  /// taking them makes room.
  var isStuck: Bool { isFull && !hasAnswer }

  // MARK: Events

  /// Takes note that the actor exists.
  mutating func proveActor() { isActorProven = true }

  /// Has the actor's existence verified with that of the first targets.
  mutating func verifyActor() {
    isActorOpen = true
    toVerify.append(actor)
  }

  mutating func add(_ question: RelationshipQuestion) {
    let number = firstSlot + slots.count
    switch question.target {
    case .unreadable(let error):
      let fault = RelationshipError(.invalidInput, detail: "\(error)", underlying: error)
      slots.append(.answered(RelationshipAnswer(input: question.input, target: nil, state: .failed(fault))))
    case .handle(let handle):
      slots.append(.resolving(input: question.input))
      if slotsByHandle[handle, default: []].isEmpty { toResolve.append(handle) }
      slotsByHandle[handle, default: []].append(number)
    case .did(let did):
      slots.append(.asking(input: question.input, did))
      wait(for: did, in: number)
    }
  }

  mutating func resolved(_ outcomes: [Handle: Result<DID, IdentityError>], of asked: [Handle]) {
    resolving -= 1
    for handle in asked {
      let outcome =
        outcomes[handle]
        ?? .failure(IdentityError(.unavailable, subject: handle, detail: "the resolver gave no outcome"))
      for number in slotsByHandle.removeValue(forKey: handle) ?? [] {
        guard case .resolving(let input) = slots[number - firstSlot] else { continue }
        switch outcome {
        case .success(let did):
          slots[number - firstSlot] = .asking(input: input, did)
          wait(for: did, in: number)
        case .failure(let error):
          let state: RelationshipAnswer.State =
            error.code == .notFound ? .notFound(reason: error.detail) : .failed(RelationshipError(error))
          slots[number - firstSlot] = .answered(RelationshipAnswer(input: input, target: nil, state: state))
        }
      }
    }
  }

  /// - Parameter existing: whether targets exist, as far as that is remembered.
  mutating func lookedUp(
    _ findings: [DID: RelationshipFinding], existing: [DID: Bool], in asked: [DID]
  ) {
    lookingUp -= 1
    for did in asked {
      let finding = existing[did] == false ? .notFound : findings[did]
      if verification.includes(did) {
        // Of somebody whom the source does not know there is nothing to verify.
        targets[did]?.exists = finding == .notFound ? true : existing[did]
        if targets[did]?.exists == nil, verification == .everybody { toVerify.append(did) }
      }
      if let finding { settle(did, finding) } else { toAsk.append(did) }
    }
  }

  mutating func learned(_ outcome: Result<Findings, RelationshipError>, about asked: [DID]) {
    switch outcome {
    case .success(let findings):
      for (position, did) in asked.enumerated() {
        settle(did, findings.finding(of: did, near: position) ?? .failed(.invalidResponse))
      }
    case .failure(let error):
      for did in asked { settle(did, RelationshipFinding.failed(error)) }
    }
  }

  mutating func verified(_ outcome: Result<ExistenceFinding, RelationshipError>, among asked: [DID]) {
    if asked.contains(actor) {
      isActorOpen = false
      switch outcome {
      case .success(let finding): actorFault = finding.faults[actor]
      case .failure(let fault): actorFault = fault
      }
      isActorProven = actorFault == nil
    }
    for did in asked {
      do throws(RelationshipError) {
        let finding = try outcome.get()
        if let fault = finding.faults[did] { throw fault }
        finish(did) { $0.exists = finding.existing.contains(did) }
      } catch {
        // Nothing about a target is known whose existence is not.
        finish(did) { target in (target.exists, target.state) = (true, .failed(error)) }
      }
    }
  }

  // MARK: Actions

  /// The next piece of work, or nil when there is none yet.
  ///
  /// - Parameters:
  ///   - draining: nothing more will come to fill a batch, so one that is not full may go. What is still on its
  ///     way from an earlier stage is waited for all the same.
  ///   - overdue: stages whose batches go as they are, though more may come. Only a look into the cache is waited
  ///     for, which takes no time.
  mutating func nextWork(draining: Bool, overdue: Stages = []) -> Work? {
    if let batch = Self.take(
      sizes.resolve, of: &toResolve, evenFewer: draining || overdue.contains(.resolve))
    {
      resolving += 1
      return .resolve(batch)
    }
    let noMoreTargets = draining && resolving == 0
    if let batch = Self.take(
      sizes.ask, orUpTo: sizes.lookUp, of: &toLookUp,
      evenFewer: noMoreTargets || overdue.contains(.lookUp))
    {
      lookingUp += 1
      return .lookUp(batch)
    }
    func mayBeFewer(_ stage: Stages) -> Bool {
      lookingUp == 0 && (noMoreTargets || overdue.contains(stage))
    }
    if let batch = Self.take(sizes.ask, of: &toAsk, evenFewer: mayBeFewer(.ask)) { return .ask(batch) }
    // Where only some are verified, answers wait for them and no others come to fill the batch.
    let isFew = verification != .everybody
    return Self.take(sizes.verify, of: &toVerify, evenFewer: isFew || mayBeFewer(.verify)).map(Work.verify)
  }

  /// The next piece of work where nothing is under way and ``isStuck``: looking a few up costs no call, and may make
  /// a call full.
  mutating func lastResort() -> Work? {
    guard let few = Self.take(sizes.ask, of: &toLookUp, evenFewer: true) else {
      return nextWork(draining: true)
    }
    lookingUp += 1
    return .lookUp(few)
  }

  /// Takes out the answers that stand at the head, oldest first.
  mutating func takeAnswers() -> [RelationshipAnswer] {
    guard !isActorOpen else { return [] }
    var answers: [RelationshipAnswer] = []
    while taken < slots.count, case .answered(let answer) = slots[taken] {
      answers.append(told(answer))
      taken += 1
    }
    // The array is moved up only now and then, so that taking stays O(1) in the long run.
    if taken == slots.count || taken > sizes.window {
      firstSlot += taken
      slots.removeFirst(taken)
      taken = 0
    }
    return answers
  }

  /// The answer, or the fault of the actor's verification where no edge shows that the actor exists.
  private func told(_ answer: RelationshipAnswer) -> RelationshipAnswer {
    guard let actorFault, case .known(let info) = answer.state, !info.showsActor else { return answer }
    return RelationshipAnswer(input: answer.input, target: answer.target, state: .failed(actorFault))
  }

  // MARK: Targets

  private mutating func wait(for did: DID, in number: Int) {
    if did == actor {
      if case .only = verification { verifyActorIfNeeded() }
      return answer(number, did, .itself)
    }
    // New as a rule: so it is looked up once.
    let new = OpenTarget(firstSlot: number, exists: verification.includes(did) ? nil : true)
    if var open = targets.updateValue(new, forKey: did) {
      open.furtherSlots.append(number)
      targets[did] = open
    } else {
      toLookUp.append(did)
    }
  }

  private mutating func settle(_ did: DID, _ finding: RelationshipFinding) {
    if case .only = verification { verifyIfNeeded(did, finding) }
    switch finding {
    case .known(let info): settle(did, RelationshipAnswer.State.known(info))
    case .notFound: settle(did, RelationshipAnswer.State.notFound(reason: RelationshipError.noSuchAccount))
    case .failed(let error): settle(did, RelationshipAnswer.State.failed(error))
    }
  }

  /// Verifies those who are to exist and whom no edge shows: whoever has a record is there.
  private mutating func verifyIfNeeded(_ did: DID, _ finding: RelationshipFinding) {
    guard case .known(let info) = finding else {
      // What is not known needs no proof.
      targets[did]?.exists = true
      return
    }
    if info.showsActor { isActorProven = true }
    verifyActorIfNeeded()
    guard targets[did]?.exists == nil else { return }
    if info.showsTarget { targets[did]?.exists = true } else { toVerify.append(did) }
  }

  private mutating func verifyActorIfNeeded() {
    if verification.includes(actor), !isActorProven, !isActorOpen, actorFault == nil { verifyActor() }
  }

  private mutating func settle(_ did: DID, _ state: RelationshipAnswer.State) {
    finish(did) { target in if target.state == nil { target.state = state } }
  }

  /// Changes what is known of a target, and answers every slot that waits for it once nothing is open any more.
  private mutating func finish(_ did: DID, _ change: (inout OpenTarget) -> Void) {
    guard var target = targets.removeValue(forKey: did) else { return }
    change(&target)
    guard let state = target.state, let exists = target.exists else {
      targets[did] = target
      return
    }
    let answered = exists ? state : .notFound(reason: RelationshipError.noSuchAccount)
    answer(target.firstSlot, did, answered)
    for number in target.furtherSlots { answer(number, did, answered) }
  }

  private mutating func answer(_ number: Int, _ did: DID, _ state: RelationshipAnswer.State) {
    guard case .asking(let input, _) = slots[number - firstSlot] else { return }
    slots[number - firstSlot] = .answered(RelationshipAnswer(input: input, target: did, state: state))
  }

  private static func take<Item>(
    _ size: Int, orUpTo most: Int? = nil, of items: inout [Item], evenFewer: Bool
  ) -> [Item]? {
    guard items.count >= size || (evenFewer && !items.isEmpty) else { return nil }
    let batch = Array(items.prefix(most ?? size))
    items.removeFirst(batch.count)
    return batch
  }
}

extension RelationshipInfo {
  /// Whether a record of the actor's own is seen, so that it exists.
  fileprivate var showsActor: Bool { following != nil || blocking != nil }

  /// Whether a record of the target's own is seen, so that it exists.
  fileprivate var showsTarget: Bool { followedBy != nil || blockedBy != nil }
}
