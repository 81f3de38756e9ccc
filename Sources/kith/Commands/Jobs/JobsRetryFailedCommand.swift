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

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let (run, cost) = (JobRun(context: context), CostReport(context))
    let repetition = RunJob(
      job, .retryFailed, options: points.runnerOptions(patience: JobOptions.usualPatience))
    let outcome = try await run.print(repetition)
    guard outcome.end != nil else { return context.report(.nothingFailed(job)) }
    try await run.conclude(outcome, cost)
  }
}
