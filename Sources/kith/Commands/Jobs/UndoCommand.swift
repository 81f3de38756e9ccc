// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith undo`: undoes a change, the last one if none is named.
struct UndoCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "undo",
    abstract: "Undo your last change, or the one of a job.",
    discussion: """
      \(UndoOptions.discussion)

        kith undo
        kith undo 7
      """)

  @OptionGroup var undo: UndoOptions
  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws { try await undo.run(points, common, network, in: process) }
}

/// `kith jobs undo`: the same, where jobs are.
struct JobsUndoCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo what a job did, or the last change.",
    discussion: "\(UndoOptions.discussion) The same as kith undo.")

  @OptionGroup var undo: UndoOptions
  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws { try await undo.run(points, common, network, in: process) }
}

/// What is undone, and whether that is asked about.
struct UndoOptions: ParsableArguments {
  static let discussion = """
    Deletes exactly the records that the job created and creates again those that it deleted, the last one first. What \
    has changed since then stays as it is and is reported. Without a number, it means your last command: if that changed \
    nothing, is unfinished or cannot be undone, nothing older is undone. More than one change, and posts and profiles, \
    are asked about. An undo is a job of its own, but cannot be undone: run the original command again.
    """

  @Argument(
    help: ArgumentHelp("The job's number. Default: your last change.", valueName: "job"),
    completion: .jobToUndo)
  var job: JobID?

  @Flag(name: [.customShort("y"), .long], help: "Skip the confirmation prompt.") var yes = false

  func run(
    _ points: PointOptions, _ common: CommonOptions, _ network: NetworkOptions, in process: RunContext
  ) async throws {
    let context = try CommandContext(common, network, process)
    let (run, cost) = (JobRun(context: context), CostReport(context))
    let undo = UndoJob(
      job, options: points.runnerOptions(patience: JobOptions.usualPatience), asking: !yes)
    switch try await run.print(undo) {
    case .undoneBefore(let job): if !common.quiet { context.report(.jobUndone(job)) }
    case .tookBack(let title): if !common.quiet { context.report(.tookBack(title)) }
    case .run(let outcome): try await run.conclude(outcome, cost)
    }
  }
}
