// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithWriting

/// Undoes timed changes that have expired, of every signed-in account or of the one to act as: a row for each job.
///
/// They have to have expired by the clock of the account's server as well, if that differs much from this machine's.
public struct EndDueJobs: KithOperation {
  public static let name = "endDueJobs"

  /// How each undo is run.
  public var options: JobOptions
  /// Whether they are only listed.
  public var onlyLists: Bool
  /// Whether what a backup has brought into the journal may end without a question.
  public var isConfirmed: Bool

  public init(
    options: JobOptions = JobOptions(), onlyListing onlyLists: Bool = false,
    confirmed isConfirmed: Bool = false
  ) {
    self.options = options
    self.onlyLists = onlyLists
    self.isConfirmed = isConfirmed
  }

  /// How a run ended; what became of each job is a note.
  public struct Outcome: OperationOutcome {
    /// Why the caller stopped reading rows, or the task was cancelled; nil if all that is due was handled.
    public fileprivate(set) var interruption: (any Error)?
    /// The most severe failure of an undo; nil if none failed.
    public fileprivate(set) var failure: FailureKind?

    public var ending: Ending { Ending(interruption, failure: failure) }
    public var fields: [OutputField] { [] }
  }

  /// - Throws: what the stores throw.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> Outcome {
    let store = try workspace.jobStore()
    guard try await mayEnd(store, workspace, report) || onlyLists else { return Outcome() }
    if !onlyLists { try await workspace.cancelUnrecorded(in: store, report.note) }
    var due = try await store.due(at: workspace.time.instant)
    if workspace.chosenAccount != nil {
      let account = try await workspace.account().did
      due.removeAll { $0.job.account != account }
    }
    var clocks: [DID: Duration?] = [:]
    var saysUncompared = true
    var outcome = Outcome()
    for one in due {
      do {
        // An interrupted run does not throw, and writes to the journal are not cancelled.
        try Task.checkCancellation()
        if !onlyLists {
          let ending = try await end(one, in: store, workspace, knowing: &clocks, &saysUncompared, report)
          if let failure = ending.failure { outcome.failure = failure.orMoreSevere(outcome.failure) }
          report.note(.jobEnded(ending))
        }
        let summary = try await store.summary(of: one.job.id)
        try await report.rows(try await workspace.rows([summary], in: store))
      } catch {
        outcome.interruption = error
        break
      }
    }
    return outcome
  }

  /// Whether what is due may end: after a backup took the place of the journal, only what was shown and confirmed, because
  /// the journal is carried out with the user's sessions. Nothing is confirmed for some accounts alone.
  private func mayEnd(
    _ store: any JobStore, _ workspace: Workspace, _ report: Reporter<JobRow>
  ) async throws -> Bool {
    guard let moment = try await store.endsHeldSince() else { return true }
    let since = Datetime(at: moment)
    let due = try await store.due(at: workspace.time.instant)
    if onlyLists || !isConfirmed {
      var summaries: [JobSummary] = []
      if !onlyLists { for one in due { summaries.append(try await store.summary(of: one.job.id)) } }
      let rows = try await workspace.rows(summaries, in: store)
      guard !onlyLists, try await report.ask(.endRestored(rows, since: since)) else {
        report.note(.endsHeld(since: since, due: due.count))
        return false
      }
    }
    try await store.releaseEnds()
    return true
  }

  /// Undoes one job. An error does not stop the others, but a cancellation does.
  private func end(
    _ due: DueJob, in store: any JobStore, _ workspace: Workspace, knowing clocks: inout [DID: Duration?],
    _ saysUncompared: inout Bool, _ report: Reporter<JobRow>
  ) async throws -> DueJobEnding {
    do {
      let account = try await workspace.account(of: due.job)
      if clocks[account.did] == nil {
        let difference = try await account.clockDifference()
        if let difference { report.note(.clockDiffers(serverLead: difference)) }
        clocks[account.did] = .some(difference)
      }
      let lag = min(.zero, (clocks[account.did] ?? nil) ?? .zero)
      let moment = workspace.time.instant + lag
      guard try await store.due(at: moment).contains(where: { $0.job.id == due.job.id }) else {
        return .early(due.job.id)
      }
      let engine = workspace.engine(of: account, journal: store)
      let waits = PosixMutex<Datetime?>(nil)
      let (job, end) = try await engine.end(due, serverLag: lag, options: options) {
        report.say($0, after: waits)
      }
      if saysUncompared, try await engine.hasMadeEdgesUncompared(job.id) {
        report.note(.edgesMadeUncompared)
        saysUncompared = false
      }
      let summary = try await store.summary(of: job.id)
      // Failures of the original change do not affect the undo.
      return .run(JobRunOutcome(summary: summary, end: end), isUndo: summary.job.undoes != nil)
    } catch {
      if let error = error as? JobError, try await isLost(due, error, in: store, workspace) {
        return .elsewhere(due.job.id, isDone: error.code != .held)
      }
      if error is CancellationError { throw error }
      return .failed(due.job.id, error)
    }
  }

  /// Whether another process undoes the job at the same moment, or has done so.
  private func isLost(
    _ due: DueJob, _ error: JobError, in store: any JobStore, _ workspace: Workspace
  ) async throws -> Bool {
    if error.code == .held { return true }
    guard [.wrongState, .undone, .notFound].contains(error.code) else { return false }
    return try await !store.due(at: workspace.time.instant).contains { $0.job.id == due.job.id }
  }
}
