// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import Relationships

/// Where jobs are written down, looked up and undone; ``JobRunner`` runs them.
public struct JobManager: Sendable {
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
  public func claimPlanning(patience: Duration = .seconds(60)) async throws -> any JobLease {
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
  public func summaries(of account: DID? = nil, within allowance: WriteLimit) async throws -> [JobSummary] {
    var summaries = try await store.summaries(of: account)
    for index in summaries.indices { try await estimate(&summaries[index], within: allowance) }
    return summaries
  }

  /// One job with the time at which it would be done.
  public func summary(of job: JobID, within allowance: WriteLimit) async throws -> JobSummary {
    var summary = try await store.summary(of: job)
    try await estimate(&summary, within: allowance)
    return summary
  }

  private func estimate(_ summary: inout JobSummary, within allowance: WriteLimit) async throws {
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
    toSpend points: Int, by account: DID, within allowance: WriteLimit
  ) async throws -> Duration? {
    let now = time.microsecondsSinceEpoch
    return try await end(of: points, by: account, within: allowance, at: now).map { .microseconds($0 - now) }
  }

  private func end(
    of points: Int, by account: DID, within allowance: WriteLimit, at now: Int64
  ) async throws -> Int64? {
    try await store.budget(of: account, within: allowance, at: now).end(of: points, at: now)
  }
}

extension JobManager {
  /// Writes the job down that takes back what a job did: exactly the records that it made or removed, the last
  /// first. Running it leaves alone, and says so, what was changed since then. Where such a job was begun and has
  /// not ended, it is that one.
  ///
  /// A call in doubt is taken back like one that was made.
  /// - Throws: ``JobError``: there is no such job, it runs, it undoes another one, nothing of it is done or a commit
  ///   of it is in doubt. What the store throws.
  public func undo(_ id: JobID) async throws -> Job {
    let claim = try await store.claim(id, at: time.microsecondsSinceEpoch)
    defer { claim.release() }
    let summary = try await store.summary(of: id)
    if let undone = summary.job.undoes {
      throw JobError.wrongState(
        id,
        "job \(id) took job \(undone) back, and is not taken back itself; run the command again that made job "
          + "\(undone), for what it is to do now")
    }
    if let begun = try await begunUndo(of: id) { return begun }
    let doubts = try await store.items(of: id, in: [.inDoubt], after: nil, most: .max)
    guard doubts.allSatisfy(\.step.writes.isEmpty) else {
      throw JobError.wrongState(
        id,
        "\(summary.counts[.inDoubt]) items of job \(id) are in doubt; `kith jobs resume \(id)` settles them first"
      )
    }
    guard summary.counts[.done] > 0 || !doubts.isEmpty else {
      let undone = summary.counts[.undone]
      throw JobError.wrongState(
        id, undone > 0 ? "job \(id) was taken back already" : "job \(id) did nothing that could be undone")
    }
    let draft = JobDraft(account: summary.job.account, title: "undo \(summary.job.title)", undoes: id)
    return try await add(draft, JobReversals(store: store, job: id, total: summary.counts.total))
  }

  private func begunUndo(of id: JobID) async throws -> Job? {
    guard let begun = try await store.undo(of: id) else { return nil }
    guard begun.state == .preparing else { return begun }
    // Whoever wrote it down held the right to this job and has died.
    try await store.remove(begun.id)
    return nil
  }
}

/// What takes back each item of a job that is done, and each call in doubt, the last first; read in windows of places, so that little of
/// it is in memory.
struct JobReversals: AsyncSequence {
  let store: any JobStore
  let job: JobID
  /// How many items the job has.
  let total: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    let store: any JobStore
    let job: JobID
    var end: Int
    var ready: [JobItem] = []

    mutating func next() async throws -> JobItemDraft? {
      while true {
        if let item = ready.popLast() { return JobItemDraft(reversing: item) }
        guard end > 0 else { return nil }
        let start = Swift.max(0, end - JobManager.itemsPerTransaction)
        let items = try await store.items(
          of: job, in: [.done, .inDoubt], after: start - 1, most: end - start)
        ready = items.filter { $0.position < end }
        end = start
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store: store, job: job, end: total) }
}

extension JobItemDraft {
  /// What takes an item back; where nothing does, the item itself, to be left alone.
  fileprivate init(reversing item: JobItem) {
    switch item.step.reversal {
    case .step(let step): self.init(input: item.input, step: step, origin: item.position)
    case .impossible(let reason):
      self.init(input: item.input, step: item.step, skipped: reason, origin: item.position)
    }
  }
}

extension ChangeStep {
  /// What takes a step back.
  enum Reversal: Sendable, Hashable {
    /// Doing this does.
    case step(ChangeStep)
    /// Nothing does, for this reason.
    case impossible(String)
  }

  /// What takes the step back: its opposite, last write first.
  var reversal: Reversal {
    switch action {
    case .call(let call, let former?):
      return .step(ChangeStep(subject: subject, action: .call(former, former: call)))
    case .call:
      return .impossible("what was before is not known")
    case .write(let writes):
      let reversed = writes.reversed().compactMap(\.reversed)
      guard reversed.count == writes.count else {
        return .impossible("what a record said before is not known")
      }
      return .step(ChangeStep(subject: subject, action: .write(reversed)))
    }
  }
}

extension RecordWrite {
  fileprivate var reversed: RecordWrite? {
    switch action {
    case .create(let value):
      RecordWrite(collection: collection, rkey: rkey, action: .delete(former: value))
    case .update(let value, let former?):
      RecordWrite(collection: collection, rkey: rkey, action: .update(former, former: value))
    case .delete(let former?):
      RecordWrite(collection: collection, rkey: rkey, action: .create(former))
    case .update, .delete:
      nil
    }
  }
}
