// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
public import KithWriting

/// `kith report`: reports an account or a record to a moderation service.
struct ReportCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "report",
    abstract: "Report an account or record to moderators.",
    discussion: """
      The report goes through your PDS to the service. It is sent once, without a retry: if the answer is lost, you \
      are told. Kith does not remember reports, so running the command again sends another one. A report cannot be \
      undone: on a terminal you are asked before it is sent, and afterwards whether to block the account as well. \
      With --yes, or without a terminal, it is sent at once, and the command for blocking is printed. Name a post by \
      its AT-URI or the URL of its page.

        kith report spam.test --reason spam --text-file words.txt
        kith report spam.test --reason spam --block
        kith report https://bsky.app/profile/rude.test/post/3k2yihcrp6f2c --reason rude

      Fields of each row: input, subject (DID or AT-URI), reason, to, state (reported, planned, \
      inDoubt, failed), id, reportedBy, createdAt, blocked (null if not requested), error. With --explain: \
      step, collection, calls, targets, bytes, points, seconds, estimate.
      """)

  @Argument(
    help: ArgumentHelp(
      "An account, or a record by AT-URI or URL.", valueName: "account"), completion: .actor)
  var actor: String

  @Option(help: "What is wrong with it.") var reason: ReportReason

  @Option(
    help: ArgumentHelp(
      "Text for the moderators: a file of up to 2000 characters, or - for stdin.",
      valueName: "file"),
    completion: .file())
  var textFile: String?

  @Option(help: .hidden) var text: String?

  @Option(
    help: ArgumentHelp(
      "The moderation service, as DID#SERVICE.", discussion: "Default: the moderation of bsky.app.",
      valueName: "service"))
  var to: String?

  @Flag(help: "Block the account as well.") var block = false

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ReportRow.self }

  func validate() throws {
    if options.propose {
      throw ValidationError("A report cannot be proposed; look at it with --dry-run.")
    }
    if text != nil {
      throw ValidationError(
        "Every user of this machine can read arguments; pass the text with --text-file FILE, or - for stdin.")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let input = try ReportInput(parsing: actor)
    var report = ReportToModerators(
      input, named: actor, because: reason,
      to: try CommandContext.reference(to ?? ReportToModerators.publicModeration, named: "--to"))
    report.text = try await readText(in: process)
    report.blocks = block ? true : nil
    report.isPreview = options.dryRun
    // Without a terminal it is sent at once.
    report.isConfirmed = options.yes || !context.confirmation.isPossible
    report.options = options.points.runnerOptions(patience: JobOptions.usualPatience)
    let run = ChangeRun(context: context, options: options)
    report.patience = run.patienceForOne(options.points)
    if options.explain {
      return try context.print(
        try await report.cost(in: context.workspace) { [context] in context.report($0) })
    }
    try await carryOut(report, run, context)
  }

  private func carryOut(
    _ report: ReportToModerators, _ run: ChangeRun, _ context: CommandContext
  ) async throws {
    let cost = CostReport(context)
    let reason = PosixMutex<String?>(nil)
    let outcome = try await report.run(
      in: context.workspace,
      Reporter { rows in
        for var row in rows {
          row.reason = reason.withLock(\.self) ?? row.reason
          try context.print(row)
        }
      } note: { note in
        guard case .preparing(.reported(let row, let failure)) = note else { return context.report(note) }
        guard let failure else {
          if let receipt = row.receipt, !common.quiet {
            context.report(.reported(row.input, number: receipt.id))
          }
          return
        }
        let message =
          row.state == .inDoubt
          ? .reportInDoubt(failure) : CommandFault(failure).message ?? Message(failure)
        reason.withLock { $0 = message.text }
        context.report(message.about(row.input, "input", .string(row.input)))
      } ask: {
        try await context.answer($0)
      })
    if outcome.isDeclined { throw CommandFault(OperationError.declined) }
    if outcome.offersBlock, !common.quiet { context.report(.blockHint(outcome.owner)) }
    if let failure = outcome.blockFailure {
      guard let unrecorded = failure as? UnrecordedChangeError else { throw failure }
      // The report was sent, so the command must not be run again.
      context.report(.blockHint(outcome.owner))
      throw unrecorded.journalError
    }
    if let block = outcome.block {
      try await run.conclude(block, cost, printsRows: false)
    } else if common.verbose {
      cost.report()
    }
    try context.end(outcome)
  }

  private func readText(in process: RunContext) async throws -> String? {
    guard let textFile else { return nil }
    let source = try process.file(textFile)
    guard let text = String(validating: try await source.readText(limit: 64 << 10), as: UTF8.self) else {
      throw CommandFault(.usage, .notUnicode(file: source.name))
    }
    return try ReportToModerators.text(text, from: source.name)
  }
}

extension ReportReason: ExpressibleByArgument {}
