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
    let (observed, clock) = account.observingClock()
    let engine = workspace.engine(of: observed, journal: store)
    let asks = !isConfirmed && digest == nil
    let submission: ChangeEngine.Submission
    do {
      submission = try await engine.confirm(
        job, digest: digest, limit: options.limit,
        confirmation: ChangeEngine.Confirmation(isNeeded: { _ in asks }) { plan in
          report.say(clock)
          report.note(.planned(plan, isAsked: true))
          let question = PlannedQuestion(
            title: title, plan: plan, rows: firstRows(of: plan, title), concern: nil, agreed: 0)
          guard try await report.ask(.change(question)) else { throw OperationError.declined }
        }
      ) { report.progress?(.reached($0)) }
    } catch let error as OperationError where error.code == .declined {
      return ChangeRunOutcome(title, account, isDeclined: true)
    } catch {
      throw Task.isCancelled ? OperationError.interrupted : UnrecordedChangeError.wrapping(error)
    }
    var faults: Set<RelationshipError.Code> = []
    report.say(submission.plan, after: &faults)
    if !asks {
      report.say(clock)
      if submission.plan.unkeptFiles > 0 { report.note(.filesNotRestorable(submission.plan.unkeptFiles)) }
      report.note(.planned(submission.plan, isAsked: false))
    }
    var outcome = ChangeRunOutcome(title, account)
    try await run(submission, engine, report, &outcome)
    return outcome
  }

  // MARK: Rows

  private func rows(
    of plan: ChangePlan, _ title: ChangeTitle, job: Job? = nil, ifTaken taken: ChangeRow.State = .pending
  ) -> ChangeRows {
    ChangeRows(
      plan.requests.map {
        RequestedChange($0.input, .success($0.intent), isResolved: $0.isResolved, until: $0.until)
      }, plan, title: title.name, namingEach: title.namesEachChange, job: job?.id, until: job?.until,
      ifTaken: taken)
  }

  /// The first rows of what a plan changes.
  private func firstRows(of plan: ChangePlan, _ title: ChangeTitle) -> [ChangeRow] {
    var (all, first) = (rows(of: plan, title, ifTaken: .planned), [ChangeRow]())
    while first.count < PlannedQuestion.mostRows, let row = all.next(whatever: true) {
      if row.state == .planned { first.append(row) }
    }
    return first
  }

  // MARK: Running

  /// Runs the job, and hands over each row once it is settled.
  private func run(
    _ submission: ChangeEngine.Submission, _ engine: ChangeEngine, _ report: Reporter<ChangeRow>,
    _ outcome: inout ChangeRunOutcome
  ) async throws {
    var rows = rows(of: submission.plan, outcome.title, job: submission.job)
    var batch = RowBatch(to: report)
    if let job = submission.job {
      let (settled, continuation) = AsyncStream.makeStream(of: JobProgress.self)
      async let ending = { [options] in
        defer { continuation.finish() }
        return try await engine.run(job.id, plannedBy: submission.facts, options: options, report) {
          continuation.yield($0)
        }
      }()
      for await progress in settled {
        rows.add(progress.outcomes, as: progress.steps)
        // A caller that takes no more rows does not stop the job.
        guard outcome.interruption == nil else { continue }
        do {
          while let row = rows.next() { try await batch.append(row) }
          try await batch.flush()
        } catch {
          outcome.interruption = error
        }
      }
      (outcome.job, outcome.end) = (job, try await ending)
      var left = JobItems(of: job.id, in: engine.journal, states: [.pending, .inDoubt, .cancelled])
      while let item = try await left.next() { rows.add([item.position: item.state]) }
    }
    while let row = rows.next(whatever: true) {
      guard outcome.interruption == nil else { continue }
      do { try await batch.append(row) } catch { outcome.interruption = error }
    }
    if outcome.interruption == nil { do { try await batch.flush() } catch { outcome.interruption = error } }
    (outcome.tally, outcome.hasDone) = (rows.tally, rows.hasDone)
    let isCompared = await engine.comparesCommits
    outcome.replacedUncompared = !isCompared && rows.hasDone && submission.plan.replacesRecords
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
