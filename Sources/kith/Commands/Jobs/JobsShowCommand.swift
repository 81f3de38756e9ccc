// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith jobs show`: shows the items of a job.
struct JobsShowCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show each item of a job, or each change that it proposes.",
    discussion: ChangeRow.fields)

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .job) var job: JobID

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await context.print(ShowJob(job), verb: "read")
  }
}
