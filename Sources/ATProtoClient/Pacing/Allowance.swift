// SPDX-License-Identifier: Apache-2.0

/// What a host's rate limit still allows, from what its answers say (Q25).
///
/// Calls go at full speed while there is plenty, then wait for the window to start anew: who has few calls to
/// make is never slowed down, and who has many loses nothing, for the window's end is the same. Others may
/// share the allowance, so a fiftieth of it (32 calls at most) is a reserve; it is spent one call at a time,
/// and the last quarter of it not at all. Calls under way count against what remains, as the server may not
/// have counted them yet.
struct Allowance: Sendable {
  /// Calls allowed in a window.
  private(set) var limit: Int?
  /// The length of the window.
  private(set) var window: Duration?
  /// When nobody goes before, after a refusal.
  private(set) var blockedUntil = Duration.zero

  private var remaining = 0
  private var resetAt: Duration?
  private var refusals = 0
  private var refusedAt: Duration?

  /// The reset is sent in whole seconds, rounded down.
  private static let resetMargin = Duration.seconds(1)
  /// Two resets that lie closer than this are those of one window.
  private static let sameWindow = Duration.seconds(2)

  /// Calls left in the window that is known, without those under way; nil when nothing is known.
  func remaining(at now: Duration) -> Int? { resetAt.map { now < $0 } == true ? remaining : nil }

  /// When the known window resets.
  func reset(at now: Duration) -> Duration? { resetAt.flatMap { now < $0 ? $0 : nil } }

  /// The time before which no further call may go, nil when one may go now.
  func hold(inFlight: Int, at now: Duration) -> Duration? {
    if now < blockedUntil { return blockedUntil }
    guard let resetAt, now < resetAt else { return nil }
    let reserve = min((limit ?? 0) / 50, 32)
    let rest = remaining - inFlight
    return rest > (inFlight == 0 ? reserve / 4 : reserve) ? nil : resetAt
  }

  /// An answer came that is no refusal.
  mutating func answered(_ read: RateLimit?, began: Duration, at now: Duration) {
    if refusedAt.map({ began >= $0 }) ?? true { refusals = 0 }
    if let read { note(read, at: now) } else { spendOne() }
  }

  /// An exchange ended without an answer: the server may have counted it.
  mutating func spendOne() { remaining = max(0, remaining - 1) }

  /// A 429 came; nobody goes before the time that it names.
  ///
  /// Without one, and where a refusal follows the last wait at once, the wait is a second that doubles up to
  /// a minute.
  mutating func refused(_ read: RateLimit?, began: Duration, at now: Duration) {
    if refusedAt.map({ began >= $0 }) ?? true { refusals += 1 }
    refusedAt = now
    if let read { note(read, at: now) }
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
      // Late words of a window that is over.
      if newReset < resetAt - Self.sameWindow { return }
      if newReset <= resetAt + Self.sameWindow {
        // Answers overtake each other: the least that was said is the truth.
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
