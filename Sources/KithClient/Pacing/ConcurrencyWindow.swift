// SPDX-License-Identifier: Apache-2.0

/// The number of concurrent calls to one host: halved when the host shows strain, increased by one for each
/// window of timely good responses.
///
/// Latency is measured in rounds. A round has as many calls as the window is wide (at least eight) and counts
/// as slow as its fastest call: a queue in the server slows down every call, jitter or a single slow batch
/// does not. Two slow rounds in a row halve the window. The measure for slow is ``floor``, the fastest time
/// seen, which rises by an eighth of the difference with each round, so latency that stays high becomes the
/// new normal.
struct ConcurrencyWindow: Sendable {
  /// A round is slow only if it exceeds three times the floor by more than this.
  static let margin = Duration.milliseconds(250)

  private static let shortestRound = 8

  /// The maximum of the window.
  let ceiling: Int
  /// The number of calls that may be in flight at once.
  private(set) var size: Int
  /// The fastest recent round trip.
  private(set) var floor: Duration?

  private var successes = 0
  private var halvedAt: Duration?
  private var fastest: Duration?
  private var callsInRound = 0
  private var slowRounds = 0

  /// Starts at the ceiling, which is at least one.
  init(ceiling: Int) {
    self.ceiling = max(1, ceiling)
    size = self.ceiling
  }

  /// Records a good response.
  ///
  /// - Parameter began: When its call was sent.
  mutating func answered(began: Duration, at now: Duration) {
    if slowRounds == 0 { successes += 1 }
    if successes >= size {
      successes = 0
      size = min(ceiling, size + 1)
    }
    measure(now - began, began: began, at: now)
  }

  /// Records a call that was refused with 429 or timed out.
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

  /// Halves at most once per round trip: calls sent before the last halving carry no new information.
  private mutating func halve(began: Duration, at now: Duration) {
    if let halvedAt, began < halvedAt { return }
    halvedAt = now
    successes = 0
    size = max(1, size / 2)
  }
}
