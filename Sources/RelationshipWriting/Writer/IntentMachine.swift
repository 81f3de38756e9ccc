// SPDX-License-Identifier: Apache-2.0

internal import Relationships

/// Brings about the last wish about one subject with the fewest changes, however fast wishes follow each other.
///
/// Knows nothing of records and servers: it is told what is wished and what became of its actions, and answers
/// what to do next. One learning or one change is under way at a time. A wish that comes meanwhile waits, and
/// takes the place of those that wait; what holds by then costs nothing.
struct IntentMachine: Sendable {
  typealias WaiterID = Int

  /// What to do next.
  enum Action: Sendable, Equatable {
    /// Find out how the parts of the wish stand; answered by ``IntentMachine/learned(_:)`` or
    /// ``IntentMachine/couldNotLearn()``.
    case learn(DesiredState)
    /// Make it so; answered by ``IntentMachine/changed()`` or ``IntentMachine/failed(isInDoubt:)``.
    case change(DesiredState)
    /// Tell those who wait.
    case finish(WaiterID, Ending)
  }

  /// What became of a wish.
  enum Ending: Sendable, Equatable {
    /// A change made it so.
    case done
    /// It held already.
    case held
    /// A later wish took its place before it was begun.
    case superseded
    /// The learning or the change failed.
    case failed
  }

  private enum Flight: Sendable, Equatable {
    case learning(DesiredState)
    case changing(DesiredState)
  }

  private struct Waiter: Sendable {
    let id: WaiterID
    let wish: DesiredState
    /// Whether its wish is part of the change under way.
    var isAboard = false
  }

  /// How things certainly are, as far as it was learned.
  private(set) var known = DesiredState()
  private var flight: Flight?
  /// Wishes that wait, the later ones winning.
  private var pending: DesiredState?
  private var waiters: [Waiter] = []
  /// Whether what was known was forgotten while a change was under way.
  private var isStale = false

  /// Whether nothing is under way and nobody waits.
  var isIdle: Bool { flight == nil && waiters.isEmpty }

  /// What is under way and what waits; nil when nothing is wished that is not so.
  var wished: DesiredState? {
    guard case .changing(let target)? = flight else { return pending }
    return pending.map { target.followed(by: $0) } ?? target
  }

  /// How things are to be once all is done, as far as it is known.
  var expected: DesiredState { wished.map { known.followed(by: $0) } ?? known }

  /// Somebody wishes something, and waits for what becomes of it.
  mutating func wished(_ wish: DesiredState, by waiter: WaiterID) -> [Action] {
    pending = pending?.followed(by: wish) ?? wish
    waiters.append(Waiter(id: waiter, wish: wish))
    return next()
  }

  /// What was to be learned is known, as far as anybody tells; what else was known stays.
  mutating func learned(_ facts: DesiredState) -> [Action] {
    guard case .learning(let tried)? = flight else { return [] }
    known = known.followed(by: facts)
    flight = nil
    return next(havingTried: tried)
  }

  /// What was to be learned could not be: no wish that waits for it can be carried out.
  mutating func couldNotLearn() -> [Action] {
    flight = nil
    pending = nil
    defer { waiters = [] }
    return waiters.map { .finish($0.id, .failed) }
  }

  /// The change under way is done.
  mutating func changed() -> [Action] {
    guard case .changing(let target)? = flight else { return [] }
    flight = nil
    known = known.followed(by: target)
    // Who got what they wished need not wait for what others wish.
    let aboard = waiters.filter(\.isAboard)
    waiters.removeAll(where: \.isAboard)
    let endings = aboard.map { waiter -> Action in
      .finish(waiter.id, waiter.wish.isMet(by: known) == true ? .done : .superseded)
    }
    forgetIfStale()
    return endings + next()
  }

  /// The change under way did not happen, or nobody knows: then how things are has to be learned anew.
  mutating func failed(isInDoubt: Bool) -> [Action] {
    flight = nil
    if isInDoubt { known = DesiredState() }
    forgetIfStale()
    let aboard = waiters.filter(\.isAboard)
    waiters.removeAll(where: \.isAboard)
    return aboard.map { .finish($0.id, .failed) } + next()
  }

  /// What was known is old; it is learned anew before the next change.
  mutating func forget() {
    known = DesiredState()
    noteStaleness()
  }

  /// Of a change under way only the wish is known when it is done, and not the records that the next one rests on.
  private mutating func noteStaleness() {
    if case .changing? = flight { isStale = true }
  }

  private mutating func forgetIfStale() {
    if isStale { known = DesiredState() }
    isStale = false
  }

  /// A part of what was known is old.
  mutating func forget(_ part: SubjectFacts.Parts) {
    noteStaleness()
    switch part {
    case .follows: known.follows = nil
    case .blocks, .listBlocks: known.blocks = nil
    case .mutes, .listMutes: known.mute = nil
    default: break
    }
  }

  private mutating func next(havingTried tried: DesiredState = DesiredState()) -> [Action] {
    guard flight == nil, let wish = pending else { return [] }
    switch wish.isMet(by: known, havingTried: tried) {
    case nil:
      flight = .learning(wish)
      return [.learn(wish)]
    case false?:
      flight = .changing(wish)
      pending = nil
      for index in waiters.indices { waiters[index].isAboard = true }
      return [.change(wish)]
    case true?:
      pending = nil
      defer { waiters = [] }
      return waiters.map { waiter in
        .finish(waiter.id, waiter.wish.isMet(by: known) == true ? .held : .superseded)
      }
    }
  }
}
