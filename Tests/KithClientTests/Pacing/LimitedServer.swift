// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport

/// A server with a rate limit per window, reported like the reference server does: the reset in epoch
/// seconds, rounded down (Q25).
final class LimitedServer: Sendable {
  /// The header fields that it sends.
  enum Words: Sendable {
    case everything, onlyRetryAfter
  }

  private struct State {
    var windowEnds: Duration?
    var spent = 0
    /// The times of refused calls.
    var refusals: [Duration] = []
    var answered = 0
  }

  let limit: Int
  let window: Duration
  let words: Words
  private let state = PosixMutex(State())

  init(limit: Int, window: Duration, words: Words) {
    self.limit = limit
    self.window = window
    self.words = words
  }

  var refusals: [Duration] { state.withLock(\.refusals) }
  var answered: Int { state.withLock(\.answered) }

  /// Responds to one call that arrives at a time.
  func answer(at now: Duration, wall: Instant) -> TransportResponse {
    let (isAllowed, remaining, left) = state.withLock { state -> (Bool, Int, Duration) in
      if state.windowEnds.map({ now >= $0 }) ?? true {
        state.windowEnds = now + window
        state.spent = 0
      }
      state.spent += 1
      let isAllowed = state.spent <= limit
      if isAllowed { state.answered += 1 } else { state.refusals.append(now) }
      return (isAllowed, max(0, limit - state.spent), (state.windowEnds ?? now) - now)
    }
    var fields: [String: String] = [:]
    let (seconds, attoseconds) = left.components
    if words == .everything {
      let reset = (wall + left).secondsSinceEpoch
      fields = [
        "RateLimit-Limit": "\(limit)", "RateLimit-Remaining": "\(remaining)", "RateLimit-Reset": "\(reset)",
        "RateLimit-Policy": "\(limit);w=\(window.components.seconds)",
      ]
    }
    if !isAllowed { fields["Retry-After"] = "\(seconds + (attoseconds > 0 ? 1 : 0))" }
    return isAllowed
      ? TransportResponse(#"{"relationships":[]}"#, fields: HTTPFields(named: fields))
      : .xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", fields: HTTPFields(named: fields))
  }
}
