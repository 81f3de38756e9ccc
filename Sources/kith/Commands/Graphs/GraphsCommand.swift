// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith graphs`: the graphs of follows of an account.
struct GraphsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "graphs",
    abstract: "Show where an account follows others: on Bluesky, Tangled, Grain and in other apps.",
    discussion: """
      Each app keeps a graph of its own, as records in the repository of the follower, which are public.

        kith graphs
        kith graphs alice.test
        kith graphs compare bluesky tangled --only-in bluesky
        kith follow --graph tangled --following-in bluesky
      """,
    subcommands: [GraphsListCommand.self, GraphsCompareCommand.self],
    defaultSubcommand: GraphsListCommand.self)
}

/// `kith graphs list`: the graphs of an account, with the number of its follows in each.
struct GraphsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the graphs in which an account follows others.",
    discussion: """
      They are read from the repository: the graphs that kith knows, and others whose name ends in follow. With \
      --index, also how many records of others point to the account in each. Fields: actor, graph, collection, \
      follows, alsoOnBluesky, otherSubjects (records about something else than an account), unreadable, \
      followers (as far as the index knows).

        kith graphs
        kith graphs alice.test --index https://constellation.example
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { GraphRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    let printer = try OperationPrinter<GraphRow>(context, verb: "read")
    let graphs = ListGraphs(of: try await context.workspace.actor(named: actor))
    try printer.finish(try await graphs.run(in: context.workspace, printer.reporter))
    if common.verbose { cost.report() }
  }
}

/// `kith graphs compare`: whom an account follows in one of two graphs, or in both.
struct GraphsCompareCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare whom an account follows in two graphs.",
    discussion: """
      A row for each account, the latest follow first. Fields: did, handle, displayName, graphs (in which it is \
      followed), records. kith follow --graph B --following-in A copies a graph.

        kith graphs compare bluesky tangled
        kith graphs compare bluesky tangled alice.test --only-in tangled
      """)

  @Argument(
    help: ArgumentHelp(
      "A graph: bluesky, tangled, grain, spark, cosmik, weaver, or an NSID.", valueName: "graph"),
    completion: .list(FollowGraph.known.map(\.name)))
  var first: FollowGraph

  @Argument(
    help: ArgumentHelp("The other graph.", valueName: "graph"),
    completion: .list(FollowGraph.known.map(\.name)))
  var second: FollowGraph

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(
    help: ArgumentHelp(
      "Only accounts that are followed in this graph and not in the other.", valueName: "graph"),
    completion: .list(FollowGraph.known.map(\.name)))
  var onlyIn: FollowGraph?

  @Option(parsing: .unconditional, help: ArgumentHelp("List at most this many.", valueName: "n"))
  var limit: Int?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { GraphDifferenceRow.self }

  mutating func validate() throws {
    if first == second { throw ValidationError("Name two graphs; both are \(first.name).") }
    if let onlyIn, onlyIn != first, onlyIn != second {
      throw ValidationError("--only-in must be \(first.name) or \(second.name), not \(onlyIn.name).")
    }
    if let limit, limit < 1 {
      throw ValidationError("--limit must be a whole number of 1 or more, not \(limit).")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    let printer = try OperationPrinter<GraphDifferenceRow>(context, verb: "read")
    let graphs = CompareGraphs(
      of: try await context.workspace.actor(named: actor), first, second, onlyIn: onlyIn, limit: limit)
    let outcome = try await graphs.run(in: context.workspace, printer.reporter)
    try printer.finish(outcome.rows)
    if !common.quiet { context.report(.graphsCompared(outcome, first, second)) }
    if common.verbose { cost.report() }
  }
}
