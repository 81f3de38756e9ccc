// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore

/// Where jobs are written down, looked up and undone; ``JobRunner`` runs them.
public struct JobDesk: Sendable {
  let store: any JobStore
  let time: TimeSource

  /// Items that are written down in one transaction; what is in memory of a job is bounded by it.
  static let itemsPerTransaction = 500

  /// Makes a desk.
  public init(store: any JobStore, time: TimeSource = .system) {
    self.store = store
    self.time = time
  }

  /// Takes the sole right to plan, as soon as others are done.
  ///
  /// - Parameter patience: how long others are waited for.
  /// - Throws: ``JobError/Code/held`` when that was not long enough; what the store throws; `CancellationError`.
  public func claimPlanning(patience: Duration = .seconds(60)) async throws -> any JobClaim {
    let start = time.now
    while true {
      do {
        return try await store.claimPlanning(at: time.microsecondsSinceEpoch)
      } catch let error as JobError where error.code == .held && time.now - start < patience {
        try await time.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Writes a job down, item by item, whole or not at all: where the sequence or the store fails, nothing stays.
  ///
  /// - Returns: the job, which waits to be run.
  /// - Throws: what the sequence throws, what the store throws.
  public func add<Items: AsyncSequence>(
    _ draft: JobDraft, _ items: Items
  ) async throws -> Job where Items.Element == JobItemDraft {
    let job = try await store.create(draft, at: time.microsecondsSinceEpoch)
    let claim = try await store.claim(job.id, at: time.microsecondsSinceEpoch)
    defer { claim.release() }
    do {
      var batch: [JobItemDraft] = []
      for try await item in items {
        batch.append(item)
        guard batch.count == Self.itemsPerTransaction else { continue }
        try await store.append(batch, to: job.id)
        batch.removeAll(keepingCapacity: true)
      }
      try await store.append(batch, to: job.id)
      return try await store.seal(job.id)
    } catch {
      // What cannot be taken away now stays as a job that never began, and is pruned.
      try? await store.remove(job.id)
      throw error
    }
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
  public func summaries(of account: DID? = nil, within allowance: PointAllowance) async throws -> [JobSummary]
  {
    var summaries = try await store.summaries(of: account)
    for index in summaries.indices { try await estimate(&summaries[index], within: allowance) }
    return summaries
  }

  /// One job with the time at which it would be done.
  public func summary(of job: JobID, within allowance: PointAllowance) async throws -> JobSummary {
    var summary = try await store.summary(of: job)
    try await estimate(&summary, within: allowance)
    return summary
  }

  private func estimate(_ summary: inout JobSummary, within allowance: PointAllowance) async throws {
    guard summary.counts.left > 0, summary.job.state != .preparing else { return }
    let end = try await end(
      of: summary.counts.pointsLeft, by: summary.job.account, within: allowance,
      at: time.microsecondsSinceEpoch)
    summary.eta = end.map(Datetime.init(microsecondsSinceEpoch:))
  }

  /// How long it will take until an account has spent so many points, if each is spent as soon as it may be.
  ///
  /// - Returns: zero where there is room for all of them now; nil where they can never be spent.
  /// - Throws: what the store throws.
  public func time(
    toSpend points: Int, by account: DID, within allowance: PointAllowance
  ) async throws -> Duration? {
    let now = time.microsecondsSinceEpoch
    return try await end(of: points, by: account, within: allowance, at: now).map { .microseconds($0 - now) }
  }

  private func end(
    of points: Int, by account: DID, within allowance: PointAllowance, at now: Int64
  ) async throws -> Int64? {
    try await store.budget(of: account, within: allowance, at: now).end(of: points, at: now)
  }
}
