// SPDX-License-Identifier: Apache-2.0

extension Sandbox.RateLimit {
  /// The header fields in which the reference server reports how much is left.
  func fields(_ standing: AnswerWindow.Standing) -> [SandboxAnswer.Field] {
    typealias Field = SandboxAnswer.Field
    return [
      Field(name: "RateLimit-Limit", value: "\(answers)"),
      Field(name: "RateLimit-Remaining", value: "\(standing.remaining)"),
      Field(name: "RateLimit-Reset", value: "\(standing.end / 1_000_000)"),
      Field(name: "RateLimit-Policy", value: "\(answers);w=\(seconds)"),
    ]
  }

  /// Returns the reference server's answer to a caller over the limit.
  ///
  /// - Parameter now: microseconds since 1970.
  func refusal(_ standing: AnswerWindow.Standing, at now: Int64) -> XRPCFault {
    let seconds = (standing.end - now + 999_999) / 1_000_000
    return XRPCFault(
      status: 429, name: "RateLimitExceeded", message: "Rate Limit Exceeded",
      fields: fields(standing) + [SandboxAnswer.Field(name: "Retry-After", value: "\(seconds)")])
  }
}
