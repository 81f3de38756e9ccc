// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient

extension JobDesk {
  /// Writes the job down that takes back what a job did: exactly the records that it made or removed, the last
  /// first. Running it leaves alone, and says so, what was changed since then. Where such a job was begun and has
  /// not ended, it is that one.
  ///
  /// - Throws: ``JobError``: there is no such job, it runs, nothing of it is done or some of it is in doubt. What
  ///   the store throws.
  public func undo(_ id: JobID) async throws -> Job {
    let claim = try await store.claim(id, at: time.microsecondsSinceEpoch)
    defer { claim.release() }
    let summary = try await store.summary(of: id)
    if let begun = try await begunUndo(of: id) { return begun }
    guard summary.counts[.inDoubt] == 0 else {
      throw JobError.wrongState(
        id,
        "\(summary.counts[.inDoubt]) items of job \(id) are in doubt; `kith jobs resume \(id)` settles them first"
      )
    }
    guard summary.counts[.done] > 0 else {
      throw JobError.wrongState(id, "job \(id) did nothing that could be undone")
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
