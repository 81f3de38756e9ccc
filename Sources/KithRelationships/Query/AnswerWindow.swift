// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import KithClient
internal import KithCore

/// The open questions of one sequence, oldest first: a pure state machine that receives events, returns the
/// next actions, and releases answers in the order of the questions.
///
/// Handles are resolved 25 per call. DIDs are requested at once, as batches are formed in the
/// ``RequestCoalescer`` from the requests of all callers. Existence is verified if configured.
struct AnswerWindow {
  typealias Request = RequestCoalescer.Request
  typealias Delivery = RequestCoalescer.Delivery

  /// Work for the driver; its outcome is returned through the function named here.
  enum Work: Equatable {
    /// Resolve handles: ``resolved(_:of:)``.
    case resolve([Handle])
    /// Find out which accounts exist: ``verified(_:among:)``.
    case verify([DID])
  }

  /// Batch sizes, and the maximum number of open questions.
  struct Sizes {
    var resolve: Int
    var verify: Int
    var window: Int
  }

  private struct Slot {
    let input: String?
    /// The line of the file that named the target; zero for none.
    let line: UInt32
    var view: AccountView?
    var target: DID?
    /// Nil until an answer is known.
    var state: RelationshipAnswer.State?
    var existence = Existence.notAsked

    var isAnswered: Bool {
      if case .open = existence { false } else { state != nil }
    }
  }

  /// What is known about the existence of a target.
  private enum Existence {
    /// It need not be verified, or an edge proves it.
    case notAsked
    /// It is being verified.
    case open
    case known(AccountPresence)
    /// It could not be verified. Indirect, because it is rare and large.
    indirect case unknown(RelationshipError)
  }

  private let actor: DID
  private let sizes: Sizes
  private let verification: FollowRelationshipService.Verification
  /// An array, although slots leave at the front: they are large, and a deque copies one that is added or changed.
  private var slots: [Slot] = []
  /// The number of the first slot; slots keep their numbers when older ones are removed.
  private var firstSlot = 0
  private var slotsByHandle: [Handle: [Int]] = [:]
  private var slotsToVerify: [DID: [Int]] = [:]
  private var toRequest: [Request] = []
  /// Accounts in ``toRequest`` whose existence has to be verified.
  private var unverified: [DID] = []
  private var toResolve: Deque<Handle> = []
  private var toVerify: Deque<DID> = []
  /// Whether the actor's existence is still being verified; answers wait for it.
  private var isActorOpen = false
  private var isActorProven = false
  /// Whether the actor exists, but the AppView does not show it.
  private var isActorHidden = false
  /// Why the actor's existence is unknown.
  private var actorFault: RelationshipError?
  private var resolving = 0
  /// Requests in progress.
  private(set) var requested = 0

  init(actor: DID, sizes: Sizes, verification: FollowRelationshipService.Verification) {
    self.actor = actor
    self.sizes = sizes
    self.verification = verification
  }

  /// Whether no more questions should be added for now.
  var isFull: Bool { slots.count >= sizes.window }

  /// Whether every question was answered and taken.
  var isEmpty: Bool { slots.isEmpty }

  /// Whether the oldest question is answered.
  var hasAnswer: Bool { !isActorOpen && slots.first?.isAnswered == true }

  /// Whether no question can be added until one of these is answered: while there are answers at the head,
  /// taking them makes room.
  var isStuck: Bool { isFull && !hasAnswer }

  /// Whether handles are still being resolved, which adds targets.
  var isResolving: Bool { resolving > 0 || !toResolve.isEmpty }

  /// Targets that are requested but not answered; duplicates included.
  var openTargets: [DID] { slots.compactMap { $0.state == nil ? $0.target : nil } }

  // MARK: Events

  /// Records that the actor exists.
  mutating func proveActor() { isActorProven = true }

  /// Verifies the actor's existence together with the first targets.
  mutating func verifyActor() {
    isActorOpen = true
    toVerify.append(actor)
  }

  mutating func add(_ question: RelationshipQuestion) {
    let number = firstSlot + slots.count
    slots.append(Slot(input: question.input, line: question.line, view: question.view))
    switch question.target {
    case .did(let did): name(did, of: number)
    case .unreadable(let error):
      change(number) {
        $0.state = .failed(RelationshipError(.invalidInput, detail: "\(error)", underlying: error))
      }
    case .handle(let handle):
      if slotsByHandle[handle, default: []].isEmpty { toResolve.append(handle) }
      slotsByHandle[handle, default: []].append(number)
    }
  }

