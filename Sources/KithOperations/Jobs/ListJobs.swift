// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithWriting

/// Lists jobs, oldest first: of every account, or of the one to act as.
public struct ListJobs: KithOperation {
  public static let name = "listJobs"

  /// How many of the latest jobs are listed in every state.
  private static let latest = 20

  /// Whether old jobs that are done are listed as well.
  public var areAll: Bool
  /// The limit of the write budget with which the ends of jobs are estimated; nil for the job's own.
  public var limit: WriteLimit?

  public init(all areAll: Bool = false, within limit: WriteLimit? = nil) {
    self.areAll = areAll
    self.limit = limit
  }

  /// What was listed.
  public struct Outcome: OperationOutcome {
    /// The number of all jobs.
    public let count: Int
    /// How many of them are not listed.
    public let hidden: Int

    public var ending: Ending { .done }
    public var fields: [OutputField] {
      [OutputField]([
        "jobs": .integer(count),
        "hidden": .integer(hidden),
      ])
    }
  }

  /// - Throws: what the stores throw.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> Outcome {
    let account = workspace.chosenAccount == nil ? nil : try await workspace.account().did
    let store = try workspace.jobStoreToRead()
    try await workspace.cancelUnrecorded(in: store, report.note)
    let jobs = JobManager(journal: store, time: workspace.time)
    try await jobs.cancelExpired()
    let summaries = try await jobs.summaries(of: account, within: limit)
    let shown = summaries.enumerated()
      .filter { areAll || $0.offset >= summaries.count - Self.latest || $0.element.needsAttention }
      .map(\.element)
    let rows = try await workspace.rows(shown, in: store)
    if !rows.isEmpty { try await report.rows(rows) }
    return Outcome(count: summaries.count, hidden: summaries.count - shown.count)
  }
}

/// Shows each item of a job, or each change that it proposes.
public struct ShowJob: KithOperation {
  public static let name = "showJob"

  /// The job.
  public var job: JobID
  /// How many of the first rows get the names of their accounts, which are asked for if they are not known.
  public var named: Int

  public init(_ job: JobID, naming named: Int = 0) { (self.job, self.named) = (job, named) }

  /// - Throws: `JobError`; ``OperationError`` `jobOfAnotherAccount`; what the stores throw.
  public func run(in workspace: Workspace, _ report: Reporter<ChangeRow>) async throws -> RowsOutcome {
    let store = try workspace.jobStoreToRead()
    let job = try await store.job(job)
    try await workspace.check(job)
    var first = try await self.first(of: job, in: store)
    let accounts = first.compactMap(\.subject).compactMap { DID($0) }
    // Rows without names say more than none.
    let names = (try? await workspace.names().views(of: accounts, asking: true)) ?? [:]
    for place in first.indices {
      guard let view = first[place].subject.flatMap({ DID($0) }).flatMap({ names[$0] }) else { continue }
      first[place].name = view.name
    }
    var items = JobItems(of: job.id, in: store)
    return await report.deliver { rows in
      for row in first { try await rows.append(row) }
      if job.isUnapproved { return try await show(job, in: store, after: first.count, &rows) }
      var place = 0
      while let item = try await items.next() {
        if place >= first.count { try await rows.append(ChangeRow(item, of: job)) }
        place += 1
      }
    }
  }

  /// The rows that get names.
  private func first(of job: Job, in store: any JobStore) async throws -> [ChangeRow] {
    guard named > 0 else { return [] }
    guard !job.isUnapproved else {
      return try await store.requests(of: job.id, after: 0, most: named).map { try ChangeRow($0, of: job) }
    }
    var (rows, items) = ([ChangeRow](), JobItems(of: job.id, in: store))
    while rows.count < named, let item = try await items.next() { rows.append(ChangeRow(item, of: job)) }
    return rows
  }
}

extension ShowJob {
  /// Requests of a proposal that are read at once.
  private static let portion = 500

  private func show(
    _ job: Job, in store: any JobStore, after start: Int, _ rows: inout RowBatch<ChangeRow>
  ) async throws {
    var count = start
    while true {
      let requests = try await store.requests(of: job.id, after: count, most: Self.portion)
      for request in requests { try await rows.append(try ChangeRow(request, of: job)) }
      count += requests.count
      if requests.count < Self.portion { return }
    }
  }
}

/// Pauses a job until it is resumed, or cancels the rest of it. Its row comes at the end.
public struct StopJob: KithOperation {
  public static let name = "stopJob"

  /// The job.
  public var job: JobID
  /// Whether the rest is cancelled; otherwise it can be resumed.
  public var isFinal: Bool

  public init(_ job: JobID, finally isFinal: Bool) {
    self.job = job
    self.isFinal = isFinal
  }

  /// - Throws: `JobError`; ``OperationError`` `jobOfAnotherAccount`; what the stores and the caller throw.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> CompletedOutcome {
    let store = try workspace.jobStore()
    try await workspace.check(try await store.job(job))
    if isFinal {
      _ = try await store.cancel(job, at: workspace.time.instant)
    } else {
      _ = try await store.pause(job)
    }
    let summary = try await store.summary(of: job)
    if summary.job.undoes == nil { await workspace.remember(summary.job) }
    try await report.rows(try await workspace.rows([summary], in: store))
    return CompletedOutcome()
  }
}

extension JobSummary {
  fileprivate var needsAttention: Bool {
    !job.state.isEnded || counts[.failed] > 0 || counts[.inDoubt] > 0
      || (job.until != nil && counts[.done] > 0)
  }
}

extension ChangeRow {
  /// The row of a request that a job proposes.
  fileprivate init(_ proposed: ProposedRequest, of job: Job) throws {
    let request = try proposed.request
    let intent = request.intent
    let isPlanned = !proposed.steps.isEmpty || proposed.changesJobs
    let state: State =
      if proposed.refusal != nil { .refused } else if !isPlanned { .unchanged } else {
        job.state == .proposed ? .planned : .cancelled
      }
    self.init(
      verb: intent.title, input: request.input,
      subject: intent.account?.description ?? intent.list?.description ?? intent.post?.description
        ?? proposed.steps.first?.subjectText(in: job.account),
      state: state, steps: proposed.steps, account: job.account, job: job.id, until: request.until,
      graph: intent.graph, isRetrospective: true, reason: proposed.refusal.map { .refused($0) })
  }

  /// The row of an item in the journal.
  fileprivate init(_ item: JobItem, of job: Job) {
    self.init(
      verb: job.title, input: item.input, subject: item.step.subjectText(in: job.account),
      state: State(item.state), steps: [item.step], account: job.account, job: job.id,
      until: item.until, graph: item.step.graph, isRetrospective: true,
      reason: item.state.reason.map { .item($0) })
  }
}
