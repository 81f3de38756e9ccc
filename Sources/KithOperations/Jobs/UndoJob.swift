// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithWriting

/// Undoes what a job did, the last one first; an undo is a job of its own. Its row comes at the end.
public struct UndoJob: KithOperation {
  /// The job; nil for the last change of the account.
  public var job: JobID?
  /// How the undo is run.
  public var options: JobOptions
  /// Whether more than one change is asked about.
  public var asks: Bool

  public init(_ job: JobID? = nil, options: JobOptions = JobOptions(), asking asks: Bool = false) {
    self.job = job
    self.options = options
    self.asks = asks
  }

  /// How an undo ended.
  public enum Outcome: Sendable {
    /// The undo was run.
    case run(JobRunOutcome)
    /// The job is undone already.
    case undoneBefore(JobID)
  }

  /// - Throws: ``OperationError`` `nothingToUndo`, `declined`, `jobOfAnotherAccount`; ``UnrecordedChangeError``; what
  ///   `ChangeEngine` throws.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> Outcome {
    let store = try workspace.jobStore()
    let summary: JobSummary
    if let job {
      summary = try await store.summary(of: job)
    } else {
      summary = try await last(in: store, workspace, report.note)
    }
    try await workspace.check(summary.job)
    if asks, summary.counts[.done] > 1, try await !report.ask(.undo(summary)) {
      throw OperationError.declined
    }
    let account = try await workspace.account(of: summary.job)
    let engine = workspace.engine(of: account, journal: store)
    let undo: ChangeEngine.Undo
    do { undo = try await engine.undo(summary.job.id) } catch let error as JobError
      where error.code == .undone
    {
      // What was asked for is so: another run has done it, or this is a repetition.
      let summary = try await store.summary(of: summary.job.id)
      try await report.rows(try await workspace.rows([summary], in: store))
      return .undoneBefore(summary.job.id)
    } catch {
      throw UnrecordedChangeError.wrapping(error)
    }
    if undo.goingAlong > 0 { report.note(.undoneAlong(undo.goingAlong)) }
    return .run(try await engine.finish(undo.job.id, options, workspace, report))
  }

  /// The last job of the account with changes that are not undone.
  private func last(
    in store: any JobStore, _ workspace: Workspace, _ note: (Note) -> Void
  ) async throws -> JobSummary {
    let summaries = try await store.summaries(of: try await workspace.account().did)
      .filter { $0.job.undoes == nil && $0.isToUndo }
    guard let newest = summaries.last else { throw OperationError.nothingToUndo }
    // A job that is running now may be about to change something; the engine says what to do with it, as it does if no
    // job has changed anything.
    guard newest.holder == nil else { return newest }
    guard let last = summaries.last(where: \.hasChanges), last.job.id != newest.job.id else { return newest }
    note(.jobPassedOver(newest.job.id))
    return last
  }
}

extension JobSummary {
  /// Whether it has changed something, or may have.
  fileprivate var hasChanges: Bool { counts[.done] > 0 || counts[.inDoubt] > 0 }

  /// Whether it has changed something, or may do so.
  fileprivate var isToUndo: Bool { hasChanges || !job.state.isEnded }
}
