// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithPosts
import KithRelationships
import KithWriting

/// Plans prepared changes and carries them out, or only shows them: what ``Change`` does for any source.
struct ChangeRun {
  let prepared: PreparedChanges
  let title: ChangeTitle
  let rule: ConfirmationRule
  let asks: Bool
  let lifetime: Duration?
  let options: JobOptions
  let patienceForOne: Duration?
  let workspace: Workspace
  let report: Reporter<ChangeRow>

  // MARK: Carrying out

  /// Plans, asks, uploads, and runs the job.
  func carryOut(as account: AuthorizedAccount) async throws -> ChangeRunOutcome {
    let (observed, clock) = account.observingClock()
    let engine = workspace.engine(
      of: observed, journal: try workspace.jobStoreForChange(), files: files.map(\.file))
    let submission = try await interruptible(account) {
      try await engine.submit(
        prepared.requests.compactMap(\.named), as: title.name, lifetime: lifetime, limit: options.limit,
        confirmation: ChangeEngine.Confirmation {
          isAsked(about: $0) || uploads
        } ask: { plan in
          if isAsked(about: plan) {
            report.say(clock)
            say(plan, isAsked: true)
            guard try await report.ask(.change(question(about: plan))) else { throw OperationError.declined }
          }
          if uploads { try await upload(as: account) }
        }, narrowing: prepared.narrowing
      ) { report.progress?(.reached($0)) }
    }
    return try await finish(submission, engine, clock, as: account)
  }

  /// Says what a plan is, runs its job, and hands over the rows.
  private func finish(
    _ submission: ChangeEngine.Submission, _ engine: ChangeEngine, _ clock: ServerClock?,
    as account: AuthorizedAccount
  ) async throws -> ChangeRunOutcome {
    let plan = submission.plan
    var faults: Set<RelationshipError.Code> = []
    report.say(plan, after: &faults)
    if !isAsked(about: plan) {
      if submission.job != nil { report.say(clock) }
      if plan.unkeptFiles > 0 { report.note(.filesNotRestorable(plan.unkeptFiles)) }
      say(plan, isAsked: false)
    }
    var outcome = ChangeRunOutcome(title, account)
    guard let job = submission.job else {
      // A timer that had nothing to do is not the last thing that the user did.
      if !prepared.requests.isEmpty { await workspace.remember(title.name, by: account.did, changed: false) }
      await prepared.remains?.look()
      outcome.tally = try await hand(rows(of: plan))
      return outcome
    }
    report.note(.jobCreated(job.id, steps: plan.stepCount))
    try await run(job, submission, engine, &outcome)
    return outcome
  }

  /// The pictures, as the server has named them or is expected to.
  private var files: [UploadedPicture] {
    if !prepared.uploaded.isEmpty { return prepared.uploaded }
    return prepared.pictures.compactMap { picture in
      picture.expectedBlob.map { UploadedPicture(picture, as: $0) }
    }
  }

  /// Whether pictures have to be uploaded.
  private var uploads: Bool { !prepared.pictures.isEmpty && prepared.uploaded.isEmpty }

  private func isAsked(about plan: ChangePlan) -> Bool {
    asks && !plan.isEmpty
      && (rule.asks(about: plan, agreedTo: prepared.agreed) || prepared.concern(plan) != nil)
  }

  private func question(about plan: ChangePlan) -> PlannedQuestion {
    PlannedQuestion(
      title: title, plan: plan, rows: firstRows(of: plan), concern: prepared.concern(plan),
      agreed: prepared.agreed)
  }

  private func say(_ plan: ChangePlan, isAsked: Bool) {
    for note in prepared.notes(plan) { report.note(.preparing(note)) }
    report.note(.planned(plan, isAsked: isAsked))
  }

  /// Uploads the pictures, once they are agreed to. The plan names each as it is expected to be named.
  ///
  /// - Throws: ``PreparedChanges/Revision`` if the server names one otherwise, such as with another type.
  private func upload(as account: AuthorizedAccount) async throws {
    var uploaded: [UploadedPicture] = []
    for picture in prepared.pictures { uploaded.append(try await upload(picture, as: account)) }
    guard uploaded != files, let naming = prepared.naming else { return }
    var renamed = prepared
    renamed.requests = naming(uploaded.map(\.blob))
    renamed.uploaded = uploaded
    // The pictures are the same, so the answer counts.
    throw PreparedChanges.Revision(isAnswered: true) { [renamed] in renamed }
  }

