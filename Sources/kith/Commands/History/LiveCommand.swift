// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith live`: shows events as they happen.
struct LiveCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "live",
    abstract: "Watch who follows, unfollows and blocks, as it happens.",
    discussion: """
      A line for each event that concerns the accounts: who follows them and who leaves, which accounts they follow and block, \
      who blocks them, and friend requests. Their listings are read once, with the keys of all records, so that an unfollow names its \
      account; after that, the stream of the network tells (KITH_JETSTREAM). kith history keeps everything, and the \
      next run continues where this one ended. Where the stream was interrupted for longer than its host remembers, \
      everything is read again, and what happened meanwhile has no exact time. Ctrl-C ends it.

      A block by a list, and followers who hid before they were ever listed, show at the next snapshot.

        kith live
        kith live alice.test bob.test --settle 1m
        kith live --watched --json | jq -r .handle

      \(NamedLiveRow.help)
      """)

  @Argument(help: ArgumentHelp("Accounts. Default: yours.", valueName: "account"), completion: .actor)
  var actors: [String] = []

  @Flag(help: "All accounts of kith watch list.")
  var watched = false

  @OptionGroup var graph: GraphOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Hold events back this long, and leave out those that are undone meanwhile. Default: 0s.",
      valueName: "span"),
    transform: DurationOption.init(parsing:))
  var settle: DurationOption?

  @Option(parsing: .unconditional, help: ArgumentHelp("End after this many events.", valueName: "n"))
  var limit: Int?

  @Flag(help: .explain) var explain = false
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { explain ? PlanRow.self : NamedLiveRow.self }

  mutating func validate() throws {
    try limit?.check(isIn: (1...), for: "--limit")
    if watched, !actors.isEmpty {
      throw ValidationError("--watched uses the accounts of kith watch list; omit \(actors[0]).")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let names = actors.isEmpty ? ["me"] : actors
    if graph.hasOthers {
      try graph.checkFollowersCanBeListed(
        of: try await context.workspace.actor(named: actors.first), hasIndex: context.index != nil)
    }
    let accounts = watched ? [] : try await context.workspace.accounts(named: names)
    let live = FollowLive(
      of: watched ? .watched : .these(accounts), in: graph.graphs, settle: settle?.duration ?? .zero,
      limit: limit)
    if explain { return try await printPlan(live, context) }
    let own = try await context.workspace.accountIfAny()?.did
    let printer = try OperationPrinter<NamedLiveRow>(context, verb: "seen", isLive: true, countsRows: false)
    let outcome = try await live.run(
      in: context.workspace, printer.reporter.accepting { NamedLiveRow(row: $0, own: own) })
    if outcome.accounts == 0 { return try context.end(outcome, saying: .noneWatched) }
    try printer.finish(isClosed: outcome.rows.isClosed)
    if !common.quiet { context.report(.liveSummary(outcome)) }
    try context.end(outcome)
  }

  private func printPlan(_ live: FollowLive, _ context: CommandContext) async throws {
    var plan = try await live.cost(in: context.workspace) { [context] in context.report($0) }
    if plan.targets == 0 { throw CommandFault(.notFound, .noneWatched) }
    plan.addHandles(among: actors)
    try context.print(plan)
    if !common.quiet {
      context.report(.streamTraffic(live.bytesADay, of: context.workspace.services.jetstream))
    }
  }
}
