// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithWriting

/// `kith jobs retry-failed`: retries the failed items of a job.
struct JobsRetryFailedCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry-failed", abstract: "Retry the failed items of a job.")

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .failedJob) var job: JobID

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.jobStore()
    try await wiring.check(try await store.job(job))
    try await wiring.checkIsWrittenDown(job, in: store)
    let summary = try await store.summary(of: job)
    let found = summary.job
    // A killed run leaves the job in the running state; it has to be resumed first.
    if found.state == .running, summary.holder == nil {
      throw CommandFault(.usage, .jobToResumeFirst(job))
    }
    let account = try await wiring.workspace.account(of: found)
    guard try await store.retryFailed(job) > 0 else {
      StandardError.say(.nothingFailed(job))
      return
    }
    let run = JobRun(
      wiring: wiring, points: points, engine: wiring.workspace.engine(of: account, journal: store))
    try await run.finish(job)
  }
}
