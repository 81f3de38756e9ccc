// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The traffic to one host, as a pure state machine: it is fed calls that come, end, give up or leave, and
/// decides which go, which wait and which are refused. ``HostLimiter`` drives it.
///
/// All times are of one monotonic clock.
struct HostLimiterState: Sendable {
  typealias Ticket = TicketQueue.Ticket

  /// The right to make one exchange; given back with its outcome.
  struct Permit: Sendable, Hashable {
    /// The method that is called; nil for a plain fetch.
    let method: NSID?
    /// When the exchange begins.
    let began: Duration
    /// Whether the call probes a host whose circuit is open.
    let isProbe: Bool
  }

  /// The decision about a new call.
  enum Admission: Sendable, Hashable {
    case admit(Permit)
    /// The call has to queue.
    case wait
    case refused(TrafficRefusal)
  }

  /// The decision about a waiting call.
  enum Action: Sendable, Hashable {
    case admit(Ticket, Permit)
    case refuse(Ticket, TrafficRefusal)
  }

  /// How an exchange ended.
  enum Outcome: Sendable {
    /// With a response of a working host, even an error.
    case answered(RateLimit?)
    /// With 429.
    case refused(RateLimit?)
    /// With 5xx.
    case failed(status: Int, RateLimit?)
    /// Without a complete response.
    case broken(TransportError)
    /// Cancelled by the caller.
    case abandoned
  }

  /// The calls of one method: a limit of the method holds them, but not those of other methods.
  private struct MethodQueue: Sendable {
    var inFlight = 0
    var queue = TicketQueue()
    var lastHold: Duration?
    /// No call may go before this time, because one was refused until it gave up.
    var refusedUntil = Duration.zero
  }

  private(set) var window: ConcurrencyWindow
  private(set) var allowances = RateLimitBuckets()
  private(set) var circuit: Circuit
  private(set) var inFlight = 0
  /// Calls that wait for their turn.
  private(set) var waiting = 0
  private var queues: [NSID?: MethodQueue] = [:]
  private var knownReputation = HostReputation.unknown

  init(_ configuration: Traffic.Configuration = Traffic.Configuration()) {
    window = ConcurrencyWindow(ceiling: configuration.ceiling)
    circuit = Circuit(
      firstCoolDown: configuration.firstCoolDown, longestCoolDown: configuration.longestCoolDown)
  }

  /// How well the host is known; at most ``HostReputation/reachable`` after a call failed with all its retries.
  var reputation: HostReputation { circuit.isSuspect ? .reachable : knownReputation }

  /// Whether nothing is in flight and nothing known affects later calls. A failed host is only remembered
  /// until its cool-down has passed.
  func isIdle(at now: Duration) -> Bool {
    inFlight == 0 && waiting == 0 && !isResting(at: now) && allowances.isIdle(at: now)
      && queues.values.allSatisfy { now >= $0.refusedUntil }
  }

  /// Whether the circuit is open and no probe may go yet.
  func isResting(at now: Duration) -> Bool { circuit.remainingPause(at: now).map { $0 > .zero } ?? false }

  /// Returns how long the rate limit holds the next call: the first of the waiting ones, or one of any method
  /// called before.
  func hold(at now: Duration) -> Duration? {
    let holds = queues.filter { waiting == 0 || !$0.value.queue.isEmpty }.keys
      .map { hold(ofNext: $0, at: now) ?? now }
    return holds.min().flatMap { $0 > now ? $0 : nil }
  }

  /// Decides about a new call.
  ///
  /// - Parameter patience: How long the rate limit may hold it.
  mutating func enter(_ method: NSID? = nil, patience: Duration, at now: Duration) -> Admission {
    if let refusal = restingRefusal(at: now) { return .refused(refusal) }
    if queues[method]?.queue.isEmpty ?? true, let permit = admit(method, at: now) { return .admit(permit) }
    if let hold = hold(ofNext: method, at: now), hold - now > patience {
      return .refused(.rateLimited(wait: hold - now))
    }
    return .wait
  }

  /// Queues a call whose admission was ``Admission/wait``.
  mutating func wait(_ ticket: Ticket, for method: NSID? = nil, patience: Duration, at now: Duration) {
    queues[method, default: MethodQueue()].queue.append(ticket, deadline: now + patience)
    waiting += 1
  }

  /// Removes a waiting call; false if it was admitted already.
  mutating func leave(_ ticket: Ticket) -> Bool {
    for method in queues.keys where queues[method]?.queue.remove(ticket) == true {
      waiting -= 1
      return true
    }
    return false
  }

  /// Records the end of an exchange.
  mutating func ended(_ permit: Permit, _ outcome: Outcome, at now: Duration) -> [Action] {
    inFlight -= 1
    queues[permit.method]?.inFlight -= 1
    switch outcome {
    case .answered(let limit):
      circuit.answered()
      knownReputation = .trusted
      queues[permit.method]?.refusedUntil = .zero
      allowances.answered(limit, to: permit.method, began: permit.began, at: now)
      window.answered(began: permit.began, at: now)
    case .refused(let limit):
      circuit.answered()
      if knownReputation == .unknown { knownReputation = .reachable }
      allowances.refused(limit, to: permit.method, began: permit.began, at: now)
      window.strained(began: permit.began, at: now)
    case .failed(let status, let limit):
      if knownReputation == .unknown { knownReputation = .reachable }
      allowances.answered(limit, to: permit.method, began: permit.began, at: now)
      if permit.isProbe { circuit.probeFailed(.status(status), at: now) }
    case .broken(let error):
      if knownReputation == .unknown, error.wasReached { knownReputation = .reachable }
      allowances.spendOne(on: permit.method)
      if error.code == .timedOut { window.strained(began: permit.began, at: now) }
      if permit.isProbe { circuit.probeFailed(.transport(error), at: now) }
    case .abandoned:
      allowances.spendOne(on: permit.method)
      if permit.isProbe { circuit.probeAbandoned(at: now) }
    }
    return waiting == 0 ? [] : pump(at: now)
  }

