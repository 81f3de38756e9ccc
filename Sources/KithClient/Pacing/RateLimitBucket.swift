// SPDX-License-Identifier: Apache-2.0

/// What a host's rate limit still allows, according to its responses (Q25).
///
/// Calls go at full speed while enough remain, then wait for the window to reset. A caller with few calls is
/// never slowed down, and one with many loses nothing, because the window ends at the same time. Other
/// clients may share the allowance, so a fiftieth of it (at most 32 calls) is a reserve: it is spent one call
/// at a time, and its last quarter not at all. Calls in flight count against the remaining ones, because the
/// server may not have counted them yet.
struct RateLimitBucket: Sendable {
  /// The number of calls allowed per window.
  private(set) var limit: Int?
  /// The length of the window.
  private(set) var window: Duration?
  /// No call may go before this time, after a refusal.
  private(set) var blockedUntil = Duration.zero

  private var remaining = 0
  private var resetAt: Duration?
  private var refusals = 0
  private var refusedAt: Duration?

  /// Added to a reset time, which servers send in whole seconds, rounded down.
  private static let resetMargin = Duration.seconds(1)
  /// Two resets closer than this belong to the same window.
  private static let sameWindow = Duration.seconds(2)

  /// Returns the calls left in the known window, not reduced by those in flight; nil if nothing is known.
  func remaining(at now: Duration) -> Int? { resetAt.map { now < $0 } == true ? remaining : nil }

  /// Returns when the known window resets.
  func reset(at now: Duration) -> Duration? { resetAt.flatMap { now < $0 ? $0 : nil } }

  /// Returns the time before which no further call may go; nil if one may go now.
  func hold(inFlight: Int, at now: Duration) -> Duration? {
    if now < blockedUntil { return blockedUntil }
    guard let resetAt, now < resetAt else { return nil }
    let reserve = min((limit ?? 0) / 50, 32)
    let rest = remaining - inFlight
    return rest > (inFlight == 0 ? reserve / 4 : reserve) ? nil : resetAt
  }

  /// Records a response that is not a refusal.
  mutating func answered(_ read: RateLimit?, began: Duration, at now: Duration) {
    if refusedAt.map({ began >= $0 }) ?? true { refusals = 0 }
    if let read { note(read, at: now) } else { spendOne() }
  }

  /// Records an exchange without a response, which the server may have counted.
  mutating func spendOne() { remaining = max(0, remaining - 1) }

  /// Records a 429: no call may go before the time that it names.
  ///
  /// If it names none, or if the first call after a wait is refused again, the wait is at least one second,
  /// doubling up to a minute.
  mutating func refused(_ read: RateLimit?, began: Duration, at now: Duration) {
    if refusedAt.map({ began >= $0 }) ?? true { refusals += 1 }
    refusedAt = now
    if var asked = read {
      // Retry-After is what the server asks of this call: a later reset does not hold the next one back.
      if let told = asked.retryAfter { asked.untilReset = asked.untilReset.map { min($0, told) } }
      note(asked, at: now)
    }
    var wait = Duration.zero
    if let told = read?.retryAfter {
      wait = told + min(.seconds(1), told / 20)
    } else if let told = read?.untilReset {
      wait = told + Self.resetMargin
    }
    if refusals > 1 || read?.waitAfterRefusal == nil {
      wait = max(wait, min(.seconds(60), .seconds(1 << min(max(0, refusals - 1), 6))))
    }
    blockedUntil = max(blockedUntil, now + wait)
  }

  private mutating func note(_ read: RateLimit, at now: Duration) {
    guard let left = read.remaining, let until = read.untilReset ?? read.window else { return spendOne() }
    let newReset = now + until + Self.resetMargin
    if let resetAt, now < resetAt, read.limit == limit {
      // A delayed response from an earlier window.
      if newReset < resetAt - Self.sameWindow { return }
      if newReset <= resetAt + Self.sameWindow {
        // Responses overtake each other; the lowest count is the latest.
        remaining = min(remaining, left)
        return
      }
    }
    limit = read.limit
    window = read.window ?? window
    remaining = left
    resetAt = newReset
  }
}
