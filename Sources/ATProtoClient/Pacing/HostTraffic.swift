// SPDX-License-Identifier: Apache-2.0

/// The traffic to one host, as a pure state machine: told of calls that come, end, give up or leave, it says
/// who goes, who waits and who is refused. ``HostGate`` drives it.
///
/// All times are those of one monotonic clock.
struct HostTraffic: Sendable {
  typealias Ticket = TicketQueue.Ticket

  /// The right to make one exchange; given back with its outcome.
  struct Permit: Sendable, Hashable {
    /// When the exchange begins.
    let began: Duration
    /// Whether it tries out a host that has failed.
    let isProbe: Bool
  }

  /// What becomes of a call that comes.
  enum Admission: Sendable, Hashable {
    case go(Permit)
    /// It has to queue.
    case wait
    case refused(TrafficRefusal)
  }

  /// What becomes of one who waited.
  enum Action: Sendable, Hashable {
    case admit(Ticket, Permit)
    case refuse(Ticket, TrafficRefusal)
  }

  /// How an exchange ended.
  enum Outcome: Sendable {
    /// With an answer of a host that is well, be it an error.
    case answered(RateLimit?)
    /// With 429.
    case refused(RateLimit?)
    /// With 5xx.
    case failed(status: Int, RateLimit?)
    /// Without a whole answer.
    case broken(TransportError)
    /// The caller called it back.
    case abandoned
  }

  /// How well a host is known, which says how long a failing call is repeated.
  enum Standing: Sendable, Hashable {
    /// Nothing ever came from it.
    case silent
    /// It was reached, but never answered well.
    case reached
    /// It has answered well.
    case proven
  }

  private(set) var window: ConcurrencyWindow
  private(set) var allowance = Allowance()
  private(set) var circuit: Circuit
  private(set) var inFlight = 0
  private(set) var queue = TicketQueue()
  private var acquaintance = Standing.silent
  private var lastHold: Duration?

  init(_ configuration: Traffic.Configuration = Traffic.Configuration()) {
    window = ConcurrencyWindow(ceiling: configuration.ceiling)
    circuit = Circuit(
      firstCoolDown: configuration.firstCoolDown, longestCoolDown: configuration.longestCoolDown)
  }

  /// How well the host is known; one that a call was just repeated at in vain is no better than a stranger.
  var standing: Standing { circuit.isSuspect ? .reached : acquaintance }

  /// Whether nothing is under way and nothing is known that a later call should heed.
  func isIdle(at now: Duration) -> Bool {
    inFlight == 0 && queue.isEmpty && circuit.rest(at: now) == nil
      && allowance.remaining(at: now) == nil && now >= allowance.blockedUntil
  }

  /// A call comes.
  ///
  /// - Parameter patience: how long the rate limit may hold it.
  mutating func enter(patience: Duration, at now: Duration) -> Admission {
    if let refusal = restingRefusal(at: now) { return .refused(refusal) }
    if queue.isEmpty, let permit = admit(at: now) { return .go(permit) }
    if let hold = allowance.hold(inFlight: 0, at: now), hold - now > patience {
      return .refused(.rateLimited(wait: hold - now))
    }
    return .wait
  }

  /// A call that was told to wait does so.
  mutating func wait(_ ticket: Ticket, patience: Duration, at now: Duration) {
    queue.append(ticket, deadline: now + patience)
  }

  /// One who waited leaves; false when it had been called already.
  mutating func leave(_ ticket: Ticket) -> Bool { queue.remove(ticket) }

  /// An exchange has ended.
  mutating func ended(_ permit: Permit, _ outcome: Outcome, at now: Duration) -> [Action] {
    inFlight -= 1
    switch outcome {
    case .answered(let limit):
      circuit.answered()
      acquaintance = .proven
      allowance.answered(limit, began: permit.began, at: now)
      window.answered(began: permit.began, at: now)
    case .refused(let limit):
      circuit.answered()
      if acquaintance == .silent { acquaintance = .reached }
      allowance.refused(limit, began: permit.began, at: now)
      window.strained(began: permit.began, at: now)
    case .failed(let status, let limit):
      if acquaintance == .silent { acquaintance = .reached }
      allowance.answered(limit, began: permit.began, at: now)
      if permit.isProbe { circuit.probeFailed(.status(status), at: now) }
    case .broken(let error):
      if acquaintance == .silent, error.wasReached { acquaintance = .reached }
      allowance.spendOne()
      if error.code == .timedOut { window.strained(began: permit.began, at: now) }
      if permit.isProbe { circuit.probeFailed(.transport(error), at: now) }
    case .abandoned:
      allowance.spendOne()
      if permit.isProbe { circuit.probeAbandoned(at: now) }
    }
    return queue.isEmpty ? [] : pump(at: now)
  }

  /// A call was repeated as often as it may be, in vain.
  ///
  /// - Parameter mark: the circuit's good answers when it began.
  mutating func gaveUp(_ cause: HostFault, mark: UInt64, at now: Duration) -> [Action] {
    circuit.gaveUp(cause, mark: mark, at: now)
    return queue.isEmpty ? [] : pump(at: now)
  }

  /// Time has passed, or one has left: calls those whose turn it is.
  mutating func pump(at now: Duration) -> [Action] {
    var actions: [Action] = []
    if let refusal = restingRefusal(at: now) {
      return queue.removeAll().map { .refuse($0, refusal) }
    }
    while !queue.isEmpty, let permit = admit(at: now) {
      guard let ticket = queue.popFirst() else { break }
      actions.append(.admit(ticket, permit))
    }
    let hold = allowance.hold(inFlight: 0, at: now)
    if let hold, hold != lastHold, !queue.isEmpty {
      let refusal = TrafficRefusal.rateLimited(wait: hold - now)
      actions += queue.removeAll(dueBefore: hold).map { .refuse($0, refusal) }
    }
    lastHold = hold
    return actions
  }

  /// When ``pump(at:)`` is due though nothing else happens; nil while nobody waits for a time to come.
  func wakeUp(at now: Duration) -> Duration? {
    guard !queue.isEmpty else { return nil }
    return allowance.hold(inFlight: inFlight, at: now) ?? (admits(at: now) ? now : nil)
  }

  private func admits(at now: Duration) -> Bool {
    inFlight < window.size && circuit.admits(at: now) && allowance.hold(inFlight: inFlight, at: now) == nil
  }

  private mutating func admit(at now: Duration) -> Permit? {
    guard admits(at: now) else { return nil }
    inFlight += 1
    return Permit(began: now, isProbe: circuit.begin())
  }

  private func restingRefusal(at now: Duration) -> TrafficRefusal? {
    guard let rest = circuit.rest(at: now), rest > .zero, let fault = circuit.fault else { return nil }
    return .resting(cause: fault.cause, ago: now - fault.at, wait: rest)
  }
}

extension TransportError {
  /// Whether there was somebody at the other end.
  fileprivate var wasReached: Bool {
    switch code {
    case .connectionLost, .truncatedBody, .malformedResponse, .responseTooLarge, .tooManyRedirects: true
    default: false
    }
  }
}
