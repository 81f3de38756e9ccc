// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithRelationships

extension ChangeEngine {
  /// A job that undoes another one.
  public struct Undo: Sendable {
    /// The job, ready to be run.
    public let job: Job
    /// Records made by other changes that are removed along with a list: its entries and the block of it.
    public let goingAlong: Int
  }

  /// Journals a job that undoes what a job did: exactly the records that it made or removed, in reverse
  /// order. When run, it skips what was changed since then, and says so. If such a job was started and has
  /// not ended, returns that one.
  ///
  /// A call in doubt is undone like one that was made. When a list is removed, its own entries are removed as
  /// well, because they would be orphaned.
  /// - Throws: ``JobError`` if there is no such job, it is running, it is an undo itself, nothing of it is
  ///   done, or one of its commits is in doubt. `RepositoryError` if the entries of a list cannot be read.
  ///   What the journal throws.
  public func undo(_ id: JobID) async throws -> Undo { try await undo(id, endedBy: nil) }

  /// Journals a job that undoes what was to end by a time, as ``undo(_:)`` does for everything.
  ///
  /// - Parameter end: Nil for everything.
  package func undo(_ id: JobID, endedBy end: Instant?) async throws -> Undo {
    let lease = try await journal.lease(id, at: time.instant)
    defer { lease.release() }
    // Keeps others from planning until the journal holds what this job makes again.
    let planning = try await leasePlanning()
    defer { planning.release() }
    let summary = try await journal.summary(of: id)
    if let undone = summary.job.undoes { throw JobError.isUndo(id, of: undone) }
    if let begun = try await begunUndo(of: id) { return Undo(job: begun, goingAlong: 0) }
    let doubts = try await journal.items(of: id, in: [.inDoubt], after: nil, most: .max)
    guard doubts.allSatisfy(\.step.writes.isEmpty) else {
      throw JobError.inDoubt(id, summary.counts[.inDoubt])
    }
    guard summary.counts[.done] > 0 || !doubts.isEmpty else {
      throw JobError.nothingToUndo(id, wasUndone: summary.counts[.undone] > 0)
    }
    let draft = JobDraft(
      account: account, title: "undo \(summary.job.title)", limit: summary.job.limit, undoes: id)
    let count = PosixMutex(0)
    let items = AsyncThrowingStream(
      unfolding: reversals(of: id, total: summary.counts.total, end, counting: count))
    let job = try await JobManager(journal: journal, time: time).add(draft, items)
    return Undo(job: job, goingAlong: count.withLock { $0 })
  }

  private func begunUndo(of id: JobID) async throws -> Job? {
    guard let begun = try await journal.undo(of: id) else { return nil }
    guard begun.state == .preparing else { return begun }
    // The process that added it held the lease of this job and has died.
    try await journal.remove(begun.id)
    return nil
  }

  /// Returns the reversal of each item, last item first. Items are read in windows to limit memory.
  private func reversals(
    of job: JobID, total: Int, _ end: Instant?, counting count: PosixMutex<Int>
  ) -> @Sendable () async throws -> JobItemDraft? {
    let state = PosixMutex(Reversals(end: total))
    return {
      var reversals = state.withLock { $0 }
      defer { state.withLock { [reversals] in $0 = reversals } }
      while true {
        if let draft = reversals.ready.popLast() { return draft }
        guard reversals.end > 0 else { return nil }
        let start = max(0, reversals.end - JobManager.itemsPerTransaction)
        let items = try await journal.items(
          of: job, in: [.done, .inDoubt], after: start - 1, most: reversals.end - start)
        let wanted = items.filter { item in
          item.position < reversals.end
            && end.map { (item.until?.instant ?? .distantFuture) <= $0 } ?? true
        }
        reversals.end = start
        var drafts: [JobItemDraft] = []
        for item in wanted.reversed() {
          for reversal in JobItemDraft.reversals(of: item) {
            let draft = try await leavingToOthers(reversal)
            let along = try await goingAlong(with: draft, reversals)
            count.withLock { $0 += along.count }
            drafts += along + [draft]
            reversals.add(draft)
          }
        }
        reversals.ready = drafts.reversed()
      }
    }
  }

  /// Skips a reversal if another open job is about to make the same record.
  private func leavingToOthers(_ draft: JobItemDraft) async throws -> JobItemDraft {
    let claims = draft.step.claims
    guard draft.skipped == nil, !claims.isEmpty else { return draft }
    let history = try await journal.history(of: [draft.step.subject], by: account)[draft.step.subject] ?? []
    guard let other = history.last(where: { $0.isOpen && !$0.step.claims.isDisjoint(with: claims) }) else {
      return draft
    }
    var draft = draft
    draft.skipped = SkipReason.awaited(other.job).description
    return draft
  }

