// SPDX-License-Identifier: Apache-2.0

import KithCore

/// When the server ends because no one uses it: a page that is visible says so now and then.
struct IdleLimit {
  /// How long it waits for the next request.
  static let patience = Duration.seconds(30 * 60)

  private var lastSign: Duration
  private var jobs = 0

  init(at now: Duration) { lastSign = now }

  /// A request was answered, or a page is visible.
  mutating func sign(at now: Duration) { lastSign = max(lastSign, now) }

  mutating func jobBegan() { jobs += 1 }

  /// A job ended; the wait begins then.
  mutating func jobEnded(at now: Duration) {
    jobs -= 1
    sign(at: now)
  }

  /// How long it still waits; nil as long as a job runs, and zero if it has ended.
  func left(at now: Duration) -> Duration? { jobs > 0 ? nil : max(.zero, lastSign + Self.patience - now) }
}
