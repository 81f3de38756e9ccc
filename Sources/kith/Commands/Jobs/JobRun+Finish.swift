// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithWriting

extension JobRun {
  /// Runs a job, prints its row, and ends the command with the combined status.
  func finish(_ job: JobID) async throws {
    let cost = CostReport(wiring.meter)
    let line = wiring.progressLine("done")
    defer { line.end() }
    let end = try await run(job, on: line)
    line.end()
    let summary = try await engine.journal.summary(of: job)
    try await wiring.print(summary, in: engine.journal)
    let skipped = summary.counts[.skipped]
    if skipped > 0, !common.quiet {
      StandardError.say(.jobItemsSkipped(job, skipped, of: summary.counts.total))
    }
    if let message = end.message { StandardError.say(message) }
    let status = end.status.orMoreSevere(summary.tellOfFailures())
    if common.verbose { cost.say() }
    if status != .success { throw CommandFault(status) }
  }
}

extension JobSummary {
  /// Rejects a job that is not fully recorded.
  ///
  /// - Throws: ``CommandFault``; `JobError` if another process is recording it now.
  func checkIsWrittenDown() throws {
    guard job.state == .preparing else { return }
    if let holder { throw JobError.held(job.id, by: holder) }
    throw CommandFault(.usage, .jobNotWrittenDown(job.id))
  }

  /// Reports how many items failed and what to do about it, even with `--quiet`: a job can be done with
  /// failures, and nothing else reports them.
  ///
  /// - Returns: the combined status of the items.
  func tellOfFailures() -> ExitStatus {
    let failed = counts[.failed]
    guard failed > 0 else { return .success }
    StandardError.say(.jobItemsFailed(job.id, failed, of: counts.total))
    return .unavailable
  }
}

extension Wiring {
  /// Cancels the jobs whose process ended while it recorded them, and reports each.
  ///
  /// - Returns: the cancelled jobs.
  @discardableResult func cancelUnrecorded(in store: any JobStore) async throws -> [JobID] {
    let cancelled = try await JobManager(journal: store, time: workspace.time).cancelUnrecorded()
    if !common.quiet { for job in cancelled { StandardError.say(.jobAbandoned(job)) } }
    return cancelled
  }

  /// Does the same before a job is run.
  ///
  /// - Throws: ``CommandFault`` if the job is one of them; `JobError` if another process is recording it now.
  func checkIsWrittenDown(_ job: JobID, in store: any JobStore) async throws {
    if try await JobManager(journal: store, time: workspace.time).cancelUnrecorded().contains(job) {
      throw CommandFault(.usage, .jobNotWrittenDown(job))
    }
    try (try await store.summary(of: job)).checkIsWrittenDown()
  }

  /// Rejects a job of another account than that of `--account`.
  func check(_ job: Job) async throws {
    guard workspace.chosenAccount != nil, try await workspace.account().did != job.account else { return }
    throw CommandFault(.notAllowed, .jobOfAnotherAccount(job))
  }
}
