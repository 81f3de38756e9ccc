// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithWriting

/// Carries out requests as options say: asks for confirmation of destructive changes, prints the result of each
/// request, and says what the rows do not.
struct ChangeRun {
  let context: CommandContext
  var options: ChangeOptions
  let verb: ChangeVerb
  /// Who chose the accounts: several that the user has not named are asked about.
  let choice: TargetChoice
  /// The time after which the change is undone; nil for a permanent change.
  var lifetime: Duration?
  /// The files that records to be written name.
  var files: [UploadedPicture] = []
  /// What rows of blocks say about what stays; nil for nothing.
  var remains: OtherRecordsOfBlocked?
  /// Whether rows are printed; otherwise only errors are reported.
  var printsRows = true
  /// Messages about the plan before the question or the change; nil for none.
  var preview: (@Sendable (ChangePlan) -> [Message])?
  /// What to say in the question about a plan that needs an answer although its verb does not; nil if it needs none.
  var concern: @Sendable (ChangePlan) -> String? = { _ in nil }
  /// The question about a plan, of which the first rows are given; nil for that of the verb.
  var question: (@Sendable (ChangePlan, [ChangeRow]) -> String)?

  private var common: CommonOptions { context.common }

  /// How long to retry while a user waits at a terminal for a single change.
  private static let watchedPatience = Duration.seconds(30)

  /// Carries out all necessary changes, and ends the command with the combined status of the rows.
  ///
  /// - Parameter narrow: removes from a plan what the options exclude.
  func finish(
    _ requests: [RequestedChange], as account: AuthorizedAccount,
    narrowing narrow: @escaping @Sendable (PlannedChange) async throws -> PlannedChange = { $0 }
  ) async throws {
    let status = try await perform(requests, as: account, narrowing: narrow)
    if status != .success { throw CommandFault(status) }
  }

  /// Carries out all necessary changes.
  ///
  /// - Parameter narrow: removes from a plan what the options exclude.
  /// - Returns: the combined status of the rows.
  func perform(
    _ requests: [RequestedChange], as account: AuthorizedAccount,
    narrowing narrow: @escaping @Sendable (PlannedChange) async throws -> PlannedChange = { $0 }
  ) async throws -> ExitStatus {
    let cost = CostReport(context)
    let printer = try OperationPrinter<ChangeRow>(context, verb: "read", printsRows: printsRows)
    var reporter = printer.reporter
    reporter.note = { report($0, beside: printer) }
    // What was shown as planned is not printed once more as pending.
    let hidesPending = PosixMutex(requests.count > Self.mostPendingRows && isOnTerminal)
    reporter.ask = { question in
      guard case .change(let plan, let rows) = question else { return false }
      if try await confirm(plan, rows, printer) { hidesPending.withLock { $0 = true } }
      return true
    }
    var change = ChangeRelationships(requests, as: verb.name, of: account, chosenBy: choice)
    change.namesEachChange = verb.namesEachIntent
    change.lifetime = lifetime
    change.files = files
    change.options = options.points.runnerOptions(patience: JobOptions.usualPatience)
    if context.process.standardError.isTerminal {
      change.patienceForOne = options.points.runnerOptions(patience: Self.watchedPatience).patience
    }
    change.isConfirmed = options.yes
    change.needsAnswer = isAskedAbout
    change.narrowing = narrow
    change.remains = remains
    reporter.rows = { [print = reporter.rows] rows in
      let hidesPending = hidesPending.withLock(\.self)
      try await print(rows.filter { !hidesPending || $0.state != .pending }.map(\.withHints))
    }
    if options.dryRun { return try await show(change, printer, reporter, cost) }
    let outcome: ChangeRelationships.Outcome
    do { outcome = try await change.run(in: context.workspace, reporter) } catch {
      if printer.hasRows { try? printer.finish() }
      throw error
    }
    try printer.finish(isClosed: outcome.interruption != nil)
    let status = report(outcome.tally, cost)
    if outcome.replacedUncompared, !common.quiet { context.report(.replacedUncompared) }
    guard let job = outcome.job, let end = outcome.end else { return status }
    if let until = job.until, end == .done, !common.quiet, until.instant > context.time.instant {
      context.report(.undoneLater(until, at: context.process.now))
    }
    if let message = try await context.message(end, of: job.id, account: account.handle, did: account.did) {
      context.report(message)
    } else if !common.quiet, outcome.hasDone {
      context.report(.undoHint(job.id))
    }
    if let fault = outcome.interruption { throw fault }
    return ExitStatus(end).orMoreSevere(status)
  }

