// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithClient
import KithCore
import KithOperations
public import KithWriting

/// `kith jobs approve`: carries out a change that was proposed.
struct JobsApproveCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Carry out a proposed change.",
    discussion: """
      Plans the change again and carries it out if it is still exactly what was proposed; otherwise nothing is \
      changed, and the error says what differs. Shows the plan and asks, unless --digest names what was shown \
      (kith jobs --json has it) or --yes is given. A proposal can be approved for one day.

        kith jobs approve 7

      \(ChangeRow.fields)
      """)

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .proposedJob) var job: JobID

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The digest of the plan that was shown.", valueName: "digest")
  )
  var digest: PlanDigest?

  @Flag(name: .shortAndLong, help: "Skip the confirmation prompt.") var yes = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await ChangeRun(context: context, alternative: "see what it would do with kith jobs show \(job)")
      .finish(
        running: ApproveJob(
          job, digest: digest, confirmed: yes,
          options: points.runnerOptions(patience: JobOptions.usualPatience)))
  }
}

/// `kith jobs reject`: rejects a change that was proposed.
struct JobsRejectCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "reject",
    abstract: "Reject a proposed change.",
    discussion: "It can no longer be approved. Nothing has been changed.")

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .proposedJob) var job: JobID

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await JobRun(context: context).print(RejectJob(job))
  }
}

extension PlanDigest: ExpressibleByArgument {}
