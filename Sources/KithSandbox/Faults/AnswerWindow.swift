// SPDX-License-Identifier: Apache-2.0

/// Counts the answers of a ``SandboxRateLimit`` per window.
struct AnswerWindow {
  /// The state of the limit after a request was counted.
  struct Standing: Hashable {
    let isRefused: Bool
    /// Answers left in the window.
    let remaining: Int
    /// When the next window may begin, in microseconds since 1970.
    let end: Int64
  }

  private let limit: SandboxRateLimit
  private var end: Int64?
  private var answered = 0

  init(_ limit: SandboxRateLimit) { self.limit = limit }

  /// Counts a request.
  ///
  /// - Parameters:
  ///   - now: microseconds since 1970.
  ///   - weight: how many answers it counts as.
  mutating func arrived(at now: Int64, weight: Int = 1) -> Standing {
    var end = self.end ?? now
    if now >= end {
      end = now + Int64(limit.seconds) * 1_000_000
      self.end = end
      answered = 0
    }
    let isRefused = answered + weight > limit.answers
    if !isRefused { answered += weight }
    return Standing(isRefused: isRefused, remaining: limit.answers - answered, end: end)
  }
}
