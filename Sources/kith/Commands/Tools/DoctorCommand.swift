// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithClient
import KithCore
import KithHistory
import KithOperations
public import KithRelationships

/// `kith doctor`: finds and fixes problems of an account.
struct DoctorCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "doctor",
    abstract: "Find and fix problems with your account.",
    discussion: """
      Compares your repository with what the AppView shows, and checks your handle, your server and your \
      clock. Kinds of findings: duplicate (several records of one follow, block or list member), self (you \
      follow or block yourself), ghost (the AppView shows a follow without a record), unindexed (the AppView \
      does not show a follow of yours), deleted, suspended, deactivated, inactive (you follow such an \
      account), blocker (you follow an account that blocks you), blocked (you follow an account that you \
      block), dead-list-block (you block a list that is gone), orphan-members (members of a list of yours \
      that is gone), malformed (a record that cannot be read), status, handle, pds, clock; and, for \
      information only: subscription (a list that you block or mute), on-list (a list of another account \
      that you are on, according to the index named by --index).

      A table shows the first \(Self.shownOfAKind) findings of each kind, with --only all, and ends with what to do next: \
      for the findings, the accounts that you watch or follow live, and the timers. Programs get all findings.

      Nothing is changed without --fix, which runs the repairs as one job; it can be resumed and undone like \
      any other. It shows the repairs and asks for confirmation; --yes skips the prompt, --dry-run changes \
      nothing. What could not be decided is counted and left as it is.

        kith doctor
        kith doctor --only inactive --inactive 6mo
        kith doctor --fix duplicate deleted --dry-run
        kith doctor --compare-appview https://appview.example.com

      --compare-appview runs a different check: where two AppViews disagree about your follows, blocks and \
      followers (the newest \(CompareAppViews.mostOfAKind) of each). It prints the same rows as kith check --compare-appview.

      \(AuditRow.help) With --fix: as kith unfollow.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Find only these kinds of problems.", valueName: "kind"))
  var only: [AuditFinding.Kind] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Find and fix these kinds of problems.", valueName: "kind"))
  var fix: [AuditFinding.Kind] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Find follows of accounts whose repositories are unchanged for a time such as 6mo (2 calls per follow).",
      valueName: "span"),
    transform: DurationOption.init(parsing:))
  var inactive: DurationOption?

  @Option(help: .compareAppview) var compareAppview: String?
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? {
    if options.explain { return PlanRow.self }
    if compareAppview != nil { return AppViewDifferenceRow.self }
    return fix.isEmpty ? AuditRow.self : ChangeRow.self
  }

  mutating func validate() throws {
    if compareAppview != nil, !only.isEmpty || !fix.isEmpty || inactive != nil {
      throw ValidationError("--compare-appview shows differences only; omit --only, --fix and --inactive.")
    }
    if !only.isEmpty, !fix.isEmpty {
      throw ValidationError("--fix also selects what to find; omit --only.")
    }
    if fix.isEmpty, options.dryRun || options.yes {
      throw ValidationError("--dry-run and --yes need --fix KIND.")
    }
    if let kind = fix.first(where: { !$0.isRepairable }) {
      throw ValidationError("\(kind.rawValue) cannot be fixed; omit it from --fix.")
    }
    if inactive != nil, !fix.isEmpty, !fix.contains(.inactive) {
      throw ValidationError("--inactive needs --fix inactive.")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let kinds = Set(only + fix)
    let audit = AuditAccount(kinds.isEmpty ? nil : kinds, inactiveFor: inactive?.duration)
    var compared: CompareAppViews?
    if let other = try compareAppview.map(CommandContext.comparedAppView) {
      compared = CompareAppViews(
        of: .did(try await context.workspace.account().did), with: other, about: .graph)
    }
    if options.explain {
      let operation: any EstimatedOperation = if let compared { compared } else { audit }
      let plan = try await operation.cost(in: context.workspace) { [context] in context.report($0) }
      return try context.print(plan)
    }
    if let compared { return try await context.printDifferences(of: compared) }
    if fix.isEmpty { try await show(audit, context) } else { try await repair(audit, context) }
  }

  /// How many findings of a kind a table shows.
  private static let shownOfAKind = 5

  /// Prints every finding, or for people the first ones of each kind.
  private func show(_ audit: AuditAccount, _ context: CommandContext) async throws {
    let cost = CostReport(context)
    let printer = try OperationPrinter<AuditRow>(context, verb: "read", countsRows: false)
    var reporter = printer.reporter
    if only.isEmpty, printer.isTable {
      let (print, shown) = (reporter.rows, PosixMutex<[AuditFinding.Kind: Int]>([:]))
      reporter.rows = { rows in
        let first = rows.filter { row in
          shown.withLock { shown in
            shown[row.finding.kind, default: 0] += 1
            return shown[row.finding.kind, default: 0] <= Self.shownOfAKind
          }
        }
        if !first.isEmpty { try await print(first) }
      }
    }
    let outcome = try await audit.run(in: context.workspace, reporter)
    try printer.finish(outcome.rows)
    reportGaps(of: outcome, context)
    if !common.quiet, outcome.rows.interruption == nil {
      for kind in AuditFinding.Kind.allCases {
        guard let count = outcome.counts[kind] else { continue }
        let hidden = only.isEmpty && printer.isTable ? count - Self.shownOfAKind : 0
        context.report(.auditStep(kind, count, hidden: max(0, hidden)))
      }
      if only.isEmpty { try await reportObservation(context) }
    }
    if !common.quiet { context.report(.auditSummary(outcome, cost.cost, elapsed: cost.elapsed)) }
    if common.verbose { cost.report() }
    try context.end(outcome)
  }

  /// Says how far streams were read, when the watched accounts were observed last, and whether the timers run.
  private func reportObservation(_ context: CommandContext) async throws {
    // An unreadable history is not a problem with the account.
    guard let watched = try? await rows(of: ListWatchedAccounts(), context) else { return }
    for row in (try? await rows(of: ListStreams(), context)) ?? [] {
      context.report(.followedLive(row, at: context.process.now))
    }
    var isRunning = false
    if let daemon = context.workspace.daemon {
      let state = try await daemon.status()
      let place = try DaemonPlace(in: context.process.environment)
      context.report(.daemonState(state, isThere: place.holder != nil, at: context.process.now))
      if case .success = state { isRunning = true }
    }
    if watched.isEmpty { return context.report(.noneWatched) }
    for row in watched { context.report(.observed(row, at: context.process.now)) }
    // The daemon does the work of the timers.
    if isRunning { return }
    let timers = UserTimers(in: context.process.environment)
    for timer in ["kith-snapshot.timer", "kith-due.timer"] {
      let state = try await timers.state(of: timer)
      if state == .inactive { context.report(.timerIsOff(timer)) }
    }
  }

  private func rows<Operation: KithOperation>(
    of operation: Operation, _ context: CommandContext
  ) async throws -> [Operation.Row] {
    let run = context.workspace.start(operation)
    var rows: [Operation.Row] = []
    for try await some in run.rows { rows += some }
    _ = try await run.outcome
    return rows
  }

  /// Fixes the findings, which are proven. What could not be decided or examined stays as it is, and gives the status.
  private func repair(_ audit: AuditAccount, _ context: CommandContext) async throws {
    let cost = CostReport(context)
    let (line, process) = (context.progressLine("read"), context.process)
    defer { line.end() }
    var reporter = Reporter<AuditRow>(rows: { _ in }, note: { [context] in context.report($0, beside: line) })
    if line.isShown { reporter.progress = { line.show($0, at: process.now) } }
    let outcome = try await audit.run(in: context.workspace, reporter)
    line.end()
    if outcome.rows.interruption != nil { return try context.end(outcome) }
    reportGaps(of: outcome, context)
    // The rows of the changes show the findings; other results need the summary.
    if !common.quiet, outcome.counts.isEmpty || outcome.coverage.undecided > 0 {
      context.report(.auditSummary(outcome, cost.cost, elapsed: cost.elapsed))
    }
    let requests = outcome.repairs.map {
      RequestedChange($0.subject, .success($0.change))
    }
    if requests.isEmpty, outcome.ending != .done {
      context.report(.nothingFixed)
      return try context.end(outcome)
    }
    let changes = RequestedChanges(
      requests, as: ChangeTitle("doctor", "fixed", noun: "finding", imperative: "Fix"))
    try await ChangeRun(context: context, options: options).finish(changes)
    try context.end(outcome)
  }

  /// Says what could not be examined.
  private func reportGaps(of outcome: AuditAccount.Outcome, _ context: CommandContext) {
    for (part, error) in outcome.coverage.faults { context.report(.notExamined(part, error)) }
  }
}

extension AuditFinding.Kind: ExpressibleByArgument {}

extension Message {
  fileprivate static func auditSummary(
    _ outcome: AuditAccount.Outcome, _ cost: CallCost, elapsed: Duration
  ) -> Message {
    auditSummary(outcome.counts, outcome.coverage, cost, elapsed: elapsed)
  }
}