  mutating func resolved(_ outcomes: [Handle: Result<ResolvedHandle, IdentityError>], of asked: [Handle]) {
    resolving -= 1
    for handle in asked {
      let outcome =
        outcomes[handle]
        ?? .failure(IdentityError(.unavailable, subject: handle, detail: "the resolver returned no result"))
      for number in slotsByHandle.removeValue(forKey: handle) ?? [] {
        switch outcome {
        case .success(let account):
          change(number) {
            $0.view = AccountView(account.did, handle: handle, displayName: account.displayName)
          }
          name(account.did, of: number)
        case .failure(let error):
          change(number) {
            $0.state =
              error.code == .notFound
              ? .notFound(reason: RelationshipQuestion.placed(error.detail, onLine: $0.line))
              : .failed(RelationshipError(error))
          }
        }
      }
    }
  }

  /// Applies cached existence to targets whose requests were just taken.
  ///
  /// - Returns: the requests that are still needed.
  mutating func cached(_ existing: [DID: Bool], among requests: [Request]) -> [Request] {
    if existing.isEmpty { return requests }
    return requests.filter { request in
      guard let exists = existing[request.pair.opposite(actor)] else { return true }
      change(request.slot) { $0.existence = exists ? .known(.shown) : .notAsked }
      if exists { return true }
      requested -= 1
      change(request.slot) { $0.state = .notFound(reason: RelationshipError.noSuchAccount) }
      return false
    }
  }

  /// Verifies targets whose existence is unknown, if everything is verified.
  mutating func verify(_ requests: [Request]) {
    guard verification == .all else { return }
    for request in requests { verifyTarget(of: request.slot) }
  }

  /// - Throws: the error for an actor that does not exist.
  mutating func learned(_ deliveries: [Delivery]) throws(RelationshipError) {
    requested -= deliveries.count
    let verifies = verification != .off
    for delivery in deliveries {
      let finding: RelationshipFinding
      switch delivery.outcome {
      case .finding(let found): finding = found
      case .noActor(let error): throw error
      }
      if verifies { verifyIfNeeded(delivery.slot, finding) }
      change(delivery.slot) { slot in
        if slot.state != nil { return }
        switch finding {
        case .known(let info): slot.state = .known(info)
        case .notFound: slot.state = .notFound(reason: RelationshipError.noSuchAccount)
        case .failed(let error): slot.state = .failed(error)
        }
      }
    }
  }

  mutating func verified(_ outcome: Result<ExistenceFinding, RelationshipError>, among asked: [DID]) {
    if asked.contains(actor) {
      isActorOpen = false
      switch outcome {
      case .success(let finding):
        actorFault = finding.faults[actor]
        isActorHidden = finding.presence(of: actor) == .hidden
      case .failure(let fault): actorFault = fault
      }
      isActorProven = actorFault == nil
    }
    for did in asked {
      for number in slotsToVerify.removeValue(forKey: did) ?? [] {
        do throws(RelationshipError) {
          let finding = try outcome.get()
          guard let presence = finding.presence(of: did) else {
            throw finding.faults[did] ?? .invalidResponse
          }
          change(number) { $0.existence = .known(presence) }
        } catch {
          change(number) { $0.existence = .unknown(error) }
        }
      }
    }
  }

  // MARK: Actions

  /// Takes the new requests, and the targets among them whose existence has to be verified.
  mutating func takeRequests() -> (requests: [Request], unverified: [DID]) {
    if toRequest.isEmpty { return ([], []) }
    requested += toRequest.count
    defer {
      let count = toRequest.count
      (toRequest, unverified) = ([], [])
      toRequest.reserveCapacity(count)
    }
    return (toRequest, unverified)
  }

  /// The next work, or nil if there is none yet.
  ///
  /// - Parameter draining: whether no more questions are expected for now, so partial batches may be sent.
  ///   Work from an earlier stage is still waited for.
  mutating func nextWork(draining: Bool) -> Work? {
    if let handles = Self.dequeue(sizes.resolve, of: &toResolve, evenFewer: draining) {
      resolving += 1
      return .resolve(handles)
    }
    // If only some accounts are verified, answers wait for them, and no others will fill the batch.
    let isFew = verification != .all
    return Self.dequeue(sizes.verify, of: &toVerify, evenFewer: isFew || (draining && resolving == 0))
      .map(Work.verify)
  }

