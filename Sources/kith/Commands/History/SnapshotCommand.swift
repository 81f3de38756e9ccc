// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import KithHistory
import KithOperations
import KithRelationships

/// `kith snapshot`: records the relationships of accounts and finds changes.
struct SnapshotCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "snapshot",
    abstract: "Take snapshots of followers and follows to find out who left and why.",
    discussion: """
      Takes a snapshot of the followers and follows of each account; for your own account, also of blocks, \
      mutes and the members of your lists. kith history shows the changes between snapshots. A snapshot \
      reads the newest followers and stops if the count in the profile shows no further change; once a week \
      it reads all. Missing accounts are checked before a loss is recorded: if servers do not answer, the \
      loss stays unconfirmed and is checked again the next time. If many followers are gone at once, or the \
      AppView is another one than before, up to 100 of their own servers are asked as well.

        kith snapshot
        kith snapshot alice.test --full
        kith snapshot --watched
        kith snapshot --graph tangled

      \(SnapshotRow.help)
      """)

  @Argument(
    help: ArgumentHelp("Accounts. Default: yours.", valueName: "account"), completion: .actor)
  var actors: [String] = []

  @Flag(help: "All accounts of kith watch list.")
  var watched = false

  @Flag(help: "Read each listing completely, even if nothing seems to have changed.")
  var full = false

  @Flag(help: "Add the follow date of each new follower (1 extra call per 30).")
  var dates = false

  @Option(
    name: .customLong("side"),
    help: ArgumentHelp(
      "Only this side: followers, follows, blocks, mutes or members. May be repeated.", valueName: "side"))
  var sides: [HistoryListing.Side] = []

  @OptionGroup var graph: GraphOptions
  @Flag(help: .explain) var explain = false
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { explain ? PlanRow.self : SnapshotRow.self }

  mutating func validate() throws {
    if watched, !actors.isEmpty {
      throw ValidationError("--watched uses the accounts of kith watch list; omit \(actors[0]).")
    }
    if graph.hasOthers, let side = sides.first(where: { !$0.hasGraphs }) {
      throw ValidationError("--graph is about followers and follows; omit --side \(side.rawValue).")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    if sides.contains(.followers), graph.hasOthers {
      try graph.checkFollowersCanBeListed(
        of: try await context.workspace.actor(named: actors.first), hasIndex: context.index != nil)
    }
    let snapshots = try await operation(context)
    if explain { return try await printPlan(snapshots, context) }
    let cost = CostReport(context)
    let printer = try OperationPrinter<SnapshotRow>(context, verb: "read", countsRows: false)
    let outcome = try await snapshots.run(in: context.workspace, printer.reporter)
    if outcome.accounts == 0 { return try context.end(outcome, saying: .noneWatched) }
    try printer.finish(isClosed: outcome.rows.isClosed)
    try conclude(outcome, cost, context)
  }

  private func operation(_ context: CommandContext) async throws -> TakeSnapshots {
    TakeSnapshots(
      of: watched
        ? .watched : .these(try await context.workspace.accounts(named: actors.isEmpty ? ["me"] : actors)),
      sides: sides.isEmpty ? nil : Set(sides), in: graph.graphs, .init(isFull: full, dates: dates))
  }

  private func printPlan(_ snapshots: TakeSnapshots, _ context: CommandContext) async throws {
    var plan = try await snapshots.cost(in: context.workspace) { [context] in context.report($0) }
    if plan.targets == 0 { throw CommandFault(.notFound, .noneWatched) }
    plan.addHandles(among: actors)
    try context.print(plan)
  }

  /// Says what the rows do not.
  ///
  /// - Throws: what ended the run; ``CommandFault`` if a snapshot failed.
  private func conclude(
    _ outcome: TakeSnapshots.Outcome, _ cost: CostReport, _ context: CommandContext
  ) throws {
    let (summary, failure) = (outcome.summary, outcome.rows.interruption)
    if let fault = failure as? CommandFault, fault.status == .readerGone { throw fault }
    if !common.quiet, failure == nil || summary.taken > 0 {
      context.report(.snapshotSummary(summary, cost.cost, elapsed: cost.elapsed))
    }
    if common.verbose { cost.report() }
    try context.end(outcome)
  }
}

extension HistoryListing.Side: ExpressibleByArgument {}
