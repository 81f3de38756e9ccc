// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithPosts
import KithRelationships
public import KithWriting

/// Changes relationships of an account: plans, asks if that is wanted, runs the job, and reports what became of each
/// request, in their order.
///
/// What is planned is journaled before anything is sent, so a run that ends early is continued with ``RunJob``.
public struct ChangeRelationships: KithOperation {
  /// The changes.
  public var requests: [RequestedChange]
  /// The account whose relationships change.
  public var account: AuthorizedAccount
  /// Who chose the accounts that are changed.
  public var choice: TargetChoice
  /// What is done, in one or two words: `follow`. Names the job and the rows.
  public var title: String
  /// Whether each row names its own change instead.
  public var namesEachChange = false
  /// The time after which the changes are undone; nil if they are permanent.
  public var lifetime: Duration?
  /// How the job is run, and how much of the write budget it may use.
  public var options = JobOptions()
  /// How long consecutive failures are tolerated if there is only one step to send, because a person is likely to wait
  /// for it; nil for as long as by the options.
  public var patienceForOne: Duration?
  /// Whether any plan is carried out without a question.
  public var isConfirmed = false
  /// Which plans are asked about, besides those that ``choice`` asks about.
  public var needsAnswer: @Sendable (ChangePlan) -> Bool = { _ in false }
  /// The files that records to be written name, to upload them again if the server has deleted them.
  public var files: [UploadedPicture] = []
  /// Removes unwanted steps from a planned change. Called once the facts are known.
  public var narrowing: @Sendable (PlannedChange) async throws -> PlannedChange = { $0 }
  /// What rows of blocks say about what stays: what its look, which the caller runs beside the changes, has found until
  /// each row. Nil for nothing.
  public var remains: OtherRecordsOfBlocked?

  /// - Parameter choice: who chose the accounts: several that the user has not named are asked about.
  public init(
    _ requests: [RequestedChange], as title: String, of account: AuthorizedAccount,
    chosenBy choice: TargetChoice
  ) {
    self.requests = requests
    self.title = title
    self.account = account
    self.choice = choice
  }

  /// The most rows that a question has.
  public static let mostRowsAsked = 50

  /// What became of the changes.
  public struct Outcome: Sendable {
    /// The rows by state.
    public let tally: ChangeTally
    /// The job; nil if there was nothing to send.
    public var job: Job?
    /// How its run ended; nil if there was none.
    public var end: JobEnd?
    /// Whether the job has done what any of the rows asks for.
    public var hasDone = false
    /// Whether a record was replaced on a server that does not compare commits: a change of another app right before that
    /// could be lost.
    public var replacedUncompared = false
    /// Why the caller took no more rows; the job went on. Nil if it took all.
    public var interruption: (any Error)?
  }

  /// - Throws: ``OperationError`` `declined` if the change is declined, and `interrupted` if the task is cancelled before
  ///   anything was journaled; ``UnrecordedChangeError`` if the journal fails before; what `ChangeEngine` throws.
  public func run(in workspace: Workspace, _ report: Reporter<ChangeRow>) async throws -> Outcome {
    let (account, clock) = account.observingClock()
    let engine = workspace.engine(
      of: account, journal: try workspace.jobStoreForChange(), files: files)
    let submission = try await interruptible(workspace) {
      try await engine.submit(
        requests.compactMap(\.named), as: title, lifetime: lifetime, limit: self.options.limit,
        confirmation: ChangeEngine.Confirmation(isNeeded: isAsked) { plan in
          report.say(clock)
          report.note(.planned(plan, isAsked: true))
          let question = OperationQuestion.change(plan, rows: firstRows(of: plan))
          guard try await report.ask(question) else { throw OperationError.declined }
        }, narrowing: narrowing
      ) { report.progress?(.reached($0)) }
    }
    var faults: Set<RelationshipError.Code> = []
    report.say(submission.plan, after: &faults)
    if !isAsked(about: submission.plan) {
      if submission.job != nil { report.say(clock) }
      if submission.plan.unkeptFiles > 0 { report.note(.filesNotRestorable(submission.plan.unkeptFiles)) }
      report.note(.planned(submission.plan, isAsked: false))
    }
    guard let job = submission.job else {
      // A timer that had nothing to do is not the last thing that the user did.
      if !requests.isEmpty { await workspace.remember(title, by: account.did, changed: false) }
      await remains?.look()
      return Outcome(tally: try await hand(rows(of: submission.plan), to: report))
    }
    let steps = submission.plan.stepCount
    report.note(.jobCreated(job.id, steps: steps))
    var options = options
    if steps == 1, let patienceForOne { options.patience = patienceForOne }
    return try await carryOut(job, submission, options, engine, report)
  }

  /// Whether a plan is asked about.
  private func isAsked(about plan: ChangePlan) -> Bool {
    !isConfirmed && (choice.needsAnswer(to: plan) || needsAnswer(plan))
  }

  /// Runs the planning. If it fails, the last thing that the account did has changed nothing, unless the answer was no.
  private func interruptible<Value>(
    _ workspace: Workspace, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch {
      if (error as? OperationError)?.code != .declined {
        // The error says more.
        await workspace.remember(title, by: account.did, changed: false)
      }
      throw Task.isCancelled ? OperationError.interrupted : UnrecordedChangeError.wrapping(error)
    }
  }

