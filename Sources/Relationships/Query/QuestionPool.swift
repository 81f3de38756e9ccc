// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// The questions that several askers may have at once: pure state, told of every event, that answers what to
/// do next.
///
/// A pair is asked about once however many want to know, from whichever end makes the fewest calls. Questions
/// that may wait gather for a short time and leave together; a full call leaves at once.
struct QuestionPool {
  typealias AskerID = Int
  typealias CallID = Int

  /// Something for a driver to do.
  enum Action: Equatable {
    /// Ask the source, and tell the outcome by ``answered(_:_:)``.
    case ask(CallID, Star)
    /// Nobody waits for this call any more; its outcome is not wanted.
    case abandon(CallID)
    /// Tell ``windowEnded(at:)`` after this time.
    case wake(after: Duration)
    /// Give an asker the answer.
    case deliver(AskerID, Result<Findings, RelationshipError>)
  }

  private struct Asker {
    let actor: DID
    let targets: [DID]
    var open: Int
    var findings: Findings

    init(actor: DID, targets: [DID]) {
      self.actor = actor
      self.targets = targets
      open = targets.count
      findings = Findings()
      findings.reserveCapacity(targets.count)
    }

    /// Takes the answer about one target, or gives back the error that ends the asking.
    mutating func take(
      _ answer: Result<RelationshipFinding, RelationshipError>, about target: DID
    ) -> RelationshipError? {
      switch answer {
      case .success(let finding):
        findings.append(finding, of: target)
        open -= 1
        return nil
      case .failure(let error): return error
      }
    }
  }

  private struct OpenPair {
    /// Whom the first asker asked about the other.
    let actor: DID
    var askers: Askers
    /// Nil while it gathers.
    var call: CallID?

  }

  private struct Gathering {
    let actor: DID
    let target: DID
    let since: Duration

    var pair: PairKey { PairKey(actor, target) }
  }

  private struct Call {
    let star: Star
    /// Whether some of it may have gathered, asked about from either end.
    let isMixed: Bool
    /// Pairs that somebody still waits for.
    var wanted: Int
    /// Pairs that were forgotten since it began: its answer is for those who had asked before, and no longer
    /// for those who come.
    var former: [PairKey: OpenPair] = [:]
  }

  private let size: Int
  private let window: Duration
  private var askers: [AskerID: Asker] = [:]
  private var pairs: [PairKey: OpenPair] = [:]
  private var gathering: [Gathering] = []
  /// How many gathering pairs each account is in.
  private var degrees: [DID: Int] = [:]
  private var calls: [CallID: Call] = [:]
  private var callsSoFar = 0
  private var isWakeSet = false

  /// - Parameters:
  ///   - size: the most others of one call.
  ///   - window: how long a question may gather; zero for not at all.
  init(atMost size: Int, window: Duration) {
    self.size = max(1, size)
    self.window = window
  }

  // MARK: Events

  /// Takes a question up.
  ///
  /// - Parameters:
  ///   - targets: none of them twice, and none of them the actor.
  ///   - asker: who hears the answer, by a number that nobody else has.
  ///   - gathers: whether a single target may wait for others. A batch leaves at once, and takes those of its
  ///     targets along that gather.
  mutating func ask(
    _ actor: DID, about targets: [DID], for asker: AskerID, gathers: Bool, at now: Duration
  ) -> [Action] {
    askers[asker] = Asker(actor: actor, targets: targets)
    if gathers, window > .zero, let target = targets.first, targets.count == 1 {
      return gather(actor, target, for: asker, since: now) + wakeIfNeeded(at: now)
    }
    var actions: [Action] = []
    var leaving: [DID] = []
    let isMixed = !gathering.isEmpty
    for target in targets {
      if isLeaving(PairKey(actor, target), actor, for: asker) { leaving.append(target) }
      if leaving.count == size {
        actions.append(begin(Star(center: actor, others: leaving), isMixed: isMixed))
        leaving = []
      }
    }
    if leaving.isEmpty { return actions }
    return actions + [begin(Star(center: actor, others: leaving), isMixed: isMixed)]
  }

