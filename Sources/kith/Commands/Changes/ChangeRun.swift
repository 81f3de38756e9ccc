// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// Carries out a change as options say, prints the result of each request, and says what the rows do not.
struct ChangeRun {
  let context: CommandContext
  /// Nil for a change whose plan is known already.
  var options: ChangeOptions?
  /// What to do besides confirming it beforehand where there is no terminal to ask on.
  var alternative = "look with --dry-run first"
  /// The time after which the change is undone; nil for a permanent change.
  var lifetime: Duration?

  private var common: CommonOptions { context.common }

  /// How long to retry while a user waits at a terminal for a single change.
  static let watchedPatience = Duration.seconds(30)

  /// Carries out a change, or says what it would cost, and ends the command with the combined status of the rows.
  func finish(_ source: some ChangeSource) async throws {
    var change = Change(source)
    change.lifetime = lifetime
    if let options {
      change.mode = options.dryRun ? .preview : options.propose ? .propose : .carryOut
      change.isConfirmed = options.yes
      change.options = options.points.runnerOptions(patience: JobOptions.usualPatience)
      change.patienceForOne = patienceForOne(options.points)
    }
    if options?.explain == true {
      return try context.print(
        try await change.cost(in: context.workspace) { [context] in context.report($0) })
    }
    try await finish(running: change)
  }

  /// Runs an operation that changes something, and ends the command with the combined status of the rows.
  func finish<Operation: KithOperation>(
    running operation: Operation
  ) async throws where Operation.Row == ChangeRow, Operation.Outcome == ChangeRunOutcome {
    let cost = CostReport(context)
    let outcome = try await run(operation)
    if outcome.isDeclined { throw CommandFault(OperationError.declined) }
    try await conclude(outcome, cost)
    if let fault = outcome.fault, outcome.interruption == nil {
      throw CommandFault.ending(with: fault, after: ExitStatus(outcome.ending))
    }
    try context.end(outcome)
  }

  /// How long to retry for one change that a person waits for; nil for as long as for others.
  func patienceForOne(_ points: PointOptions) -> Duration? {
    guard context.process.standardError.isTerminal else { return nil }
    return points.runnerOptions(patience: Self.watchedPatience).patience
  }

  private func run<Operation: KithOperation>(
    _ operation: Operation
  ) async throws -> ChangeRunOutcome where Operation.Row == ChangeRow, Operation.Outcome == ChangeRunOutcome {
    let printer = try OperationPrinter<ChangeRow>(context, verb: "read")
    var reporter = printer.reporter
    // What was shown as planned is not printed once more as pending.
    let hidesPending = PosixMutex(false)
    reporter.note = { note in
      if case .planned(let plan, _) = note, plan.requests.count > Self.mostPendingRows, isOnTerminal {
        hidesPending.withLock { $0 = true }
      }
      report(note, beside: printer)
    }
    reporter.ask = { question in
      try printer.pause()
      guard case .change(let planned) = question else { return try await context.answer(question) }
      if try await context.answer(planned, printer, or: alternative) { hidesPending.withLock { $0 = true } }
      return true
    }
    reporter.rows = { [print = reporter.rows] rows in
      let hidesPending = hidesPending.withLock(\.self)
      try await print(rows.filter { !hidesPending || $0.state != .pending }.map(\.withHints))
    }
    let outcome: ChangeRunOutcome
    do { outcome = try await operation.run(in: context.workspace, reporter) } catch {
      if printer.hasRows { try? printer.finish() }
      throw error
    }
    if !outcome.isDeclined { try printer.finish(isClosed: outcome.interruption != nil) }
    return outcome
  }

  /// On a terminal, pending rows are hidden if there are more rows than this: thousands would hide the others.
  private static let mostPendingRows = 20

  private var isOnTerminal: Bool {
    context.output.isTerminal && common.format(for: context.output) == .table
  }

  // MARK: Messages

  private func report(_ note: Note, beside printer: OperationPrinter<ChangeRow>) {
    switch note {
    case .planned(let plan, let isAsked):
      if !isAsked, options?.dryRun != true, let warning = plan.warning { printer.report(Message(warning)) }
    case .jobCreated: if common.verbose { printer.report(note) }
    default: printer.report(note)
    }
  }

  /// Says what a change came to.
  ///
  /// - Parameter printsRows: whether the rows were printed, so that a single one need not be summed up.
  func conclude(_ outcome: ChangeRunOutcome, _ cost: CostReport, printsRows: Bool = true) async throws {
    if let warning = outcome.preview?.warning { context.report(Message(warning)) }
    report(outcome, cost, printsRows)
    if let preview = outcome.preview, !common.quiet, preview.affected > 1,
      preview.points > 0 || preview.limit.mostChanges < .max
    {
      context.report(.pointsNeeded(preview.points, wait: preview.wait, within: preview.limit))
    }
    if let digest = outcome.proposed, let job = outcome.job {
      return context.report(.proposed(job, digest, at: context.process.now))
    }
    if outcome.replacedUncompared, !common.quiet { context.report(.replacedUncompared) }
    guard let job = outcome.job, let end = outcome.end else { return }
    if let until = job.until, end == .done, !common.quiet, until.instant > context.time.instant {
      context.report(
        .undoneLater(
          until, hasDaemon: (try? DaemonPlace(in: context.environment))?.holder != nil,
          at: context.process.now))
    }
    let account = outcome.account
    if let message = try await context.message(end, of: job.id, account: account.handle, did: account.did) {
      context.report(message)
    } else if !common.quiet, outcome.hasDone {
      context.report(.undoHint(job.id))
    }
  }

  private func report(_ outcome: ChangeRunOutcome, _ cost: CostReport, _ printsRows: Bool) {
    let tally = outcome.tally
    // A table with one row shows it.
    let isSaid = tally.rows == 1 && printsRows && common.format(for: context.output) == .table
    if !common.quiet || tally.kind != nil, !isSaid,
      let message = Message(tally, of: outcome.title, cost.cost, elapsed: cost.elapsed)
    {
      context.report(message)
    }
    if common.verbose { cost.report() }
  }
}