  // MARK: Rows

  private func rows(
    of plan: ChangePlan, _ requests: [RequestedChange]? = nil, job: JobID? = nil, until: Datetime? = nil,
    ifTaken taken: ChangeRow.State = .pending, after tally: ChangeTally = ChangeTally()
  ) -> ChangeRows {
    ChangeRows(
      requests ?? self.requests, plan, title: title, namingEach: namesEachChange, job: job, until: until,
      ifTaken: taken, beside: remains, after: tally)
  }

  /// The first rows of what a plan changes.
  private func firstRows(of plan: ChangePlan) -> [ChangeRow] {
    var (all, first) = (rows(of: plan, ifTaken: .planned), [ChangeRow]())
    while first.count < Self.mostRowsAsked, let row = all.next(whatever: true) {
      if row.state == .planned { first.append(row) }
    }
    return first
  }

  /// Hands over all rows.
  @discardableResult private func hand(
    _ rows: ChangeRows, to report: Reporter<ChangeRow>
  ) async throws -> ChangeTally {
    var rows = rows
    var batch = RowBatch(to: report)
    while let row = rows.next(whatever: true) { try await batch.append(row) }
    try await batch.flush()
    return rows.tally
  }

  // MARK: Running

  private func carryOut(
    _ job: Job, _ submission: ChangeEngine.Submission, _ options: JobOptions, _ engine: ChangeEngine,
    _ report: Reporter<ChangeRow>
  ) async throws -> Outcome {
    var rows = rows(of: submission.plan, job: job.id, until: job.until)
    var batch = RowBatch(to: report)
    var interruption: (any Error)?
    let (outcomes, continuation) = AsyncStream.makeStream(of: JobProgress.self)
    async let ending = {
      defer { continuation.finish() }
      return try await engine.run(job.id, plannedBy: submission.facts, options: options, report) {
        continuation.yield($0)
      }
    }()
    for await progress in outcomes {
      rows.add(progress.outcomes, as: progress.steps)
      // A caller that takes no more rows does not stop the job.
      guard interruption == nil else { continue }
      do {
        while let row = rows.next() { try await batch.append(row) }
        try await batch.flush()
      } catch {
        interruption = error
      }
    }
    let end = try await ending
    rows.add(try await engine.journal.leftItems(of: job.id))
    while let row = rows.next(whatever: true) {
      guard interruption == nil else { continue }
      do { try await batch.append(row) } catch { interruption = error }
    }
    if interruption == nil { do { try await batch.flush() } catch { interruption = error } }
    let isCompared = await engine.comparesCommits
    return Outcome(
      tally: rows.tally, job: job, end: end, hasDone: rows.hasDone,
      replacedUncompared: !isCompared && rows.hasDone && submission.plan.replacesRecords,
      interruption: interruption)
  }
}

extension ChangeEngine {
  /// Runs a job, and reports its progress.
  ///
  /// - Parameter take: receives the outcomes of items.
  func run(
    _ job: JobID, plannedBy facts: FactsStamp? = nil, options: JobOptions, _ report: Reporter<some Sendable>,
    taking take: @escaping @Sendable (JobProgress) -> Void = { _ in }
  ) async throws -> JobEnd {
    let waits = PosixMutex<Datetime?>(nil)
    do {
      let end = try await run(job, plannedBy: facts, options: options) { progress in
        if !progress.outcomes.isEmpty { take(progress) }
        report.say(progress, after: waits)
      }
      if try await hasMadeEdgesUncompared(job) { report.note(.edgesMadeUncompared) }
      return end
    } catch {
      if UnrecordedChangeError.wrapping(error) is UnrecordedChangeError { report.note(.jobInterrupted(job)) }
      throw error
    }
  }
}

extension Reporter {
  /// Reports the progress of a job, and each of its waits once.
  func say(_ progress: JobProgress, after waits: PosixMutex<Datetime?>) {
    self.progress?(.job(progress))
    guard let until = progress.waitsUntil, let wait = progress.wait else { return }
    let isNews = waits.withLock { last in
      defer { last = until }
      return last != until
    }
    if isNews { note(.jobWaiting(progress.job, until: until, wait)) }
  }

  /// Warns if new records are about to get wrong dates.
  func say(_ clock: ServerClock?) {
    if let lead = clock?.difference { note(.clockDiffers(serverLead: lead)) }
  }

  /// Reports what could not be read for a plan.
  ///
  /// - Parameters:
  ///   - seen: what was reported for other plans.
  ///   - records: whether own records that cannot be read are reported.
  func say(
    _ plan: ChangePlan, after seen: inout Set<RelationshipError.Code>, withRecords records: Bool = true
  ) {
    if records { UnreadableRecords(.ownRecord, note).add(plan.unreadable) }
    for fault in plan.faults where seen.insert(fault.code).inserted { note(.relationshipsNotLearned(fault)) }
  }
}

extension JobStore {
  /// The unfinished items of a job, by position.
  fileprivate func leftItems(of job: JobID) async throws -> [Int: JobItemState] {
    let items = try await items(of: job, in: [.pending, .inDoubt, .cancelled], after: nil, most: .max)
    return Dictionary(items.map { ($0.position, $0.state) }) { first, _ in first }
  }
}