  /// Uploads a picture, for as long as failures of the change are tolerated.
  private func upload(_ picture: Picture, as account: AuthorizedAccount) async throws -> UploadedPicture {
    let end = workspace.time.now + (patienceForOne ?? options.patience)
    while true {
      do { return try await account.upload(picture) } catch let error as RelationshipError
        where error.code == .networkError
      {
        let wait = ErrorFields.retryAfter(error) ?? .seconds(1)
        guard workspace.time.now + wait < end else { throw error }
        try await workspace.time.sleep(for: wait)
      }
    }
  }

  /// Runs the planning. If it fails, the last thing that the account did has changed nothing, unless the answer was no.
  private func interruptible<Value>(
    _ account: AuthorizedAccount, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let revision as PreparedChanges.Revision {
      throw revision
    } catch {
      if (error as? OperationError)?.code == .declined { throw error }
      // The error says more.
      await workspace.remember(title.name, by: account.did, changed: false)
      throw Task.isCancelled ? OperationError.interrupted : UnrecordedChangeError.wrapping(error)
    }
  }

  private func run(
    _ job: Job, _ submission: ChangeEngine.Submission, _ engine: ChangeEngine,
    _ outcome: inout ChangeRunOutcome
  ) async throws {
    var options = options
    if submission.plan.stepCount == 1, let patienceForOne { options.patience = patienceForOne }
    var rows = rows(of: submission.plan, job: job.id, until: job.until)
    var batch = RowBatch(to: report)
    let (outcomes, continuation) = AsyncStream.makeStream(of: JobProgress.self)
    async let ending = { [options] in
      defer { continuation.finish() }
      return try await engine.run(job.id, plannedBy: submission.facts, options: options, report) {
        continuation.yield($0)
      }
    }()
    for await progress in outcomes {
      rows.add(progress.outcomes, as: progress.steps)
      // A caller that stops reading rows does not stop the job.
      guard outcome.interruption == nil else { continue }
      do {
        while let row = rows.next() { try await batch.append(row) }
        try await batch.flush()
      } catch {
        outcome.interruption = error
      }
    }
    let end = try await ending
    rows.add(try await engine.journal.leftItems(of: job.id))
    while let row = rows.next(whatever: true) {
      guard outcome.interruption == nil else { continue }
      do { try await batch.append(row) } catch { outcome.interruption = error }
    }
    if outcome.interruption == nil { do { try await batch.flush() } catch { outcome.interruption = error } }
    (outcome.tally, outcome.job, outcome.end, outcome.hasDone) = (rows.tally, job, end, rows.hasDone)
    let isCompared = await engine.comparesCommits
    outcome.replacedUncompared = !isCompared && rows.hasDone && submission.plan.replacesRecords
  }

  // MARK: Proposing

  /// Journals the plan as a job that waits for a yes.
  func propose(as account: AuthorizedAccount) async throws -> ChangeRunOutcome {
    let (observed, clock) = account.observingClock()
    let engine = workspace.engine(of: observed, journal: try workspace.jobStoreForChange())
    let proposal = try await interruptible(account) {
      try await engine.propose(
        prepared.requests.compactMap(\.named), as: title.name, lifetime: lifetime, limit: options.limit,
        files: files.map(\.file), narrowing: prepared.narrowing
      ) { report.progress?(.reached($0)) }
    }
    var faults: Set<RelationshipError.Code> = []
    report.say(proposal.plan, after: &faults)
    report.say(clock)
    say(proposal.plan, isAsked: false)
    var outcome = ChangeRunOutcome(title, account)
    outcome.tally = try await hand(
      rows(of: proposal.plan, proposal: proposal.job?.id, ifTaken: .planned))
    (outcome.job, outcome.proposed) = (proposal.job, proposal.job == nil ? nil : proposal.digest)
    return outcome
  }

  /// Carries out a proposal if it would still do exactly what was shown.
  func approve(
    _ job: JobID, _ digest: PlanDigest?, as account: AuthorizedAccount, in store: any JobStore
  ) async throws -> ChangeRunOutcome {
    let (observed, clock) = account.observingClock()
    let engine = workspace.engine(of: observed, journal: store)
    let submission: ChangeEngine.Submission
    do {
      submission = try await engine.confirm(
        job, digest: digest, limit: options.limit,
        confirmation: ChangeEngine.Confirmation {
          isAsked(about: $0)
        } ask: { plan in
          report.say(clock)
          guard try await report.ask(.change(planned(plan).question(about: plan))) else {
            throw OperationError.declined
          }
        }
      ) { report.progress?(.reached($0)) }
    } catch {
      if (error as? OperationError)?.code == .declined { throw error }
      throw Task.isCancelled ? OperationError.interrupted : UnrecordedChangeError.wrapping(error)
    }
    return try await planned(submission.plan).finish(submission, engine, clock, as: account)
  }

