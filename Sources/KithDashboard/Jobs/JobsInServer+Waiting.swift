// SPDX-License-Identifier: Apache-2.0

import KithOperations

extension JobsInServer {
  /// Runs an operation that sends changes to its end, whether or not its page is still waited for. It has to go on without an
  /// answer to its questions.
  ///
  /// - Throws: what the operation throws; `CancellationError` if the caller no longer waits.
  func finish<Operation: KithOperation>(
    _ operation: Operation, in workspace: Workspace, most: Int
  ) async throws -> GatheredRun<Operation.Row, Operation.Outcome> {
    let (runs, run) = AsyncThrowingStream.makeStream(
      of: GatheredRun<Operation.Row, Operation.Outcome>.self)
    begin { [events] in
      do {
        run.yield(try await GatheredRun(operation, in: workspace, most: most, endingThere: false))
        run.finish()
      } catch {
        run.finish(throwing: error)
      }
      events.publish(DashboardEvent(.jobs))
    }
    for try await first in runs { return first }
    throw CancellationError()
  }
}