  /// Has a pair leave with the next call; false where it is under way already, and the asker only joins.
  private mutating func isLeaving(_ pair: PairKey, _ actor: DID, for asker: AskerID) -> Bool {
    let next = callsSoFar + 1
    // New as a rule: so it is looked up once.
    let new = OpenPair(actor: actor, askers: Askers(asker), call: next)
    guard var open = pairs.updateValue(new, forKey: pair) else { return true }
    let hasGathered = open.call == nil
    if hasGathered { stopGathering([pair]) }
    if open.askers.isEmpty { wantAgain(open.call) }
    open.askers.append(asker)
    open.call = open.call ?? next
    pairs[pair] = open
    return hasGathered
  }

  /// The time that ``Action/wake(after:)`` named is over.
  mutating func windowEnded(at now: Duration) -> [Action] {
    isWakeSet = false
    var actions: [Action] = []
    if let oldest = gathering.first, now - oldest.since >= window {
      let stars = StarCover.stars(covering: gathering.map { ($0.actor, $0.target) }, atMost: size)
      gathering = []
      degrees = [:]
      actions = stars.map { leave($0) }
    }
    return actions + wakeIfNeeded(at: now)
  }

  /// A call has ended.
  mutating func answered(_ id: CallID, _ outcome: Result<Findings, RelationshipError>) -> [Action] {
    guard let call = calls.removeValue(forKey: id) else { return [] }
    let center = call.star.center
    var actions: [Action] = []
    // Most calls are those of one asker, who stays in hand from pair to pair.
    var inHand: (id: AskerID, asker: Asker)?
    for (position, other) in call.star.others.enumerated() {
      guard let pair = close(PairKey(center, other), of: id, call) else { continue }
      var place = 0
      while let id = pair.askers[place] {
        place += 1
        if inHand?.id != id {
          if let former = inHand.take() { askers[former.id] = former.asker }
          inHand = askers.removeValue(forKey: id).map { (id, $0) }
        }
        guard var hand = inHand.take() else { continue }
        let asksFromCenter = hand.asker.actor == center
        let answer = Self.answer(
          outcome, from: center, about: other, at: position, asksFromCenter: asksFromCenter)
        if let error = hand.asker.take(answer, about: asksFromCenter ? other : center) {
          askers[id] = hand.asker
          actions += cancelled(id) + [.deliver(id, .failure(error))]
        } else if hand.asker.open == 0 {
          actions.append(.deliver(id, .success(hand.asker.findings)))
        } else {
          inHand = hand
        }
      }
    }
    if let last = inHand { askers[last.id] = last.asker }
    return actions
  }

  /// Takes a pair out of the hands of a call that has ended.
  private mutating func close(_ pair: PairKey, of id: CallID, _ call: Call) -> OpenPair? {
    if let former = call.former[pair] { return former }
    guard let place = pairs.index(forKey: pair), pairs[place].value.call == id else { return nil }
    return pairs.remove(at: place).value
  }

  /// What is under way about a pair is out of date: who asks from now on is asked for anew.
  mutating func forget(_ pair: PairKey) {
    guard let call = pairs[pair]?.call else { return }
    calls[call]?.former[pair] = pairs.removeValue(forKey: pair)
  }

  /// All that is under way is out of date.
  mutating func forgetAll() {
    for pair in Array(pairs.keys) { forget(pair) }
  }

  /// An asker does not want the answer any more.
  mutating func cancelled(_ id: AskerID) -> [Action] {
    guard let asker = askers.removeValue(forKey: id) else { return [] }
    var actions: [Action] = []
    for target in asker.targets {
      let pair = PairKey(asker.actor, target)
      guard pairs[pair]?.askers.remove(id) == true else {
        actions += leaveFormer(pair, id)
        continue
      }
      guard pairs[pair]?.askers.isEmpty == true, let open = pairs[pair] else { continue }
      if let call = open.call {
        actions += noLongerWanted(call)
      } else {
        pairs[pair] = nil
        stopGathering([pair])
      }
    }
    return actions
  }

  private mutating func leaveFormer(_ pair: PairKey, _ id: AskerID) -> [Action] {
    for call in Array(calls.keys) where calls[call]?.former[pair]?.askers.remove(id) == true {
      if calls[call]?.former[pair]?.askers.isEmpty == true { return noLongerWanted(call) }
    }
    return []
  }

