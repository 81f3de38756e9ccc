// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// Limits how often sessions of an account may be requested, successfully or not.
struct LoginLimit: Sendable {
  /// The limit of the reference server.
  private static let limit = SandboxRateLimit(answers: 30, seconds: 300)

  private var windows: [Int: RateLimitWindow] = [:]

  /// Counts an attempt.
  ///
  /// - Returns: the header fields that report how many attempts are left.
  /// - Throws: ``XRPCFault`` 429 if none is left.
  mutating func attempt(_ account: Int, at now: Instant) throws(XRPCFault) -> [HeaderField] {
    let standing = windows[account, default: RateLimitWindow(Self.limit)].arrived(at: now)
    guard !standing.isRefused else { throw Self.limit.refusal(standing, at: now) }
    return Self.limit.fields(standing)
  }
}
