// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithOperations
import KithRelationships
import KithWriting

/// `kith jobs due`: undoes expired timed changes.
struct JobsDueCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "due",
    abstract: "Undo timed changes that have expired.",
    discussion: """
      For cron or a systemd timer; make install installs systemd units. Undoes what is due, for every \
      signed-in account (or only that of --account), and prints a row for each job. --dry-run only lists \
      what is due.
      """)

  @Flag(name: [.customShort("n"), .long], help: "List what is due, without changing anything.") var dryRun =
    false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let printer = try OperationPrinter<JobRow>(context, verb: "done")
    let (endings, ended) = AsyncStream.makeStream(of: DueJobEnding.self)
    var reporter = printer.reporter
    reporter.note = { note in
      if case .jobEnded(let ending) = note { ended.yield(ending) } else { printer.report(note) }
    }
    let due = EndDueJobs(
      options: points.runnerOptions(patience: JobOptions.usualPatience), onlyListing: dryRun)
    let interruption = try await due.run(in: context.workspace, reporter)
    if (interruption as? CommandFault)?.status != .readerGone { try printer.finish() }
    ended.finish()
    var (status, count) = (ExitStatus.success, 0)
    for await ending in endings {
      status = status.orMoreSevere(try await report(ending, context))
      count += 1
    }
    if count == 0, !printer.hasRows, interruption == nil, !common.quiet { context.report(.nothingDue) }
    if let interruption { throw interruption }
    if status != .success { throw CommandFault(status) }
  }

  /// Says what became of an expired change.
  private func report(_ ending: DueJobEnding, _ context: CommandContext) async throws -> ExitStatus {
    switch ending {
    case .run(let outcome, let isUndo):
      return try await JobRun(context: context).report(outcome, countingItems: isUndo)
    case .elsewhere(let job, let isDone):
      if !common.quiet { context.report(.jobEndedElsewhere(job, isDone: isDone)) }
      return .success
    case .failed(let job, let error):
      guard let fault = CommandFault(any: error) else { throw error }
      if let message = fault.message { context.report(message.about("job \(job)", "job", .job(job))) }
      return fault.status
    }
  }
}
