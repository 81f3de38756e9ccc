// SPDX-License-Identifier: Apache-2.0

import KithOperations

extension JobsInServer {
  /// Runs something that sends changes to its end, whether or not its page is still waited for, and returns the first answer
  /// that it gives. Pages are told when it has ended.
  ///
  /// - Throws: what it throws before it has answered; `CancellationError` if the caller no longer waits.
  func firstAnswer<Answer: Sendable>(
    _ work: @escaping @Sendable (_ answer: @escaping @Sendable (Answer) -> Void) async throws -> Void
  ) async throws -> Answer {
    let (answers, continuation) = AsyncThrowingStream.makeStream(of: Answer.self)
    begin { [events] in
      defer { events.publish(DashboardEvent(.jobs)) }
      do {
        try await work { continuation.yield($0) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    for try await first in answers { return first }
    throw CancellationError()
  }

  /// Runs an operation that sends changes to its end. It has to go on without an answer to its questions.
  ///
  /// - Throws: what the operation throws; `CancellationError` if the caller no longer waits.
  func finish<Operation: KithOperation>(
    _ operation: Operation, in workspace: Workspace, most: Int
  ) async throws -> GatheredRun<Operation.Row, Operation.Outcome> {
    try await firstAnswer { answer in
      answer(try await GatheredRun(operation, in: workspace, most: most, endingThere: false))
    }
  }
}
