// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

/// How long people took to answer the questions of a command: not a part of what the command costs.
final class QuestionTime: Sendable {
  private let sum = PosixMutex(Duration.zero)

  /// The time so far.
  var total: Duration { sum.withLock(\.self) }

  /// Asks a question, and counts the time until it is answered.
  func measuring<Answer>(
    by time: TimeSource, isolation: isolated (any Actor)? = #isolation, _ ask: () async throws -> Answer
  ) async rethrows -> Answer {
    let start = time.now
    defer {
      let span = time.now - start
      sum.withLock { $0 += span }
    }
    return try await ask()
  }
}
