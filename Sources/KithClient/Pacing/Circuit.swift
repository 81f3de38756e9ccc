// SPDX-License-Identifier: Apache-2.0

/// A circuit breaker: after a call has failed with all its retries, the host is not called for a while.
///
/// Opens when a call gives up and the host has given no good response since that call began. If the host had
/// good responses before and now returns 5xx, two such calls are needed: a single one may be a request that
/// it cannot handle. Any good response closes the circuit.
struct Circuit: Sendable {
  /// Why the circuit is open.
  struct Fault: Sendable, Hashable {
    /// The failure of the last call.
    let cause: HostFault
    /// When it happened.
    let at: Duration
  }

  private enum Phase: Sendable {
    case closed
    case open(until: Duration)
    case probing
  }

  /// The first cool-down.
  let firstCoolDown: Duration
  /// The maximum cool-down.
  let longestCoolDown: Duration

  /// The number of good responses; a call compares it with the number at its beginning.
  private(set) var goodAnswers: UInt64 = 0
  /// The failure that opened the circuit.
  private(set) var fault: Fault?

  private var phase = Phase.closed
  private var coolDown: Duration
  private var strikes = 0

  init(firstCoolDown: Duration, longestCoolDown: Duration) {
    self.firstCoolDown = firstCoolDown
    self.longestCoolDown = max(firstCoolDown, longestCoolDown)
    coolDown = firstCoolDown
  }

  /// Whether a call has given up and no good response has come since.
  var isSuspect: Bool { strikes > 0 }

  /// Returns how long the circuit stays open; nil if it is closed, zero if a probe may go.
  func remainingPause(at now: Duration) -> Duration? {
    if case .open(let until) = phase { max(.zero, until - now) } else { nil }
  }

  /// Whether a call may go: always while closed; after the cool-down, one probe.
  func admits(at now: Duration) -> Bool {
    switch phase {
    case .closed: true
    case .open(let until): now >= until
    case .probing: false
    }
  }

  /// Records that a call goes. Returns true if it is the probe.
  mutating func begin() -> Bool {
    guard case .open = phase else { return false }
    phase = .probing
    return true
  }

  /// Records a good response.
  mutating func answered() {
    goodAnswers &+= 1
    phase = .closed
    coolDown = firstCoolDown
    strikes = 0
    fault = nil
  }

  /// Records that the probe failed; ignored if an older call has closed the circuit meanwhile.
  mutating func probeFailed(_ cause: HostFault, at now: Duration) {
    guard case .probing = phase else { return }
    coolDown = min(longestCoolDown, coolDown * 2)
    open(cause, at: now)
  }

  /// Records that the probe was cancelled before it had a result: the next call may probe.
  mutating func probeAbandoned(at now: Duration) {
    if case .probing = phase { phase = .open(until: now) }
  }

  /// Records that a call gave up.
  ///
  /// - Parameter mark: The value of ``goodAnswers`` when the call began.
  mutating func gaveUp(_ cause: HostFault, mark: UInt64, at now: Duration) {
    guard case .closed = phase, mark == goodAnswers else { return }
    strikes += 1
    if case .status = cause, goodAnswers > 0, strikes < 2 { return }
    open(cause, at: now)
  }

  private mutating func open(_ cause: HostFault, at now: Duration) {
    fault = Fault(cause: cause, at: now)
    phase = .open(until: now + coolDown)
  }
}
