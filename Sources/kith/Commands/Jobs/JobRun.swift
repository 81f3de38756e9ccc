// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

/// Runs an operation on a job, prints its row, and says what the row does not.
struct JobRun {
  let context: CommandContext

  private var common: CommonOptions { context.common }

  /// Runs an operation that ends with the row of a job.
  @discardableResult
  func print<Job: KithOperation>(_ operation: Job) async throws -> Job.Outcome where Job.Row == JobRow {
    let printer = try OperationPrinter<JobRow>(context, verb: "done")
    var reporter = printer.reporter
    reporter.ask = { question in
      try printer.pause()
      return try await context.answer(question)
    }
    let outcome = try await operation.run(in: context.workspace, reporter)
    try printer.finish()
    return outcome
  }

  /// Says what became of an expired change.
  func report(_ ending: DueJobEnding) async throws {
    switch ending {
    case .run(let outcome, let isUndo): try await report(outcome, countingItems: isUndo)
    case .elsewhere(let job, let isDone):
      if !common.quiet { context.report(.jobEndedElsewhere(job, isDone: isDone)) }
    case .early(let job): context.report(.jobEndsLater(job))
    case .failed(let job, let error):
      guard let fault = CommandFault(any: error) else { throw error }
      if let message = fault.message { context.report(message.about("job \(job)", "job", .job(job))) }
    }
  }

  /// Runs a job, and ends the command with the combined status.
  func finish(_ run: RunJob) async throws {
    let cost = CostReport(context)
    try await conclude(try await print(run), cost)
  }

  /// Says how a job ended, and ends the command with the combined status.
  func conclude(_ outcome: JobRunOutcome, _ cost: CostReport) async throws {
    let (job, counts) = (outcome.summary.job.id, outcome.summary.counts)
    if counts[.skipped] > 0, outcome.end != nil, !common.quiet {
      context.report(.jobItemsSkipped(job, counts[.skipped], of: counts.total))
    }
    try await report(outcome)
    if common.verbose { cost.report() }
    try context.end(outcome)
  }

  /// Says how a job ended.
  ///
  /// - Parameter isUndo: whether the items count that failed; those of a change that is not undone do not.
  func report(_ outcome: JobRunOutcome, countingItems isUndo: Bool = true) async throws {
    if let end = outcome.end, end != .done {
      let job = outcome.summary.job
      let handle = try await context.workspace.account(of: job).handle
      if let message = try await context.message(end, of: job.id, account: handle, did: job.account) {
        context.report(message)
      }
    }
    if isUndo { tellOfFailures(outcome.summary) }
  }

  /// Reports how many items failed and what to do about it, even with `--quiet`: a job can be done with
  /// failures, and nothing else reports them.
  private func tellOfFailures(_ summary: JobSummary) {
    let failed = summary.counts[.failed]
    if failed > 0 { context.report(.jobItemsFailed(summary.job.id, failed, of: summary.counts.total)) }
  }
}

extension CommandContext {
  /// How a run of a job ended; nil if it is done. The directory says whether a deactivated account has moved.
  func message(_ end: JobEnd, of job: JobID, account: Handle, did: DID) async throws -> Message? {
    guard case .stopped(let stop) = end, stop.code == .accountDeactivated else {
      return Message(end, of: job, account: account, at: process.now)
    }
    let server = try await workspace.serverMovedTo(by: did)
    return .jobStopped(job, stop, account: account, movedTo: server, at: process.now)
  }
}

extension RunContext {
  /// The error that ended a command, with the server that the account has moved to if its own one calls it deactivated.
  func explained(_ error: any Error) async -> any Error {
    guard let fault = CommandFault(any: error), let message = fault.message,
      let server = message.fields.serverOfDeactivatedAccount, let workspace = workspace.withLock(\.self),
      let account = try? await workspace.account(), account.pds.service.origin == server,
      let next = try? await workspace.serverMovedTo(by: account.did)
    else { return error }
    return CommandFault(
      fault.status,
      message.explained("the account has moved to \(next): sign in there with kith login \(account.handle)"))
  }
}

extension [OutputField] {
  /// The server that calls an account deactivated, in the fields of an error or of the one behind it.
  fileprivate var serverOfDeactivatedAccount: String? {
    let name = first { $0.name == "name" }?.value
    if name == .string("AccountDeactivated") || name == .string("RepoDeactivated"),
      case .string(let server)? = first(where: { $0.name == "service" })?.value
    {
      return server
    }
    guard case .object(let cause)? = first(where: { $0.name == "cause" })?.value else { return nil }
    return cause.serverOfDeactivatedAccount
  }
}
