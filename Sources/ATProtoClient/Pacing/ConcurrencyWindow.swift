// SPDX-License-Identifier: Apache-2.0

/// How many calls may be under way at one host at once: halved when the host is strained, widened by one for
/// each window of good answers that come in time.
///
/// Latency is judged by rounds, each as many calls as the window is wide (eight at least) and each as slow as
/// its fastest call: a queue in a server slows down every call, jitter and a single slow batch do not. Two
/// slow rounds in a row halve the window. What counts as slow follows ``floor``, the fastest time seen, which
/// rises by an eighth of the difference with each round: what stays slow becomes the measure of itself.
struct ConcurrencyWindow: Sendable {
  /// Rounds up to this much slower than three times the floor are not slow, whatever the floor is.
  static let margin = Duration.milliseconds(250)

  private static let shortestRound = 8

  /// The widest that the window may become.
  let ceiling: Int
  /// Calls that may be under way at once.
  private(set) var size: Int
  /// The fastest round trip of late.
  private(set) var floor: Duration?

  private var successes = 0
  private var halvedAt: Duration?
  private var fastest: Duration?
  private var callsInRound = 0
  private var slowRounds = 0

  /// Starts at the ceiling, which is one at least.
  init(ceiling: Int) {
    self.ceiling = max(1, ceiling)
    size = self.ceiling
  }

  /// A good answer came.
  ///
  /// - Parameter began: when its call was sent.
  mutating func answered(began: Duration, at now: Duration) {
    if slowRounds == 0 { successes += 1 }
    if successes >= size {
      successes = 0
      size = min(ceiling, size + 1)
    }
    measure(now - began, began: began, at: now)
  }

  /// A call was refused with 429 or ran out of time.
  mutating func strained(began: Duration, at now: Duration) {
    halve(began: began, at: now)
  }

  private mutating func measure(_ latency: Duration, began: Duration, at now: Duration) {
    fastest = fastest.map { min($0, latency) } ?? latency
    callsInRound += 1
    guard callsInRound >= max(Self.shortestRound, size), let round = fastest else { return }
    fastest = nil
    callsInRound = 0
    let old = floor ?? round
    floor = round <= old ? round : old + (round - old) / 8
    slowRounds = round > old * 3 + Self.margin ? slowRounds + 1 : 0
    if slowRounds > 0, slowRounds.isMultiple(of: 2) { halve(began: began, at: now) }
  }

  /// Halves at most once per round trip: what was sent before the last halving tells nothing new.
  private mutating func halve(began: Duration, at now: Duration) {
    if let halvedAt, began < halvedAt { return }
    halvedAt = now
    successes = 0
    size = max(1, size / 2)
  }
}
