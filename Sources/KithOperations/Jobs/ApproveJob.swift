// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
public import KithWriting

/// Carries out a change that was proposed if it would still do exactly what was shown, and reports what became of each
/// request, in their order. It asks first, unless the digest says what is approved.
///
/// From then on it is a job like any other: one that ends early is continued with ``RunJob``.
public struct ApproveJob: KithOperation {
  public static let name = "approveJob"

  /// The job.
  public var job: JobID
  /// What is approved; nil for whatever was proposed.
  public var digest: PlanDigest?
  /// Whether it is carried out without a question.
  public var isConfirmed: Bool
  /// How the job is run, and how much of the write budget it may use.
  public var options: JobOptions

  public init(
    _ job: JobID, digest: PlanDigest? = nil, confirmed isConfirmed: Bool = false,
    options: JobOptions = JobOptions()
  ) {
    (self.job, self.digest, self.isConfirmed, self.options) = (job, digest, isConfirmed, options)
  }

  /// - Throws: ``OperationError`` `jobOfAnotherAccount`, and `interrupted` if the task is cancelled before anything was
  ///   journaled; `SessionError` if its account is not signed in; ``UnrecordedChangeError`` if the journal fails before;
  ///   what `ChangeEngine.confirm` throws.
  public func run(in workspace: Workspace, _ report: Reporter<ChangeRow>) async throws -> ChangeRunOutcome {
    let store = try workspace.jobStoreForChange()
    let found = try await store.job(job)
    try await workspace.check(found)
    let account = try await workspace.account(of: found)
    let title = ChangeTitle(found.title, "made", noun: "change", imperative: "Make", namesEachChange: true)
    let run = ChangeRun(
      prepared: PreparedChanges([]), title: title, rule: .always, asks: !isConfirmed && digest == nil,
      lifetime: nil, options: options, patienceForOne: nil, workspace: workspace, report: report)
    do {
      return try await run.approve(job, digest, as: account, in: store)
    } catch let error as OperationError where error.code == .declined {
      return ChangeRunOutcome(title, account, isDeclined: true)
    }
  }
}

/// Rejects a change that was proposed, so that it can no longer be approved. Its row comes at the end.
public struct RejectJob: KithOperation {
  public static let name = "rejectJob"

  /// The job.
  public var job: JobID

  public init(_ job: JobID) { self.job = job }

  /// - Throws: `JobError`; ``OperationError`` `jobOfAnotherAccount`; what the stores and the caller throw.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> CompletedOutcome {
    let store = try workspace.jobStore()
    try await workspace.check(try await store.job(job))
    try await JobManager(journal: store, time: workspace.time).reject(job)
    let summary = try await store.summary(of: job)
    try await report.rows(try await workspace.rows([summary], in: store))
    return CompletedOutcome()
  }
}
