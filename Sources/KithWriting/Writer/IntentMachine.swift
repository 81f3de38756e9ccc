// SPDX-License-Identifier: Apache-2.0

/// Carries out the last intent about one subject with the fewest changes, however fast intents follow each
/// other.
///
/// It knows nothing about records and servers: it receives intents, the results of its actions and what is known, and
/// returns the next actions. Only one load or change is in flight at a time. Intents that arrive meanwhile
/// are coalesced; an intent that holds by the time it is its turn costs nothing.
struct IntentMachine: Sendable {
  typealias WaiterID = Int

  /// What to do next.
  enum Action: Sendable, Equatable {
    /// Load the facts for the parts of the intent; answered by ``IntentMachine/learned(knowing:)`` or
    /// ``IntentMachine/couldNotLearn()``.
    case learn(WantedState)
    /// Change the state; answered by ``IntentMachine/changed(knowing:)`` or ``IntentMachine/failed()``, and then by
    /// ``IntentMachine/next(knowing:)``.
    case change(WantedState)
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
    case learning(WantedState)
    case changing(WantedState)
  }

  private struct Waiter: Sendable {
    let id: WaiterID
    let desired: WantedState
    /// Whether its intent is part of the change in flight.
    var isInFlight = false
  }

  private var flight: Flight?
  /// Coalesced intents that wait; later ones take precedence.
  private var pending: WantedState?
  private var waiters: [Waiter] = []

  /// Whether nothing is in flight and there are no waiters.
  var isIdle: Bool { flight == nil && waiters.isEmpty }

  /// The state that a change in flight makes; nil if there is none.
  var changing: WantedState? { if case .changing(let target)? = flight { target } else { nil } }

  /// The state wanted by what is in flight and what waits; nil if nothing is wanted that does not hold.
  var desired: WantedState? {
    guard let target = changing else { return pending }
    return pending.map { target.followed(by: $0) } ?? target
  }

  /// Adds an intent and its waiter.
  mutating func request(_ desired: WantedState, by waiter: WaiterID, knowing known: SubjectFacts) -> [Action]
  {
    pending = pending?.followed(by: desired) ?? desired
    waiters.append(Waiter(id: waiter, desired: desired))
    return next(knowing: known)
  }

  /// The available facts were loaded.
  mutating func learned(knowing known: SubjectFacts) -> [Action] {
    guard case .learning(let tried)? = flight else { return [] }
    flight = nil
    return next(knowing: known, havingTried: tried)
  }

  /// The facts could not be loaded, so all waiting intents fail.
  mutating func couldNotLearn() -> [Action] {
    flight = nil
    pending = nil
    defer { waiters = [] }
    return waiters.map { .finish($0.id, .failed) }
  }

  /// The change in flight is done. Waiters whose intent is fulfilled do not wait for the intents of others.
  mutating func changed(knowing known: SubjectFacts) -> [Action] {
    let done = changing ?? WantedState()
    return land().map { .finish($0.id, $0.desired.isMet(by: known, and: done) == true ? .done : .superseded) }
  }

  /// The change in flight failed.
  mutating func failed() -> [Action] { land().map { .finish($0.id, .failed) } }

  /// Ends the change in flight; returns the waiters of its intents.
  private mutating func land() -> [Waiter] {
    flight = nil
    defer { waiters.removeAll(where: \.isInFlight) }
    return waiters.filter(\.isInFlight)
  }

  /// Starts what waits, unless something is in flight.
  mutating func next(knowing known: SubjectFacts) -> [Action] {
    next(knowing: known, havingTried: WantedState())
  }

  private mutating func next(knowing known: SubjectFacts, havingTried tried: WantedState) -> [Action] {
    guard flight == nil, let desired = pending else { return [] }
    switch desired.isMet(by: known, havingTried: tried) {
    case nil:
      flight = .learning(desired)
      return [.learn(desired)]
    case false?:
      flight = .changing(desired)
      pending = nil
      for index in waiters.indices { waiters[index].isInFlight = true }
      return [.change(desired)]
    case true?:
      pending = nil
      defer { waiters = [] }
      return waiters.map { waiter in
        .finish(waiter.id, waiter.desired.isMet(by: known) == true ? .held : .superseded)
      }
    }
  }
}
