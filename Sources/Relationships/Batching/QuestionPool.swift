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
  typealias Findings = [DID: RelationshipFinding]

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
    var findings: Findings = [:]
  }

  private struct OpenPair {
    var askers: [AskerID]
    /// Nil while it gathers.
    var call: CallID?
  }

  private struct Call {
    let star: Star
    /// Pairs that somebody still waits for.
    var wanted: Int
  }

  private let size: Int
  private let window: Duration
  private var askers: [AskerID: Asker] = [:]
  /// Each pair as its first asker put it.
  private var pairs: [AccountPair: OpenPair] = [:]
  private var gathering: [(pair: AccountPair, since: Duration)] = []
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
  ///   - gathers: whether it may wait for others; a batch that is full by itself need not.
  mutating func ask(
    _ actor: DID, about targets: [DID], for asker: AskerID, gathers: Bool, at now: Duration
  ) -> [Action] {
    askers[asker] = Asker(actor: actor, targets: targets, open: targets.count)
    var leaving: [DID] = []
    for target in targets {
      let pair = AccountPair(actor, target)
      if let open = pairs[pair] {
        pairs[pair]?.askers.append(asker)
        if !gathers, open.call == nil {
          stopGathering([pair])
          leaving.append(target)
        }
      } else {
        pairs[pair] = OpenPair(askers: [asker])
        if gathers, window > .zero { gather(pair, since: now) } else { leaving.append(target) }
      }
    }
    var actions: [Action] = []
    for start in stride(from: 0, to: leaving.count, by: size) {
      let others = Array(leaving[start..<min(start + size, leaving.count)])
      actions.append(leave(Star(center: actor, others: others)))
    }
    for account in [actor] + (targets.count == 1 ? targets : []) where degrees[account, default: 0] >= size {
      actions.append(leave(fullStar(of: account)))
    }
    return actions + wakeIfNeeded(at: now)
  }

  /// The time that ``Action/wake(after:)`` named is over.
  mutating func windowEnded(at now: Duration) -> [Action] {
    isWakeSet = false
    var actions: [Action] = []
    if let oldest = gathering.first, now - oldest.since >= window {
      let stars = StarCover.stars(covering: gathering.map(\.pair), atMost: size)
      gathering = []
      degrees = [:]
      actions = stars.map { leave($0) }
    }
    return actions + wakeIfNeeded(at: now)
  }

  /// A call has ended.
  mutating func answered(_ id: CallID, _ outcome: Result<Findings, RelationshipError>) -> [Action] {
    guard let call = calls.removeValue(forKey: id) else { return [] }
    var actions: [Action] = []
    for other in call.star.others {
      guard let pair = pairs.removeValue(forKey: AccountPair(call.star.center, other)) else { continue }
      let finding: Result<RelationshipFinding, RelationshipError> = outcome.map {
        $0[other] ?? .failed(.invalidResponse)
      }
      for asker in pair.askers {
        actions += tell(asker, finding, from: call.star.center, about: other)
      }
    }
    return actions
  }

  /// An asker does not want the answer any more.
  mutating func cancelled(_ id: AskerID) -> [Action] {
    guard let asker = askers.removeValue(forKey: id) else { return [] }
    var actions: [Action] = []
    for target in asker.targets {
      let pair = AccountPair(asker.actor, target)
      guard let place = pairs[pair]?.askers.firstIndex(of: id) else { continue }
      pairs[pair]?.askers.remove(at: place)
      guard pairs[pair]?.askers.isEmpty == true, let open = pairs[pair] else { continue }
      guard let call = open.call else {
        pairs[pair] = nil
        stopGathering([pair])
        continue
      }
      calls[call]?.wanted -= 1
      if calls[call]?.wanted == 0, let star = calls.removeValue(forKey: call)?.star {
        for other in star.others { pairs[AccountPair(star.center, other)] = nil }
        actions.append(.abandon(call))
      }
    }
    return actions
  }

  /// Whether a pair is being asked about, or about to be.
  func isOpen(_ pair: AccountPair) -> Bool { pairs[pair] != nil }

  /// How a pair was put by the first who asked about it.
  func actor(of pair: AccountPair) -> DID? {
    pairs.index(forKey: pair).map { pairs[$0].key.one }
  }

  // MARK: Gathering

  private mutating func gather(_ pair: AccountPair, since now: Duration) {
    gathering.append((pair, now))
    degrees[pair.one, default: 0] += 1
    degrees[pair.other, default: 0] += 1
  }

  private mutating func stopGathering(_ leaving: Set<AccountPair>) {
    gathering.removeAll { leaving.contains($0.pair) }
    for account in leaving.flatMap({ [$0.one, $0.other] }) {
      if let degree = degrees[account] { degrees[account] = degree > 1 ? degree - 1 : nil }
    }
  }

  private mutating func fullStar(of center: DID) -> Star {
    let pairs = gathering.lazy.map(\.pair).filter { $0.one == center || $0.other == center }.prefix(size)
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

  private mutating func leave(_ star: Star) -> Action {
    callsSoFar += 1
    calls[callsSoFar] = Call(star: star, wanted: star.others.count)
    for other in star.others { pairs[AccountPair(star.center, other)]?.call = callsSoFar }
    return .ask(callsSoFar, star)
  }

  private mutating func tell(
    _ id: AskerID, _ finding: Result<RelationshipFinding, RelationshipError>, from center: DID,
    about other: DID
  ) -> [Action] {
    guard var asker = askers[id] else { return [] }
    let target = asker.actor == center ? other : center
    switch Self.answer(finding, from: center, about: other, to: asker.actor) {
    case .success(let answer): asker.findings[target] = answer
    case .failure(let error):
      askers[id] = nil
      return cancelledRest(of: asker, id) + [.deliver(id, .failure(error))]
    }
    asker.open -= 1
    askers[id] = asker.open > 0 ? asker : nil
    return asker.open > 0 ? [] : [.deliver(id, .success(asker.findings))]
  }

  /// An asker whose actor does not exist waits for nothing more.
  private mutating func cancelledRest(of asker: Asker, _ id: AskerID) -> [Action] {
    askers[id] = asker
    return cancelled(id)
  }

  /// What an answer means to an asker, who may have asked from the other end.
  ///
  /// - Returns: a failure only where it is the asker's actor that does not exist.
  private static func answer(
    _ finding: Result<RelationshipFinding, RelationshipError>, from center: DID, about other: DID,
    to actor: DID
  ) -> Result<RelationshipFinding, RelationshipError> {
    let isSwapped = actor != center
    switch finding {
    case .success(.known(let info)): return .success(.known(isSwapped ? info.swapped : info))
    case .success(.notFound):
      return isSwapped ? .failure(.actorNotFound(other)) : .success(.notFound)
    case .success(.failed(let error)): return .success(.failed(error))
    case .failure(let error) where error.code == .actorNotFound:
      return isSwapped ? .success(.notFound) : .failure(error)
    case .failure(let error): return .success(.failed(error))
    }
  }
}
