// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Counts the answers of a ``SandboxRateLimit`` per window.
struct RateLimitWindow {
  /// The state of the limit after a request was counted.
  struct Usage: Hashable {
    let isRefused: Bool
    /// Answers left in the window.
    let remaining: Int
    /// When the next window may begin.
    let end: Instant
  }

  private let limit: SandboxRateLimit
  private var end: Instant?
  private var answered = 0

  init(_ limit: SandboxRateLimit) { self.limit = limit }

  /// Counts a request.
  ///
  /// - Parameter weight: how many answers it counts as.
  mutating func arrived(at now: Instant, weight: Int = 1) -> Usage {
    var end = self.end ?? now
    if now >= end {
      end = now + .seconds(limit.seconds)
      self.end = end
      answered = 0
    }
    let isRefused = answered + weight > limit.answers
    if !isRefused { answered += weight }
    return Usage(isRefused: isRefused, remaining: limit.answers - answered, end: end)
  }
}
