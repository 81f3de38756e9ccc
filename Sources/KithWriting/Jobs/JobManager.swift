// SPDX-License-Identifier: Apache-2.0

package import KithClient
public import KithCore
internal import KithRelationships

/// Looks up, pauses and cancels the jobs of a journal; a ``ChangeEngine`` plans, runs and undoes them.
public struct JobManager: Sendable {
  let journal: any JobStore
  let time: TimeSource

  /// Items added in one transaction; this bounds the memory that a job needs.
  static let itemsPerTransaction = 500

  /// Creates a manager for a journal.
  public init(journal: Journal) { self.init(journal: journal.store) }

  /// Creates a manager for a store of jobs.
  package init(journal: any JobStore, time: TimeSource = .system) {
    self.journal = journal
    self.time = time
  }

  /// Adds a job, item by item, all or nothing: if the sequence or the store fails, nothing remains.
  ///
  /// - Returns: the job, ready to be run.
  /// - Throws: what the sequence and the store throw.
  package func add<Items: AsyncSequence>(
    _ draft: JobDraft, _ items: Items
  ) async throws -> Job where Items.Element == JobItemDraft {
    var items = items.makeAsyncIterator()
    var chunk = try await Self.chunk(of: &items)
    let isWhole = chunk.count < Self.itemsPerTransaction
    let job = try await journal.create(draft, chunk, isWhole: isWhole, at: time.instant)
    if isWhole { return job }
    do {
      let lease = try await journal.lease(job.id, at: time.instant)
      defer { lease.release() }
      while chunk.count == Self.itemsPerTransaction {
        chunk = try await Self.chunk(of: &items)
        if !chunk.isEmpty { try await journal.append(chunk, to: job.id) }
      }
      return try await journal.seal(job.id)
    } catch {
      // If it cannot be removed now, it stays as a job that never began, and is pruned.
      try? await journal.remove(job.id)
      throw error
    }
  }

  private static func chunk<Items: AsyncIteratorProtocol>(
    of items: inout Items
  ) async throws -> [JobItemDraft] where Items.Element == JobItemDraft {
    var chunk: [JobItemDraft] = []
    while chunk.count < itemsPerTransaction, let item = try await items.next() { chunk.append(item) }
    return chunk
  }

  /// Adds a job whose items are in memory.
  package func add(_ draft: JobDraft, _ items: [JobItemDraft]) async throws -> Job {
    try await add(
      draft,
      AsyncStream { continuation in
        for item in items { continuation.yield(item) }
        continuation.finish()
      })
  }

  /// Cancels the jobs that a process began to record and did not finish, because it has ended: nothing of them
  /// was sent. Jobs that are being recorded now stay.
  ///
  /// - Returns: the cancelled jobs.
  /// - Throws: what the store throws.
  @discardableResult package func cancelUnrecorded() async throws -> [JobID] {
    var cancelled: [JobID] = []
    for job in try await journal.preparing() {
      do {
        // A planner may have created it just now, and is about to take its lease.
        let planning = try await journal.leasePlanning(of: job.account, at: time.instant)
        defer { planning.release() }
        cancelled += try await cancelIfUnrecorded(job.id)
      } catch let error as JobError where error.code == .held {
        continue
      }
    }
    return cancelled
  }

  /// The same for the jobs of one account, by the holder of its planning lease.
  package func cancelUnrecorded(whilePlanningFor account: DID) async throws {
    for job in try await journal.preparing() where job.account == account {
      do { _ = try await cancelIfUnrecorded(job.id) } catch let error as JobError where error.code == .held {
        continue
      }
    }
  }

  private func cancelIfUnrecorded(_ job: JobID) async throws -> [JobID] {
    let now = time.instant
    let lease = try await journal.lease(job, at: now)
    defer { lease.release() }
    guard try await journal.job(job).state == .preparing else { return [] }
    _ = try await journal.cancel(job, at: now)
    return [job]
  }

  /// Cancels the proposals that can no longer be approved.
  ///
  /// - Returns: the cancelled jobs.
  /// - Throws: what the store throws.
  @discardableResult package func cancelExpired() async throws -> [JobID] {
    var cancelled: [JobID] = []
    for job in try await journal.proposals() where job.proposal?.isExpired(at: time.instant) != false {
      do {
        _ = try await journal.reject(job.id, note: Self.expiry, at: time.instant)
        cancelled.append(job.id)
      } catch let error as JobError where [.notProposed, .notFound].contains(error.code) {
        continue
      }
    }
    return cancelled
  }

