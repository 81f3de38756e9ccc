// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
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
      what is due. After kith db restore has replaced the journal, nothing is undone until you run this \
      once on a terminal, where it lists what is due of all accounts and asks, or with --yes.
      """)

  @Flag(name: [.customShort("n"), .long], help: "List what is due, without changing anything.") var dryRun =
    false

  @Flag(name: .shortAndLong, help: "Undo what is due even after the journal was restored.") var yes = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let printer = try OperationPrinter<JobRow>(context, verb: "done")
    let (endings, ended) = AsyncStream.makeStream(of: DueJobEnding.self)
    var reporter = printer.reporter
    let isHeld = PosixMutex(false)
    reporter.note = { note in
      if case .endsHeld = note { isHeld.withLock { $0 = true } }
      if case .jobEnded(let ending) = note { ended.yield(ending) } else { printer.report(note) }
    }
    reporter.ask = { question in
      guard case .endRestored(let rows, _) = question, context.confirmation.isPossible else {
        return false
      }
      try printer.pause()
      if !rows.isEmpty { _ = try printer.show(rows) }
      return try await context.answer(question)
    }
    let due = EndDueJobs(
      options: points.runnerOptions(patience: JobOptions.usualPatience), onlyListing: dryRun, confirmed: yes)
    let outcome = try await due.run(in: context.workspace, reporter)
    if (outcome.interruption as? CommandFault)?.status != .readerGone { try printer.finish() }
    ended.finish()
    var count = 0
    for await ending in endings {
      try await JobRun(context: context).report(ending)
      count += 1
    }
    let hasDone = count > 0 || printer.hasRows || isHeld.withLock(\.self)
    if !hasDone, outcome.interruption == nil, !common.quiet { context.report(.nothingDue) }
    try context.end(outcome)
  }
}