  /// Returns the removal of each record that depends on a list that the draft removes, except those that the
  /// same undo removes already.
  private func goingAlong(with draft: JobItemDraft, _ reversals: Reversals) async throws -> [JobItemDraft] {
    var drafts: [JobItemDraft] = []
    for write in draft.step.writes where write.collection == .list && !write.makesRecord {
      let list = ATURI(authority: .did(account), collection: .list, recordKey: write.rkey)
      let intent = ChangeIntent.list(.delete(list))
      let known = try await facts.knowledge(for: [intent])
      let plan = planner.plan(intent, knowing: known[intent])
      if case .refused(let refusal) = plan.outcome { throw ChangeFailure.refused(refusal) }
      // One record per step: if one was removed meanwhile, the others are still removed.
      for other in plan.steps.flatMap(\.writes) where other.collection != .list {
        guard !reversals.removed.contains(other.name) else { continue }
        drafts.append(
          JobItemDraft(
            input: draft.input, step: ChangeStep(subject: .list(list), action: .write([other]))))
      }
    }
    return drafts
  }

  // MARK: Timed changes

  /// Undoes what has expired of a timed change: cancels the rest of its job, settles what is in doubt, and
  /// undoes what the job did.
  ///
  /// May be interrupted at any moment. The job stays due until everything is undone or found to be changed by
  /// others.
  /// - Returns: the job that was run last and how its run ended. It is the undo, unless an outcome of the
  ///   original job stays in doubt.
  /// - Throws: as ``run(_:plannedBy:options:progress:)`` and ``undo(_:)``.
  public func end(
    _ due: DueJob, options: JobOptions = JobOptions(), progress: (@Sendable (JobProgress) -> Void)? = nil
  ) async throws -> (job: Job, end: JobEnd) {
    try await end(due, serverLag: .zero, options: options, progress: progress)
  }

  /// Undoes what has expired of a timed change as ``end(_:options:progress:)`` does.
  ///
  /// - Parameter lag: how far the clock of the account's server is ahead of this machine's: not positive, so nothing is undone
  ///   that has not expired by both.
  package func end(
    _ due: DueJob, serverLag lag: Duration, options: JobOptions,
    progress: (@Sendable (JobProgress) -> Void)? = nil
  ) async throws -> (job: Job, end: JobEnd) {
    let id = due.job.id
    try runner(options).checkAccount(of: due.job)
    var job = try await journal.job(id)
    if !job.state.isEnded { job = try await journal.cancel(id, at: time.instant) }
    if try await journal.summary(of: id).counts[.inDoubt] > 0 {
      let end = try await run(id, options: options, progress: progress)
      guard try await journal.summary(of: id).counts[.inDoubt] == 0 else { return (job, end) }
    }
    // It may have expired before anything of it was done.
    guard try await isDue(id, lag) else { return (job, .done) }
    while true {
      let undo = try await undo(id, endedBy: time.instant + lag).job
      let end = try await run(undo.id, options: options, progress: progress)
      // An undo that was started earlier does not cover what the job did later.
      guard end == .done, try await isDue(id, lag) else { return (try await journal.job(undo.id), end) }
    }
  }

  private func isDue(_ id: JobID, _ lag: Duration) async throws -> Bool {
    try await journal.due(at: time.instant + lag).contains { $0.job.id == id }
  }
}

/// How far the items of a job have been read for an undo.
private struct Reversals: Sendable {
  /// The position after the items that are still to be read.
  var end: Int
  /// What is journaled next; the first is at the end.
  var ready: [JobItemDraft] = []
  /// Members and blocks of lists that the undo removes.
  private(set) var removed: Set<RecordName> = []

  init(end: Int) { self.end = end }

  mutating func add(_ draft: JobItemDraft) {
    for write in draft.step.writes
    where [.listitem, .listblock].contains(write.collection) && !write.makesRecord {
      removed.insert(write.name)
    }
  }
}

extension JobItemDraft {
  /// Returns the reversal of an item; if it cannot be undone, the item itself, marked as skipped.
  ///
  /// What only made records is undone record by record: others may have changed or deleted some of them, and each has
  /// an outcome of its own.
  fileprivate static func reversals(of item: JobItem) -> [JobItemDraft] {
    switch item.step.reversal {
    case .step(let step):
      let writes = step.writes
      guard writes.count > 1, !writes.contains(where: \.makesRecord) else {
        return [JobItemDraft(input: item.input, step: step, origin: item.position)]
      }
      return writes.map { write in
        JobItemDraft(
          input: item.input, step: ChangeStep(subject: step.subject, action: .write([write])),
          origin: item.position)
      }
    case .impossible(let reason):
      return [JobItemDraft(input: item.input, step: item.step, skipped: reason, origin: item.position)]
    }
  }
}

extension ChangeStep {
  /// How to undo a step.
  enum Reversal: Sendable, Hashable {
    /// Execute this step.
    case step(ChangeStep)
    /// It cannot be undone, for this reason.
    case impossible(String)
  }

  /// How to undo the step: the opposite of each write, last write first.
  var reversal: Reversal {
    switch action {
    case .call(let call, let former?):
      return .step(ChangeStep(subject: subject, action: .call(former, former: call)))
    case .call:
      return .impossible("the previous state is unknown")
    case .end(let change):
      return .step(ChangeStep(subject: subject, action: .end(change.reversed)))
    case .decline(let decline):
      return .step(ChangeStep(subject: subject, action: .decline(decline.reversed)))
    case .write(let writes):
      let reversed = writes.reversed().compactMap(\.reversed)
      guard reversed.count == writes.count else {
        return .impossible("the previous content of a record is unknown")
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
