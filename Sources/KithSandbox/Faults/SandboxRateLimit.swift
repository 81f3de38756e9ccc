// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// The number of answers in a time window, for all callers together; more are refused with 429.
///
/// Every answer then reports the limit as the reference server does: `RateLimit-Limit`, `-Remaining`,
/// `-Reset` (epoch seconds, rounded down) and `-Policy`; a refusal has `Retry-After`. A window starts with
/// the first request after the previous one has ended.
package struct SandboxRateLimit: Sendable, Hashable {
  /// The number of answers in a window.
  package var answers: Int
  /// The length of a window in seconds.
  package var seconds: Int

  /// Creates a limit; both numbers are at least 1.
  package init(answers: Int, seconds: Int) {
    self.answers = max(1, answers)
    self.seconds = max(1, seconds)
  }
}

extension SandboxRateLimit {
  /// The header fields in which the reference server reports how much is left.
  func fields(_ usage: RateLimitWindow.Usage) -> [HeaderField] {
    [
      HeaderField(name: "RateLimit-Limit", value: "\(answers)"),
      HeaderField(name: "RateLimit-Remaining", value: "\(usage.remaining)"),
      HeaderField(name: "RateLimit-Reset", value: "\(usage.end.secondsSinceEpoch)"),
      HeaderField(name: "RateLimit-Policy", value: "\(answers);w=\(seconds)"),
    ]
  }

  /// Returns the reference server's answer to a caller over the limit.
  func refusal(_ usage: RateLimitWindow.Usage, at now: Instant) -> XRPCFault {
    let seconds = ((usage.end - now).inMicroseconds + 999_999) / 1_000_000
    return XRPCFault(
      status: 429, name: "RateLimitExceeded", message: "Rate Limit Exceeded",
      fields: fields(usage) + [HeaderField(name: "Retry-After", value: "\(seconds)")])
  }
}