  /// Records that a call failed with all its retries.
  ///
  /// - Parameter mark: The circuit's good responses when it began.
  mutating func gaveUp(_ cause: HostFault, mark: UInt64, at now: Duration) -> [Action] {
    circuit.gaveUp(cause, mark: mark, at: now)
    return waiting == 0 ? [] : pump(at: now)
  }

  /// Records that a call was refused with 429 for as long as it could wait.
  ///
  /// Other calls of its method would each wait as long, in vain: a server that refuses everything would hold
  /// a thousand calls for days. They fail at once, until the same time has passed again.
  /// - Parameter patience: How long the call could wait.
  mutating func gaveUp(_ method: NSID?, after patience: Duration, at now: Duration) -> [Action] {
    let until = now + max(patience, .zero) + Self.restAfterRefusals
    queues[method, default: MethodQueue()].refusedUntil = max(queues[method]?.refusedUntil ?? .zero, until)
    return waiting == 0 ? [] : pump(at: now)
  }

  /// Calls are held longer than their patience by this after one has given up, so none of them queues.
  private static let restAfterRefusals = Duration.seconds(60)

  /// Admits the calls whose turn it is, after time has passed or a call has ended.
  mutating func pump(at now: Duration) -> [Action] {
    if let refusal = restingRefusal(at: now) {
      waiting = 0
      let all = queues.keys.flatMap { queues[$0]?.queue.removeAll() ?? [] }
      return all.sorted().map { .refuse($0, refusal) }
    }
    var actions: [Action] = []
    while let method = next(at: now), let permit = admit(method, at: now) {
      guard let ticket = queues[method]?.queue.popFirst() else { break }
      waiting -= 1
      actions.append(.admit(ticket, permit))
    }
    for method in queues.keys { actions += refusals(of: method, at: now) }
    return actions
  }

  /// Returns when ``pump(at:)`` is due if nothing else happens; nil if no call waits for a time.
  func wakeUp(at now: Duration) -> Duration? {
    guard waiting > 0 else { return nil }
    return queues.compactMap { method, lane -> Duration? in
      guard !lane.queue.isEmpty else { return nil }
      return hold(for: method, at: now) ?? (admits(method, at: now) ? now : nil)
    }.min()
  }

  /// Returns the method of the call that came first among those that may go.
  private mutating func next(at now: Duration) -> NSID?? {
    guard waiting > 0 else { return .none }
    var first: (ticket: Ticket, method: NSID?)?
    for method in queues.keys where admits(method, at: now) {
      guard let ticket = queues[method]?.queue.first, ticket < first?.ticket ?? .max else { continue }
      first = (ticket, method)
    }
    return first.map { .some($0.method) } ?? .none
  }

  /// Refuses the waiting calls of a method whose patience its hold exceeds, if the hold is new.
  private mutating func refusals(of method: NSID?, at now: Duration) -> [Action] {
    let hold = hold(ofNext: method, at: now)
    defer { queues[method]?.lastHold = hold }
    guard let hold, hold != queues[method]?.lastHold,
      let late = queues[method]?.queue.removeAll(dueBefore: hold)
    else { return [] }
    waiting -= late.count
    return late.map { .refuse($0, .rateLimited(wait: hold - now)) }
  }

  /// Returns the time before which no call of a method may go in addition to those in flight.
  private func hold(for method: NSID?, at now: Duration) -> Duration? {
    later(
      refusal(of: method, at: now),
      allowances.hold(for: method, inFlight: { queues[$0]?.inFlight ?? 0 }, at: now))
  }

  /// Returns the time before which no call of a method may go if none were in flight.
  private func hold(ofNext method: NSID?, at now: Duration) -> Duration? {
    later(refusal(of: method, at: now), allowances.hold(for: method, inFlight: { _ in 0 }, at: now))
  }

  private func refusal(of method: NSID?, at now: Duration) -> Duration? {
    queues[method].flatMap { now < $0.refusedUntil ? $0.refusedUntil : nil }
  }

  private func later(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
  }

  private func admits(_ method: NSID?, at now: Duration) -> Bool {
    inFlight < window.size && circuit.admits(at: now) && hold(for: method, at: now) == nil
  }

  private mutating func admit(_ method: NSID?, at now: Duration) -> Permit? {
    guard admits(method, at: now) else { return nil }
    inFlight += 1
    queues[method, default: MethodQueue()].inFlight += 1
    return Permit(method: method, began: now, isProbe: circuit.begin())
  }

  private func restingRefusal(at now: Duration) -> TrafficRefusal? {
    guard let remaining = circuit.remainingPause(at: now), remaining > .zero, let fault = circuit.fault else {
      return nil
    }
    return .resting(cause: fault.cause, ago: now - fault.at, wait: remaining)
  }
}

extension TransportError {
  /// Whether the host was reached.
  fileprivate var wasReached: Bool {
    switch code {
    case .connectionLost, .truncatedBody, .malformedResponse, .responseTooLarge, .tooManyRedirects: true
    default: false
    }
  }
}
