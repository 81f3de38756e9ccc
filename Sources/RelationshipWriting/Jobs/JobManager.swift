// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import Relationships

/// Writes jobs down and looks them up; a ``ChangeEngine`` plans, runs and undoes them.
public struct JobManager: Sendable {
  let journal: any JobStore
  let time: TimeSource

  /// Items that are written down in one transaction; what is in memory of a job is bounded by it.
  static let itemsPerTransaction = 500

  /// Looks jobs up and writes them down in a journal.
  public init(journal: any JobStore, time: TimeSource = .system) {
    self.journal = journal
    self.time = time
  }

  /// Writes a job down, item by item, whole or not at all: where the sequence or the store fails, nothing stays.
  ///
  /// - Returns: the job, which waits to be run.
  /// - Throws: what the sequence throws, what the store throws.
  public func add<Items: AsyncSequence>(
    _ draft: JobDraft, _ items: Items
  ) async throws -> Job where Items.Element == JobItemDraft {
    var items = items.makeAsyncIterator()
    var chunk = try await Self.chunk(of: &items)
    let isWhole = chunk.count < Self.itemsPerTransaction
    let job = try await journal.create(draft, chunk, isWhole: isWhole, at: time.microsecondsSinceEpoch)
    if isWhole { return job }
    do {
      let lease = try await journal.lease(job.id, at: time.microsecondsSinceEpoch)
      defer { lease.release() }
      while chunk.count == Self.itemsPerTransaction {
        chunk = try await Self.chunk(of: &items)
        if !chunk.isEmpty { try await journal.append(chunk, to: job.id) }
      }
      return try await journal.seal(job.id)
    } catch {
      // What cannot be taken away now stays as a job that never began, and is pruned.
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

  /// Writes a job down that is in memory.
  public func add(_ draft: JobDraft, _ items: [JobItemDraft]) async throws -> Job {
    try await add(
      draft,
      AsyncStream { continuation in
        for item in items { continuation.yield(item) }
        continuation.finish()
      })
  }

  /// All jobs, or those of one account, the oldest first, with the time at which each would be done.
  ///
  /// - Parameter limit: how much of the write budget they may use; nil for what each of them has.
  public func summaries(
    of account: DID? = nil, within limit: WriteLimit? = nil
  ) async throws -> [JobSummary] {
    var summaries = try await journal.summaries(of: account)
    for index in summaries.indices { try await estimate(&summaries[index], within: limit) }
    return summaries
  }

  /// One job with the time at which it would be done.
  public func summary(of job: JobID, within limit: WriteLimit? = nil) async throws -> JobSummary {
    var summary = try await journal.summary(of: job)
    try await estimate(&summary, within: limit)
    return summary
  }

  private func estimate(_ summary: inout JobSummary, within limit: WriteLimit?) async throws {
    guard summary.counts.left > 0, summary.job.state != .preparing else { return }
    let end = try await end(
      of: summary.counts.pointsLeft, by: summary.job.account,
      within: limit ?? summary.job.limit ?? WriteLimit(),
      at: time.microsecondsSinceEpoch)
    summary.eta = end.map(Datetime.init(microsecondsSinceEpoch:))
  }

  /// How long it will take until an account has spent so many points, if each is spent as soon as it may be.
  ///
  /// - Returns: zero where there is room for all of them now; nil where they can never be spent.
  /// - Throws: what the store throws.
  public func time(
    toSpend points: Int, by account: DID, within limit: WriteLimit
  ) async throws -> Duration? {
    let now = time.microsecondsSinceEpoch
    return try await end(of: points, by: account, within: limit, at: now).map { .microseconds($0 - now) }
  }

  private func end(
    of points: Int, by account: DID, within limit: WriteLimit, at now: Int64
  ) async throws -> Int64? {
    try await journal.budget(of: account, within: limit, at: now).end(of: points, at: now)
  }
}