  /// On a terminal, pending rows are hidden if there are more rows than this: thousands would hide the others.
  private static let mostPendingRows = 20

  private var isOnTerminal: Bool {
    context.output.isTerminal && common.format(for: context.output) == .table
  }

  /// Shows what would be done.
  private func show(
    _ change: ChangeRelationships, _ printer: OperationPrinter<ChangeRow>, _ reporter: Reporter<ChangeRow>,
    _ cost: CostReport
  ) async throws -> ExitStatus {
    var look = PreviewChanges(change)
    look.plansTogether = preview != nil
    look.limit = options.points.estimate
    let outcome = try await look.run(in: context.workspace, reporter)
    try printer.finish()
    if let warning = outcome.warning { context.report(Message(warning)) }
    let status = report(outcome.tally, cost)
    if outcome.affected > 1, outcome.points > 0 || look.limit.mostChanges < .max, !common.quiet {
      context.report(.pointsNeeded(outcome.points, wait: outcome.wait, within: look.limit))
    }
    return status
  }

  // MARK: Questions

  private func isAskedAbout(_ plan: ChangePlan) -> Bool {
    if verb.isDestructive, plan.affected >= verb.confirmationThreshold { return true }
    if concern(plan) != nil { return true }
    return plan.warning.map { $0.follows > MassChangeWarning.mostFollows } ?? false
  }

  /// Shows what is planned, and asks below it.
  ///
  /// - Returns: whether the plan is where the rows are.
  /// - Throws: ``CommandFault`` `usage` without a terminal, which then shows nothing; `no` if the user declines.
  private func confirm(
    _ plan: ChangePlan, _ rows: [ChangeRow], _ printer: OperationPrinter<ChangeRow>
  ) async throws -> Bool {
    try printer.pause()
    let isShown = printsRows && context.confirmation.isPossible
    let rows = isShown ? rows : Array(rows.prefix(Message.mostNamed))
    let named = try await context.named(rows, asking: true).map(\.withHints)
    let areTogether = isShown ? try printer.show(named) : false
    let changed = named.filter { !$0.steps.isEmpty }
    if isShown, plan.affected > changed.count {
      context.report(.planContinues(plan.affected - changed.count))
    }
    if let warning = plan.warning { context.report(Message(warning)) }
    let usual = verb.question(
      plan.affected, concern(plan) ?? plan.confirmationDetail, following: plan.following,
      names: changed.prefix(Message.mostNamed).map { $0.name ?? $0.input })
    try await context.confirmation.require(question?(plan, changed) ?? usual, or: "look with --dry-run first")
    return areTogether
  }

  // MARK: Messages

  private func report(_ note: Note, beside printer: OperationPrinter<ChangeRow>) {
    switch note {
    case .planned(let plan, let isAsked):
      if !common.quiet { for message in preview?(plan) ?? [] { printer.report(message) } }
      if !isAsked, !options.dryRun, let warning = plan.warning { printer.report(Message(warning)) }
    case .jobCreated: if common.verbose { printer.report(note) }
    default: printer.report(note)
    }
  }

  private func report(_ tally: ChangeTally, _ cost: CostReport) -> ExitStatus {
    let status = tally.kind.map(ExitStatus.init) ?? .success
    // A table with one row shows it.
    let isSaid = tally.rows == 1 && printsRows && common.format(for: context.output) == .table
    if !common.quiet || status != .success, !isSaid,
      let message = Message(tally, of: verb, cost.cost, elapsed: cost.elapsed)
    {
      context.report(message)
    }
    if common.verbose { cost.report() }
    return status
  }
}

extension ChangePlan {
  /// Additional facts for the question.
  fileprivate var confirmationDetail: String {
    let lost = unkeptFiles > 0 ? [UndoPreview.lost(unkeptFiles)] : []
    if followedAndBlocked > 0, affected > 1 {
      return (["you follow \(followedAndBlocked) of them"] + lost).joined(separator: "; ")
    }
    let affected = changes.filter { !$0.steps.isEmpty }
    let notes = affected.count == 1 ? affected[0].notes.map(\.sentence) : []
    return (notes + lost).joined(separator: "; ")
  }
}
