// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

extension JobsInServer {
  /// Carries out an order. What sends changes is begun, and goes on when the page is closed.
  ///
  /// - Throws: what the operation throws before it has begun.
  func carryOut(_ order: JobOrder, in workspace: Workspace) async throws -> JobAnswer {
    switch order.action {
    case .approve:
      return try await begin(ApproveJob(order.job, digest: order.digest), order, in: workspace)
    case .resume: return try await begin(RunJob(order.job), order, in: workspace)
    case .retry: return try await begin(RunJob(order.job, .retryFailed), order, in: workspace)
    case .undo: return try await begin(UndoJob(order.job, asking: true), order, in: workspace)
    case .reject: return try await end(RejectJob(order.job), in: workspace)
    case .pause: return try await end(StopJob(order.job, finally: false), in: workspace)
    case .cancel: return try await end(StopJob(order.job, finally: true), in: workspace)
    }
  }

  private func end(_ operation: some KithOperation, in workspace: Workspace) async throws -> JobAnswer {
    let run = try await GatheredRun(operation, in: workspace, most: 1, endingThere: false)
    events.publish(DashboardEvent(.jobs))
    return .done(run.outcome.ending)
  }

  /// Begins an operation that sends changes, and returns as soon as it is known how it goes on.
  private func begin(
    _ operation: some KithOperation, _ order: JobOrder, in workspace: Workspace
  ) async throws -> JobAnswer {
    try await firstAnswer { [events, memory] answer in
      answer(.done(try await Self.run(operation, order, in: workspace, events, memory, answer)))
    }
  }

  private static func run<Operation: KithOperation>(
    _ operation: Operation, _ order: JobOrder, in workspace: Workspace, _ events: EventHub,
    _ memory: DashboardMemory?, _ answer: @escaping @Sendable (JobAnswer) -> Void
  ) async throws -> Ending {
    let remembered = RememberedJob(memory)
    defer { remembered.end() }
    let reporter = Reporter<Operation.Row>(
      rows: { _ in },
      progress: { progress in
        guard case .job(let progress) = progress else { return }
        remembered.reach(progress.job)
        answer(.running(progress.job))
        events.publish(DashboardEvent(.progress, progress.fields))
      },
      ask: { question in
        if !order.isConfirmed { answer(.asks(question)) }
        return order.isConfirmed
      })
    return try await workspace.run(operation, reporter).outcome.ending
  }
}
