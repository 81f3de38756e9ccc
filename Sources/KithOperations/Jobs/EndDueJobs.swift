// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithWriting

/// Undoes timed changes that have expired, of every signed-in account or of the one to act as: a row for each job.
public struct EndDueJobs: KithOperation {
  /// How each undo is run.
  public var options: JobOptions
  /// Whether they are only listed.
  public var onlyLists: Bool

  public init(options: JobOptions = JobOptions(), onlyListing onlyLists: Bool = false) {
    self.options = options
    self.onlyLists = onlyLists
  }

  /// Why the caller took no more rows, or the task was cancelled; nil if all that is due was handled.
  public typealias Outcome = (any Error)?

  /// - Throws: what the stores throw.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> Outcome {
    let store = try workspace.jobStore()
    if !onlyLists { try await workspace.cancelUnrecorded(in: store, report.note) }
    var due = try await store.due(at: workspace.time.instant)
    if workspace.chosenAccount != nil {
      let account = try await workspace.account().did
      due.removeAll { $0.job.account != account }
    }
    for one in due {
      do {
        // An interrupted run does not throw, and writes to the journal are not cancelled.
        try Task.checkCancellation()
        if !onlyLists { report.note(.jobEnded(try await end(one, in: store, workspace, report))) }
        let summary = try await store.summary(of: one.job.id)
        try await report.rows(try await workspace.rows([summary], in: store))
      } catch {
        return error
      }
    }
    return nil
  }

  /// Undoes one job. An error does not stop the others, but a cancellation does.
  private func end(
    _ due: DueJob, in store: any JobStore, _ workspace: Workspace, _ report: Reporter<JobRow>
  ) async throws -> DueJobEnding {
    do {
      let account = try await workspace.account(of: due.job)
      let engine = workspace.engine(of: account, journal: store)
      let waits = PosixMutex<Datetime?>(nil)
      let (job, end) = try await engine.end(due, options: options) { report.say($0, after: waits) }
      let summary = try await store.summary(of: job.id)
      // Failures of the original change do not affect the undo.
      return .run(JobRunOutcome(summary: summary, end: end), isUndo: summary.job.undoes != nil)
    } catch {
      if let error = error as? JobError, try await isLost(due, error, in: store, workspace) {
        return .elsewhere(due.job.id, isDone: error.code != .held)
      }
      if error is CancellationError { throw error }
      return .failed(due.job.id, error)
    }
  }

  /// Whether another process undoes the job at the same moment, or has done so.
  private func isLost(
    _ due: DueJob, _ error: JobError, in store: any JobStore, _ workspace: Workspace
  ) async throws -> Bool {
    if error.code == .held { return true }
    guard [.wrongState, .undone, .notFound].contains(error.code) else { return false }
    return try await !store.due(at: workspace.time.instant).contains { $0.job.id == due.job.id }
  }
}
