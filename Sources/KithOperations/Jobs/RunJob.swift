// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithWriting

/// Continues a job where it stopped, or tries its failed items again. Its row comes at the end.
public struct RunJob: KithOperation {
  public static let name = "runJob"

  /// What is done.
  public enum Action: Sendable {
    /// Continues it. Items that were sent but not answered are checked first.
    case resume
    /// Tries failed items again.
    case retryFailed
  }

  /// The job.
  public var job: JobID
  /// What is done.
  public var action: Action
  /// How it is run.
  public var options: JobOptions

  public init(_ job: JobID, _ action: Action = .resume, options: JobOptions = JobOptions()) {
    self.job = job
    self.action = action
    self.options = options
  }

  /// - Throws: ``OperationError`` if the job is not to be run; `JobError`; `SessionError` if its account is not signed
  ///   in; what the journal throws.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> JobRunOutcome {
    let store = try workspace.jobStore()
    guard let found = try await jobToRun(in: store, workspace) else {
      let summary = try await store.summary(of: job)
      if action == .resume { try await report.rows(try await workspace.rows([summary], in: store)) }
      return JobRunOutcome(summary: summary, end: nil)
    }
    let account = try await workspace.account(of: found)
    if found.undoes == nil { await workspace.remember(found) }
    return try await workspace.engine(of: account, journal: store).finish(job, options, workspace, report)
  }

  /// The job; nil if there is nothing to do.
  private func jobToRun(in store: any JobStore, _ workspace: Workspace) async throws -> Job? {
    switch action {
    case .resume:
      let found = try await store.job(job)
      // Resuming a finished job is not an error: another process may have finished it.
      if found.state == .done { return nil }
      try await workspace.checkIsWrittenDown(job, in: store)
      return found
    case .retryFailed:
      try await workspace.check(try await store.job(job))
      try await workspace.checkIsWrittenDown(job, in: store)
      let summary = try await store.summary(of: job)
      // A killed run leaves the job in the running state; it has to be resumed first.
      if summary.job.state == .running, summary.holder == nil { throw OperationError.jobToResumeFirst(job) }
      _ = try await workspace.account(of: summary.job)
      return try await store.retryFailed(job) > 0 ? summary.job : nil
    }
  }
}

extension ChangeEngine {
  /// Runs a job to its end, and reports its row.
  func finish(
    _ job: JobID, _ options: JobOptions, _ workspace: Workspace, _ report: Reporter<JobRow>
  ) async throws -> JobRunOutcome {
    let end = try await run(job, options: options, report)
    let summary = try await journal.summary(of: job)
    try await report.rows(try await workspace.rows([summary], in: journal))
    return JobRunOutcome(summary: summary, end: end)
  }
}