  /// One pair of a call is waited for by nobody any more.
  private mutating func noLongerWanted(_ id: CallID) -> [Action] {
    calls[id]?.wanted -= 1
    guard calls[id]?.wanted == 0, let call = calls.removeValue(forKey: id) else { return [] }
    for other in call.star.others { _ = close(PairKey(call.star.center, other), of: id, call) }
    return [.abandon(id)]
  }

  /// Somebody joins a pair whose last asker had left, though its call went on for other pairs.
  private mutating func wantAgain(_ id: CallID?) {
    if let id { calls[id]?.wanted += 1 }
  }

  /// Whether a pair is being asked about, or about to be.
  func isOpen(_ pair: PairKey) -> Bool { pairs[pair] != nil }

  /// Those of a call under way who were the first to ask, about the one that it is asked from.
  func reversed(in id: CallID) -> Set<DID> {
    guard let call = calls[id], call.isMixed else { return [] }
    return Set(
      call.star.others.filter { other in
        let pair = PairKey(call.star.center, other)
        return (call.former[pair] ?? pairs[pair])?.actor == other
      })
  }

  // MARK: Gathering

  private mutating func gather(
    _ actor: DID, _ target: DID, for asker: AskerID, since now: Duration
  ) -> [Action] {
    let pair = PairKey(actor, target)
    guard pairs[pair] == nil else {
      if pairs[pair]?.askers.isEmpty == true { wantAgain(pairs[pair]?.call) }
      pairs[pair]?.askers.append(asker)
      return []
    }
    pairs[pair] = OpenPair(actor: actor, askers: Askers(asker))
    gathering.append(Gathering(actor: actor, target: target, since: now))
    degrees[actor, default: 0] += 1
    degrees[target, default: 0] += 1
    guard let center = [actor, target].first(where: { degrees[$0, default: 0] >= size }) else { return [] }
    return [leave(fullStar(of: center))]
  }

  private mutating func stopGathering(_ leaving: Set<PairKey>) {
    gathering.removeAll { leaving.contains($0.pair) }
    for account in leaving.flatMap({ [$0.low, $0.high] }) {
      if let degree = degrees[account] { degrees[account] = degree > 1 ? degree - 1 : nil }
    }
  }

  private mutating func fullStar(of center: DID) -> Star {
    let pairs = gathering.lazy.filter { $0.actor == center || $0.target == center }.map(\.pair).prefix(size)
    let star = Star(center: center, others: pairs.map { $0.opposite(center) })
    stopGathering(Set(pairs))
    return star
  }

  private mutating func wakeIfNeeded(at now: Duration) -> [Action] {
    guard !isWakeSet, let oldest = gathering.first else { return [] }
    isWakeSet = true
    return [.wake(after: max(.zero, oldest.since + window - now))]
  }

  // MARK: Calls

  /// Begins the call of pairs that gathered.
  private mutating func leave(_ star: Star) -> Action {
    for other in star.others { pairs[PairKey(star.center, other)]?.call = callsSoFar + 1 }
    return begin(star, isMixed: true)
  }

  private mutating func begin(_ star: Star, isMixed: Bool) -> Action {
    callsSoFar += 1
    calls[callsSoFar] = Call(star: star, isMixed: isMixed, wanted: star.others.count)
    return .ask(callsSoFar, star)
  }

  /// What an answer means to an asker, who may have asked from the other end.
  ///
  /// - Returns: a failure only where it is the asker's actor that does not exist.
  private static func answer(
    _ outcome: Result<Findings, RelationshipError>, from center: DID, about other: DID, at position: Int,
    asksFromCenter: Bool
  ) -> Result<RelationshipFinding, RelationshipError> {
    switch outcome {
    case .success(let findings):
      let finding = findings.finding(of: other, near: position) ?? .failed(.invalidResponse)
      if asksFromCenter { return .success(finding) }
      switch finding {
      case .known(let info): return .success(.known(info.swapped))
      case .notFound: return .failure(.actorNotFound(other))
      case .failed: return .success(finding)
      }
    case .failure(let error) where error.code == .actorNotFound:
      return asksFromCenter ? .failure(error) : .success(.notFound)
    case .failure(let error): return .success(.failed(error))
    }
  }
}
