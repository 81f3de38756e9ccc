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

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let (run, cost) = (JobRun(context: context), CostReport(context))
    let resumption = RunJob(job, options: points.runnerOptions(patience: JobOptions.usualPatience))
    let outcome = try await run.print(resumption)
    if outcome.end == nil, !common.quiet { context.report(.jobDone(job)) }
    try await run.conclude(outcome, cost)
  }
}
