// SPDX-License-Identifier: Apache-2.0

/// Whether a host is asked at all: after a call that was repeated in vain, it is left alone for a while.
///
/// Opens when a call gives up and the host gave no good answer since that call began. Of a host that had
/// answered well before and now answers 5xx, two such calls are wanted: one may be a question that it cannot
/// bear. Any answer closes it again.
struct Circuit: Sendable {
  /// Why the host is not asked.
  struct Fault: Sendable, Hashable {
    /// What the last call met.
    let cause: HostFault
    /// When that was.
    let at: Duration
  }

  private enum Phase: Sendable {
    case closed
    case open(until: Duration)
    case probing
  }

  /// The first cool-down.
  let firstCoolDown: Duration
  /// No cool-down is longer.
  let longestCoolDown: Duration

  /// Counts the good answers: a call notes it when it begins, and so knows whether there was one since.
  private(set) var goodAnswers: UInt64 = 0
  /// What the last call met that opened the circuit.
  private(set) var fault: Fault?

  private var phase = Phase.closed
  private var coolDown: Duration
  private var strikes = 0

  init(firstCoolDown: Duration, longestCoolDown: Duration) {
    self.firstCoolDown = firstCoolDown
    self.longestCoolDown = max(firstCoolDown, longestCoolDown)
    coolDown = firstCoolDown
  }

  /// Whether a call gave up, and nothing good came since.
  var isSuspect: Bool { strikes > 0 }

  /// How long the host will not be asked; nil when it may be, zero when one may try.
  func rest(at now: Duration) -> Duration? {
    if case .open(let until) = phase { max(.zero, until - now) } else { nil }
  }

  /// Whether a call may go: always when closed; when open, one after the cool-down.
  func admits(at now: Duration) -> Bool {
    switch phase {
    case .closed: true
    case .open(let until): now >= until
    case .probing: false
    }
  }

  /// A call goes; true when it is the probe.
  mutating func begin() -> Bool {
    guard case .open = phase else { return false }
    phase = .probing
    return true
  }

  /// The host answered: it lives.
  mutating func answered() {
    goodAnswers &+= 1
    phase = .closed
    coolDown = firstCoolDown
    strikes = 0
    fault = nil
  }

  /// The probe met the old trouble; of no account where an older call was answered in the meantime.
  mutating func probeFailed(_ cause: HostFault, at now: Duration) {
    guard case .probing = phase else { return }
    coolDown = min(longestCoolDown, coolDown * 2)
    open(cause, at: now)
  }

  /// The probe was called back before it learned anything: the next may try.
  mutating func probeAbandoned(at now: Duration) {
    if case .probing = phase { phase = .open(until: now) }
  }

  /// A call gave up.
  ///
  /// - Parameter mark: ``goodAnswers`` at its beginning.
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
