// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting

extension JobRun {
  /// Runs a job, prints what it came to, and ends the command with the status of both.
  func finish(_ job: JobID) async throws {
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
    let status = end.status.orGraver(summary.tellOfFailures())
    if status != .success { throw CommandFault(status) }
  }
}

extension JobSummary {
  /// Refuses a job that whoever wrote it down has left unfinished: it can only be given up.
  ///
  /// - Throws: ``CommandFault``; `JobError` where somebody writes it down now.
  func checkIsWrittenDown() throws {
    guard job.state == .preparing else { return }
    if let holder { throw JobError.held(job.id, by: holder) }
    throw CommandFault(.usage, .jobNotWrittenDown(job.id))
  }

  /// Says how many items failed and what can be done about it, also to whoever wants no talk: a job is done with
  /// failures, and nothing else tells of them.
  ///
  /// - Returns: the status that the items amount to.
  func tellOfFailures() -> ExitStatus {
    let failed = counts[.failed]
    guard failed > 0 else { return .success }
    StandardError.say(.jobItemsFailed(job.id, failed, of: counts.total))
    return .unavailable
  }
}

extension Wiring {
  /// The account that a job belongs to, which has to be signed in.
  ///
  /// - Throws: as ``account()``; where `--account` names another one, the runner says so.
  func account(of job: Job) async throws -> AuthorizedAccount {
    try await chosenAccount == nil ? account(named: .did(job.account)) : account()
  }

  /// Refuses a job of another account than `--account` names.
  func check(_ job: Job) async throws {
    guard chosenAccount != nil, try await account().did != job.account else { return }
    throw CommandFault(.notAllowed, .jobOfAnotherAccount(job))
  }
}
