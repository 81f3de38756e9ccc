// SPDX-License-Identifier: Apache-2.0

internal import KithRelationships

/// Carries out the last intent about one subject with the fewest changes, however fast intents follow each
/// other.
///
/// It knows nothing about records and servers: it receives intents and the results of its actions, and
/// returns the next actions. Only one load or change is in flight at a time. Intents that arrive meanwhile
/// are coalesced; an intent that holds by the time it is its turn costs nothing.
struct IntentMachine: Sendable {
  typealias WaiterID = Int

  /// What to do next.
  enum Action: Sendable, Equatable {
    /// Load the facts for the parts of the intent; answered by ``IntentMachine/learned(_:)`` or
    /// ``IntentMachine/couldNotLearn()``.
    case learn(DesiredState)
    /// Change the state; answered by ``IntentMachine/changed()`` or ``IntentMachine/failed(isInDoubt:)``.
    case change(DesiredState)
    /// Resume a waiter.
    case finish(WaiterID, Ending)
  }

  /// The outcome of an intent.
  enum Ending: Sendable, Equatable {
    /// A change was made.
    case done
    /// The state held already.
    case held
    /// A later intent replaced it before it was started.
    case superseded
    /// Loading or changing failed.
    case failed
  }

  private enum Flight: Sendable, Equatable {
    case learning(DesiredState)
    case changing(DesiredState)
  }

  private struct Waiter: Sendable {
    let id: WaiterID
    let wish: DesiredState
    /// Whether its intent is part of the change in flight.
    var isAboard = false
  }

  /// The state as far as it is known for certain.
  private(set) var known = DesiredState()
  private var flight: Flight?
  /// Coalesced intents that wait; later ones take precedence.
  private var pending: DesiredState?
  private var waiters: [Waiter] = []
  /// Whether the known state was invalidated while a change was in flight.
  private var isStale = false

  /// Whether nothing is in flight and there are no waiters.
  var isIdle: Bool { flight == nil && waiters.isEmpty }

  /// The state wanted by what is in flight and what waits; nil if nothing is wanted that does not hold.
  var wished: DesiredState? {
    guard case .changing(let target)? = flight else { return pending }
    return pending.map { target.followed(by: $0) } ?? target
  }

  /// The state once everything is done, as far as it is known.
  var expected: DesiredState { wished.map { known.followed(by: $0) } ?? known }

  /// Adds an intent and its waiter.
  mutating func wished(_ wish: DesiredState, by waiter: WaiterID) -> [Action] {
    pending = pending?.followed(by: wish) ?? wish
    waiters.append(Waiter(id: waiter, wish: wish))
    return next()
  }

  /// The facts were loaded, as far as available; other known parts stay.
  mutating func learned(_ facts: DesiredState) -> [Action] {
    guard case .learning(let tried)? = flight else { return [] }
    known = known.followed(by: facts)
    flight = nil
    return next(havingTried: tried)
  }

  /// The facts could not be loaded, so all waiting intents fail.
  mutating func couldNotLearn() -> [Action] {
    flight = nil
    pending = nil
    defer { waiters = [] }
    return waiters.map { .finish($0.id, .failed) }
  }

  /// The change in flight is done.
  mutating func changed() -> [Action] {
    guard case .changing(let target)? = flight else { return [] }
    flight = nil
    known = known.followed(by: target)
    // Waiters whose intent is fulfilled do not wait for the intents of others.
    let aboard = waiters.filter(\.isAboard)
    waiters.removeAll(where: \.isAboard)
    let endings = aboard.map { waiter -> Action in
      .finish(waiter.id, waiter.wish.isMet(by: known) == true ? .done : .superseded)
    }
    forgetIfStale()
    return endings + next()
  }

  /// The change in flight failed. If its outcome is in doubt, the state has to be loaded again.
  mutating func failed(isInDoubt: Bool) -> [Action] {
    flight = nil
    if isInDoubt { known = DesiredState() }
    forgetIfStale()
    let aboard = waiters.filter(\.isAboard)
    waiters.removeAll(where: \.isAboard)
    return aboard.map { .finish($0.id, .failed) } + next()
  }

  /// Invalidates the known state; it is loaded again before the next change.
  mutating func forget() {
    known = DesiredState()
    noteStaleness()
  }

  /// After the change in flight, only its intent would be known, not the records that the next change depends
  /// on.
  private mutating func noteStaleness() {
    if case .changing? = flight { isStale = true }
  }

  private mutating func forgetIfStale() {
    if isStale { known = DesiredState() }
    isStale = false
  }

  /// Invalidates a part of the known state.
  mutating func forget(_ part: SubjectFacts.Part) {
    noteStaleness()
    switch part {
    case .edges(.follow): known.follows = nil
    case .edges(.block), .edges(.listblock): known.blocks = nil
    case .mutes, .listMutes: known.mute = nil
    case .edges, .lists: break
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
