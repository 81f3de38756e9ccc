// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

extension JobRunner {
  /// Ends a timed change whose end has come: gives up what is left of its job, settles what is in doubt, and undoes
  /// what the job itself did.
  ///
  /// May be stopped at any moment; the job is due until all that it did was taken back or found to be left alone.
  /// - Returns: the job that was run last, which is the undo unless the outcome of the first stays in doubt, and how
  ///   its run ended.
  /// - Throws: as ``run(_:progress:)`` and ``JobDesk/undo(_:)``.
  public func end(
    _ due: DueJob, progress: @Sendable (JobProgress) -> Void = { _ in }
  ) async throws -> (job: Job, end: JobEnd) {
    let id = due.job.id
    try checkAccount(of: due.job)
    var job = try await store.job(id)
    if !job.state.isEnded { job = try await store.cancel(id, at: time.microsecondsSinceEpoch) }
    if try await store.summary(of: id).counts[.inDoubt] > 0 {
      let end = try await run(id, progress: progress)
      guard try await store.summary(of: id).counts[.inDoubt] == 0 else { return (job, end) }
    }
    // It may have come to its end before anything of it was done.
    guard try await store.summary(of: id).counts[.done] > 0 else { return (job, .done) }
    while true {
      let undo = try await JobDesk(store: store, time: time).undo(id)
      let end = try await run(undo.id, progress: progress)
      // One that was begun earlier knows nothing of what the job did later.
      guard end == .done, try await isDue(id) else { return (try await store.job(undo.id), end) }
    }
  }

  private func isDue(_ id: JobID) async throws -> Bool {
    try await store.due(at: time.microsecondsSinceEpoch).contains { $0.job.id == id }
  }
}
