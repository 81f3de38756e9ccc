// SPDX-License-Identifier: Apache-2.0

/// How often sessions of an account may be asked for, rightly or wrongly.
struct LoginLimit: Sendable {
  /// As the reference server has it.
  private static let limit = Sandbox.RateLimit(answers: 30, seconds: 300)

  private var windows: [Int: AnswerWindow] = [:]

  /// Counts an attempt.
  ///
  /// - Parameter now: microseconds since 1970.
  /// - Returns: the fields that tell how many are left.
  /// - Throws: ``XRPCFault`` 429 where none is left.
  mutating func attempt(_ account: Int, at now: Int64) throws(XRPCFault) -> [SandboxAnswer.Field] {
    let standing = windows[account, default: AnswerWindow(Self.limit)].arrived(at: now)
    guard !standing.isRefused else { throw Self.limit.refusal(standing, at: now) }
    return Self.limit.fields(standing)
  }
}