  /// Why a proposal was cancelled without an answer.
  package static let expiry = "expired"

  /// Returns all jobs, or those of one account, oldest first, with the estimated time of completion.
  ///
  /// - Parameter limit: how much of the write budget they may use; nil for each job's own limit.
  public func summaries(
    of account: DID? = nil, within limit: WriteLimit? = nil
  ) async throws -> [JobSummary] {
    var summaries = try await journal.summaries(of: account)
    for index in summaries.indices { try await estimate(&summaries[index], within: limit) }
    return summaries
  }

  /// Returns one job with the estimated time of completion.
  public func summary(of job: JobID, within limit: WriteLimit? = nil) async throws -> JobSummary {
    var summary = try await journal.summary(of: job)
    try await estimate(&summary, within: limit)
    return summary
  }

  /// Returns items of a job, in their order.
  ///
  /// - Parameters:
  ///   - position: only items after this one; nil for the first ones.
  ///   - most: the maximum number of items.
  public func items(of job: JobID, after position: Int? = nil, most: Int = 500) async throws -> [JobItem] {
    try await journal.items(of: job, in: Set(JobItemState.Kind.allCases), after: position, most: most)
  }

  /// Returns the timed changes that have expired; ``ChangeEngine/end(_:options:progress:)`` undoes them.
  public func due() async throws -> [DueJob] { try await journal.due(at: time.instant) }

  /// Pauses a job: a process that runs it stops after the current commit.
  ///
  /// - Throws: ``JobError`` if there is no such job, or it has ended.
  public func pause(_ job: JobID) async throws { _ = try await journal.pause(job) }

  /// Cancels what is left of a job; what is done stays done.
  ///
  /// - Throws: ``JobError`` if there is no such job, or it has ended.
  public func cancel(_ job: JobID) async throws {
    _ = try await journal.cancel(job, at: time.instant)
  }

  /// Rejects a job that is proposed, so that it can no longer be approved.
  ///
  /// - Throws: ``JobError`` if there is no such job, it is not proposed, or another process is approving it.
  public func reject(_ job: JobID) async throws {
    let lease = try await journal.lease(job, at: time.instant)
    defer { lease.release() }
    _ = try await journal.reject(job, note: nil, at: time.instant)
  }

  /// Makes the failed items of a job ready to be run again, and returns their number.
  ///
  /// - Throws: ``JobError`` if there is no such job, or its state does not allow it.
  public func retryFailed(_ job: JobID) async throws -> Int { try await journal.retryFailed(job) }

  /// Removes jobs that ended before a time; they can no longer be undone.
  ///
  /// - Returns: The removed jobs.
  @discardableResult public func prune(endedBefore moment: Datetime) async throws -> [JobID] {
    try await journal.prune(endedBefore: moment.instant)
  }

  private func estimate(_ summary: inout JobSummary, within limit: WriteLimit?) async throws {
    guard summary.counts.left > 0, summary.job.state != .preparing else { return }
    let end = try await end(
      of: summary.counts.pointsLeft, changes: summary.counts.left, by: summary.job.account,
      within: limit ?? summary.job.limit ?? WriteLimit(), counting: summary.job.kinds, at: time.instant)
    summary.eta = end.map(Datetime.init(at:))
  }

  /// Returns how long it takes until an account has spent this many points, for this many changes, if each is spent as early
  /// as possible.
  ///
  /// - Parameter kinds: the kinds of the changes; nil if they are not known.
  /// - Returns: zero if all of them may be spent now; nil if they can never be spent.
  /// - Throws: what the store throws.
  package func time(
    toSpend points: Int, changes: Int, of kinds: Set<ChangeKind>?, by account: DID, within limit: WriteLimit
  ) async throws -> Duration? {
    let now = time.instant
    return try await end(
      of: points, changes: changes, by: account, within: limit, counting: kinds, at: now
    ).map { $0 - now }
  }

  private func end(
    of points: Int, changes: Int, by account: DID, within limit: WriteLimit,
    counting kinds: Set<ChangeKind>?, at now: Instant
  ) async throws -> Instant? {
    try await journal.budget(of: account, within: limit, counting: kinds, at: now).end(
      of: points, changes: changes, at: now)
  }
}
