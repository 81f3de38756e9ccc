// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithOperations
import KithWriting

/// `kith jobs cancel`: cancels the remaining items of a job.
struct JobsCancelCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel the rest of a job.",
    discussion: """
      Completed changes stay; kith jobs undo undoes them. Items that were sent but not answered stay in \
      doubt until the job is resumed, which then only checks those.
      """)

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .openJob) var job: JobID

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await JobRun(context: context).print(StopJob(job, finally: true))
  }
}