  /// The run of what a plan asks for.
  private func planned(_ plan: ChangePlan) -> ChangeRun {
    let requests = plan.requests.map {
      RequestedChange($0.input, .success($0.intent), isResolved: $0.isResolved, until: $0.until)
    }
    return ChangeRun(
      prepared: PreparedChanges(requests), title: title, rule: rule, asks: asks, lifetime: lifetime,
      options: options, patienceForOne: patienceForOne, workspace: workspace, report: report)
  }

  // MARK: Preview

  /// Requests that are planned at once for a preview, if they do not depend on each other.
  private static let portion = 10_000

  /// Shows what would be done.
  func preview(as account: AuthorizedAccount) async throws -> ChangeRunOutcome {
    let (account, clock) = account.observingClock()
    defer { report.say(clock) }
    // Nothing is written, so no place for a journal is needed.
    let engine = workspace.engine(of: account, journal: try workspace.jobStoreToRead())
    let isOne = prepared.plansTogether || prepared.requests.contains { $0.named?.intent.list != nil }
    var outcome = ChangeRunOutcome(title, account)
    var found = ChangeRunOutcome.Preview()
    found.limit = options.limitForEstimates
    var total = PreviewTotal()
    var earlier: Set<ChangeIntent> = []
    for portion in isOne ? [prepared.requests] : prepared.requests.parts(of: Self.portion) {
      let plan = try await plan(portion, after: &earlier, engine)
      // Nothing is sent that would have to wait.
      await prepared.remains?.look()
      report.say(plan, after: &total.faults, withRecords: total.plans == 0)
      say(plan, isAsked: false)
      outcome.tally = try await hand(rows(of: plan, portion, ifTaken: .planned, after: outcome.tally))
      total.add(plan)
      found.affected += plan.affected
      found.points += plan.points
    }
    found.warning = total.warning
    if found.affected > 1, found.points > 0 || found.limit.mostChanges < .max {
      found.wait = try await JobManager(journal: engine.journal, time: workspace.time).time(
        toSpend: found.points, changes: found.affected, of: total.kinds, by: engine.account,
        within: found.limit)
    }
    outcome.preview = found
    return outcome
  }

  private func plan(
    _ portion: [RequestedChange], after earlier: inout Set<ChangeIntent>, _ engine: ChangeEngine
  ) async throws -> ChangePlan {
    do {
      return try await engine.plan(
        portion.compactMap(\.named), after: &earlier, lifetime: lifetime, narrowing: prepared.narrowing
      ) { report.progress?(.reached($0)) }
    } catch {
      throw Task.isCancelled ? OperationError.interrupted : UnrecordedChangeError.wrapping(error)
    }
  }

  // MARK: Rows

  private func rows(
    of plan: ChangePlan, _ requests: [RequestedChange]? = nil, job: JobID? = nil, proposal: JobID? = nil,
    until: Datetime? = nil, ifTaken taken: ChangeRow.State = .pending,
    after tally: ChangeTally = ChangeTally()
  ) -> ChangeRows {
    ChangeRows(
      requests ?? prepared.requests, plan, title: title.name, namingEach: title.namesEachChange, job: job,
      proposal: proposal, until: until, ifTaken: taken, beside: prepared.remains, after: tally)
  }

  /// The first rows of what a plan changes.
  private func firstRows(of plan: ChangePlan) -> [ChangeRow] {
    var (all, first) = (rows(of: plan, ifTaken: .planned), [ChangeRow]())
    while first.count < PlannedQuestion.mostRows, let row = all.next(whatever: true) {
      if row.state == .planned { first.append(row) }
    }
    return first
  }

  /// Hands over all rows.
  private func hand(_ rows: ChangeRows) async throws -> ChangeTally {
    var rows = rows
    var batch = RowBatch(to: report)
    while let row = rows.next(whatever: true) { try await batch.append(row) }
    try await batch.flush()
    return rows.tally
  }
}

/// What the plans of several portions amount to.
private struct PreviewTotal {
  var plans = 0
  var faults: Set<RelationshipError.Code> = []
  private(set) var kinds: Set<ChangeKind> = []
  private var (follows, unfollows) = (0, 0)
  private var following: Int?

  var warning: MassChangeWarning? {
    MassChangeWarning(follows: follows, unfollows: unfollows, following: following)
  }

  mutating func add(_ plan: ChangePlan) {
    plans += 1
    follows += plan.follows
    unfollows += plan.unfollows
    following = plan.following
    kinds.formUnion(plan.changes.flatMap(\.steps).compactMap(\.kind))
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
