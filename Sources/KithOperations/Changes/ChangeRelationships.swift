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
  /// Whether a plan is asked about.
  public var needsAnswer: @Sendable (ChangePlan) -> Bool = { _ in false }
  /// Whether the rows of a plan are reported before the question.
  public var showsPlan = false
  /// The files that records to be written name, to upload them again if the server has deleted them.
  public var files: [UploadedPicture] = []
  /// Removes from a planned change what is not wanted.
  public var narrowing: @Sendable (PlannedChange) -> PlannedChange = { $0 }

  public init(_ requests: [RequestedChange], as title: String, of account: AuthorizedAccount) {
    self.requests = requests
    self.title = title
    self.account = account
  }

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

  /// - Throws: ``OperationError`` `declined` if the answer is no, and `interrupted` if the task is cancelled before
  ///   anything was journaled; ``UnrecordedChangeError`` if the journal fails before; what `ChangeEngine` throws.
  public func run(in workspace: Workspace, _ report: Reporter<ChangeRow>) async throws -> Outcome {
    let (account, clock) = account.observingClock()
    let engine = workspace.engine(
      of: account, journal: try workspace.jobStoreForChange(), files: files)
    let submission = try await interruptible {
      try await engine.submit(
        requests.compactMap(\.named), as: title, lifetime: lifetime, limit: self.options.limit,
        confirmation: ChangeEngine.Confirmation(isNeeded: needsAnswer) { plan in
          report.say(clock)
          report.note(.planned(plan, isAsked: true))
          if showsPlan { try await hand(rows(of: plan, ifTaken: .planned), to: report) }
          guard try await report.ask(.change(plan)) else { throw OperationError.declined }
        }, narrowing: narrowing
      ) { report.progress?(.reached($0)) }
    }
    var faults: Set<RelationshipError.Code> = []
    report.say(submission.plan, after: &faults)
    if !needsAnswer(submission.plan) {
      if submission.job != nil { report.say(clock) }
      report.note(.planned(submission.plan, isAsked: false))
    }
    guard let job = submission.job else {
      return Outcome(tally: try await hand(rows(of: submission.plan), to: report))
    }
    let steps = submission.plan.stepCount
    report.note(.jobCreated(job.id, steps: steps))
    var options = options
    if steps == 1, let patienceForOne { options.patience = patienceForOne }
    return try await carryOut(job, submission, options, engine, report)
  }

  /// Runs the planning.
  private func interruptible<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch {
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
      ifTaken: taken,
      after: tally)
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
      return try await run(job, plannedBy: facts, options: options) { progress in
        if !progress.outcomes.isEmpty { take(progress) }
        report.say(progress, after: waits)
      }
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

  /// Clocks that differ by more, in seconds, give records dates that are plainly wrong.
  private static var clockTolerance: Int { 300 }

  /// Warns if new records are about to get wrong dates.
  func say(_ clock: ServerClock?) {
    guard let lead = clock?.serverLead, lead.components.seconds.magnitude > Self.clockTolerance else {
      return
    }
    note(.clockDiffers(serverLead: lead))
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
