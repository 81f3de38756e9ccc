// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient

extension JobDesk {
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
