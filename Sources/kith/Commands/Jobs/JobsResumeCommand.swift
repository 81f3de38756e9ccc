// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithWriting

/// `kith jobs resume`: continues a job.
struct JobsResumeCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Continue a job where it stopped.",
    discussion: """
      Items that were sent but not answered are checked first, so nothing is done twice. If two processes \
      resume the same job, one continues and the other gets an error.
      """)

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .openJob) var job: JobID

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.jobStore()
    let found = try await store.job(job)
    // Resuming a finished job is not an error: another process may have finished it.
    if found.state == .done {
      if !common.quiet { StandardError.say(.jobDone(job)) }
      let summary = try await store.summary(of: job)
      try await wiring.print(summary, in: store)
      let status = summary.tellOfFailures()
      if status != .success { throw CommandFault(status) }
      return
    }
    try await wiring.checkIsWrittenDown(job, in: store)
    let account = try await wiring.workspace.account(of: found)
    let run = JobRun(
      wiring: wiring, points: points, engine: wiring.workspace.engine(of: account, journal: store))
    try await run.finish(job)
  }
}