  /// Takes the answers at the head, oldest first.
  mutating func takeAnswers() -> [RelationshipAnswer] {
    guard !isActorOpen else { return [] }
    var answers: [RelationshipAnswer] = []
    // In place, as the copy of a slot takes longer than all else here.
    for place in slots.indices {
      guard slots[place].isAnswered, let state = slots[place].state else { break }
      let view = slots[place].view
      var (settled, presence) = Self.settled(state, slots[place].existence)
      if presence == .hidden || view?.isShown == false { settled = settled.withoutAssumedMute }
      answers.append(
        RelationshipAnswer(
          input: slots[place].input, target: slots[place].target, state: told(settled), presence: presence,
          view: view, isActorHidden: isActorHidden))
    }
    slots.removeFirst(answers.count)
    firstSlot += answers.count
    return answers
  }

  /// The state of a target, given what is known about its existence.
  ///
  /// Edges that were learned remain, whatever becomes of the account. Without any, an answer about an account
  /// that may not exist says nothing (Q2).
  private static func settled(
    _ state: RelationshipAnswer.State, _ existence: Existence
  ) -> (RelationshipAnswer.State, AccountPresence?) {
    let hasEdges = if case .known(let info) = state { !info.isEmpty } else { false }
    switch existence {
    case .notAsked, .open: return (state, nil)
    case .known(.absent):
      return (hasEdges ? state : .notFound(reason: RelationshipError.noSuchAccount), .absent)
    case .known(let presence): return (state, presence)
    case .unknown(let error):
      if hasEdges { return (state, nil) }
      return (error.code == .actorNotFound ? .notFound(reason: error.detail) : .failed(error), nil)
    }
  }

  /// The state, or the error of the actor's verification if no edge shows that the actor exists.
  private func told(_ state: RelationshipAnswer.State) -> RelationshipAnswer.State {
    guard let actorFault, case .known(let info) = state, !info.showsActor else { return state }
    return .failed(actorFault)
  }

  // MARK: Targets

  /// Changes a slot unless its answer was already taken: a target whose verification failed is answered
  /// before its request completes.
  private mutating func change(_ number: Int, _ body: (inout Slot) -> Void) {
    let position = number - firstSlot
    if position >= 0 { body(&slots[position]) }
  }

  private mutating func name(_ did: DID, of number: Int) {
    change(number) { $0.target = did }
    if did == actor {
      if case .only = verification { verifyActorIfNeeded() }
      change(number) { $0.state = .itself }
      return
    }
    if verification.includes(did) {
      change(number) { $0.existence = .open }
      unverified.append(did)
    }
    toRequest.append(Request(actor, did, slot: number, due: nil))
  }

  /// Starts verification of accounts if required and no edge proves that they exist: an account with a
  /// record exists.
  private mutating func verifyIfNeeded(_ number: Int, _ finding: RelationshipFinding) {
    guard case .known(let info) = finding else {
      // An unknown account needs no verification. If everything is verified, it may be in progress.
      if finding == .notFound || verification != .all { change(number) { $0.existence = .notAsked } }
      return
    }
    guard case .only = verification else { return }
    if !isActorProven {
      isActorProven = info.showsActor
      verifyActorIfNeeded()
    }
    if info.showsTarget { change(number) { $0.existence = .notAsked } }
    verifyTarget(of: number)
  }

  private mutating func verifyTarget(of number: Int) {
    let position = number - firstSlot
    // Not the whole slot: a copy of it takes longer than all else here.
    guard position >= 0, case .open = slots[position].existence, let target = slots[position].target else {
      return
    }
    if slotsToVerify[target] == nil { toVerify.append(target) }
    slotsToVerify[target, default: []].append(number)
  }

  private mutating func verifyActorIfNeeded() {
    if verification.includes(actor), !isActorProven, !isActorOpen, actorFault == nil { verifyActor() }
  }

  private static func dequeue<Item>(_ size: Int, of waiting: inout Deque<Item>, evenFewer: Bool) -> [Item]? {
    guard waiting.count >= size || (evenFewer && !waiting.isEmpty) else { return nil }
    let batch = Array(waiting.prefix(size))
    waiting.removeFirst(batch.count)
    return batch
  }
}

extension RelationshipInfo {
  /// Whether a record of the actor proves that it exists.
  fileprivate var showsActor: Bool { following != nil || blocking != nil }

  /// Whether a record of the target proves that it exists.
  fileprivate var showsTarget: Bool { followedBy != nil || blockedBy != nil }
}

extension RelationshipAnswer.State {
  /// The same without `muted` being false: an account that the AppView does not show is on no list of mutes,
  /// muted or not (Q9).
  fileprivate var withoutAssumedMute: Self {
    guard case .known(let info) = self, info.muted == false else { return self }
    return .known(info.muted(nil))
  }
}
