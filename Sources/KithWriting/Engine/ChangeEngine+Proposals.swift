// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

extension ChangeEngine {
  /// A plan that waits to be approved.
  public struct Proposal: Sendable {
    /// The plan, to show it.
    public let plan: ChangePlan
    /// The job, which is `proposed`; nil if there is nothing to change.
    public let job: Job?

    /// What identifies the plan: approve it with what was shown.
    public var digest: PlanDigest { plan.digest }
  }

  /// Plans intents, and journals the plan as a job that waits to be approved by
  /// ``confirm(_:digest:limit:confirmation:progress:)``, in this process or another one. Nothing is changed or set aside
  /// until then.
  ///
  /// - Parameters:
  ///   - title: what the job does, in one or two words: `follow`.
  ///   - lifetime: after this time, counted from the approval, the changes are undone; nil if they are permanent.
  ///   - limit: how much of the write budget the job may use; nil for the default.
  ///   - progress: called from time to time with the number of records read.
  /// - Throws: `RepositoryError` if the own records cannot be read; ``JobError/Code/fileNotKept``; what the journal
  ///   throws; `CancellationError`.
  public func propose(
    _ requests: [ChangePlan.Request], as title: String, lifetime: Duration? = nil, limit: WriteLimit? = nil,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Proposal {
    try await propose(
      requests, as: title, lifetime: lifetime, limit: limit, narrowing: { $0 }, progress: progress)
  }

  /// Proposes intents as ``propose(_:as:lifetime:limit:progress:)`` does, and narrows each planned change. What that
  /// does is remembered, and done again when the proposal is approved.
  ///
  /// - Parameters:
  ///   - files: the files that records to be written name. They are kept in the journal, and uploaded when the records
  ///     are written.
  ///   - narrow: returns a planned change reduced to the part that the caller wants.
  package func propose(
    _ requests: [ChangePlan.Request], as title: String, lifetime: Duration? = nil, limit: WriteLimit? = nil,
    files: [RecordFile] = [], narrowing narrow: (PlannedChange) async throws -> PlannedChange,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Proposal {
    try await JobManager(journal: journal, time: time).cancelExpired()
    var narrowings: [ChangeIntent: Narrowing] = [:]
    var earlier: Set<ChangeIntent> = []
    let draft = try await self.draft(
      requests, after: &earlier,
      { planned in
        let narrowed = try await narrow(planned)
        // Of a change that is named twice, the second one holds.
        if !planned.holds || narrowings[planned.change] == nil {
          narrowings[planned.change] = Narrowing(from: planned, to: narrowed, by: account)
        }
        return narrowed
      }, progress)
    await facts.records.confirmReading()
    let plan = draft.plan(until: end(after: lifetime))
    guard !plan.isEmpty else { return Proposal(plan: plan, job: nil) }
    try await keep(files, for: plan)
    let shown = zip(plan.requests, plan.changes).map { request, planned in
      ProposedRequest(
        request, narrowing: narrowings[planned.change] ?? Narrowing(), steps: planned.steps,
        changesJobs: planned.changesJobs, refusal: planned.refusal)
    }
    let now = time.instant
    let proposal = JobProposal(
      digest: plan.digest, expiresAt: Datetime(at: now + JobProposal.patience), steps: plan.stepCount,
      points: plan.points, lifetime: lifetime)
    let job = try await journal.propose(
      JobDraft(account: account, title: title, limit: limit), proposal, shown, at: now)
    return Proposal(plan: plan, job: job)
  }

  /// Keeps the files that a plan needs in the journal: the server deletes those that no record names in time.
  private func keep(_ files: [RecordFile], for plan: ChangePlan) async throws {
    let needed = plan.changes.lazy.flatMap(\.steps).flatMap(\.writes).flatMap(\.filesNeeded)
    guard !needed.isEmpty else { return }
    for file in files {
      _ = try await journal.keep(file.bytes, as: file.blob.ref, at: time.instant)
    }
    let unkept = try await FileKeeper(repository: repository, journal: journal, time: time).keep(
      Array(needed))
    guard unkept.isEmpty else { throw JobError.filesNotKept(unkept.count) }
  }

  /// Approves a proposal: plans its changes again, by the repository as it is now, and journals them as the job to be run
  /// if they are exactly those that were shown. Otherwise nothing is changed.
  ///
  /// - Parameters:
  ///   - job: a job that is `proposed`; it is `waiting` afterwards, and keeps its number.
  ///   - digest: what is approved; nil for whatever was proposed.
  ///   - limit: how much of the write budget the job may use; nil for what was proposed.
  ///   - confirmation: nil to skip the confirmation.
  ///   - progress: called from time to time with the number of records read.
  /// - Throws: ``JobError``: `notProposed` if it is decided already, `expired`, `otherPlan` for another digest,
  ///   `planChanged` with the difference, `wrongAccount`, `held` if another process approves it at this moment. As
  ///   ``submit(_:as:lifetime:limit:confirmation:progress:)``.
  public func confirm(
    _ job: JobID, digest: PlanDigest? = nil, limit: WriteLimit? = nil, confirmation: Confirmation? = nil,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Submission {
    // Held until the job is journaled: the next one finds it approved.
    let lease = try await journal.lease(job, at: time.instant)
    defer { lease.release() }
    let proposal = try await proposal(job)
    if let digest, digest != proposal.digest { throw JobError.otherPlan(job, proposal.digest) }
    let shown = try await journal.allRequests(of: job)
    var (requests, narrowings): ([ChangePlan.Request], [ChangeIntent: Narrowing]) = ([], [:])
    for one in shown {
      let (request, narrowing) = try one.parts(of: job)
      requests.append(request)
      // Of a change that is named twice, the second one holds.
      if narrowings[request.intent] == nil { narrowings[request.intent] = narrowing }
    }
    let now = Datetime(at: time.instant)
    let submission = try await submit(
      requests, lifetime: proposal.lifetime, confirmation: confirmation,
      narrowing: { [narrowings] planned in
        narrowings[planned.change]?.applied(to: planned, by: account, at: now) ?? planned
      }, progress: progress,
      checking: { plan in
        // A person may have thought for long.
        _ = try await self.proposal(job)
        guard plan.digest != proposal.digest else { return }
        let former = zip(requests, shown).map {
          (change: $0.intent, steps: $1.steps, changesJobs: $1.changesJobs)
        }
        throw JobError.planChanged(
          job, PlanDifference(from: PlanLine.all(of: former, by: account), to: plan.lines))
      },
      recording: { plan, until in
        try await journal.approve(job, plan.items, until: until, limit: limit, at: time.instant)
      })
    return submission.job?.state == .done
      ? Submission(plan: submission.plan, job: nil, facts: submission.facts) : submission
  }

  /// What a job of the account proposes.
  ///
  /// - Throws: ``JobError`` if it can no longer be approved.
  private func proposal(_ id: JobID) async throws -> JobProposal {
    let job = try await journal.job(id)
    try runner(JobOptions()).checkAccount(of: job)
    guard let proposal = job.proposal else { throw JobError.notProposed(job) }
    let now = time.instant
    if job.isUnapproved, proposal.isExpired(at: now) {
      if job.state == .proposed {
        _ = try await journal.reject(id, note: JobManager.expiry, at: now)
      }
      if job.state == .proposed || job.note == JobManager.expiry {
        throw JobError.expired(id, at: proposal.expiresAt)
      }
    }
    guard job.state == .proposed else { throw JobError.notProposed(job) }
    return proposal
  }
}

extension ProposedRequest {
  /// The request, and what was made of its plan.
  ///
  /// - Throws: ``JobError/Code/journal`` if this version does not know it.
  fileprivate func parts(of job: JobID) throws -> (request: ChangePlan.Request, narrowing: Narrowing) {
    do { return (try request, try Narrowing(stored: narrowing)) } catch {
      throw JobError.journal(job, "a change that job \(job) proposes cannot be read: \(DecodingFault(error))")
    }
  }
}

extension JobStore {
  /// All requests of a proposal.
  fileprivate func allRequests(of job: JobID) async throws -> [ProposedRequest] {
    var all: [ProposedRequest] = []
    while true {
      let next = try await requests(of: job, after: all.count, most: JobManager.itemsPerTransaction)
      all += next
      if next.count < JobManager.itemsPerTransaction { return all }
    }
  }
}
