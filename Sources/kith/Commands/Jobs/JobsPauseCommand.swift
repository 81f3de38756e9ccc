// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithWriting

/// `kith jobs pause`: pauses a job.
struct JobsPauseCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pause a job until it is resumed.",
    discussion:
      "A process that is running the job, in another terminal or as a service, stops before the next commit.")

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .openJob) var job: JobID

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await JobRun(context: context).print(StopJob(job, finally: false))
  }
}
