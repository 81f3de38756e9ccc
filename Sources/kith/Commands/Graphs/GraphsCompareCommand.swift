// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith graphs compare`: the follows of an account in two graphs.
struct GraphsCompareCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare the follows of an account in two graphs.",
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

  @OptionGroup private var rows: LimitOptions

  var limit: Int? { rows.limit }

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { GraphDifferenceRow.self }

  mutating func validate() throws {
    if first == second { throw ValidationError("Name two graphs; both are \(first.name).") }
    if let onlyIn, onlyIn != first, onlyIn != second {
      throw ValidationError("--only-in must be \(first.name) or \(second.name), not \(onlyIn.name).")
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
    if !common.quiet { context.report(.graphsCompared(outcome)) }
    if common.verbose { cost.report() }
  }
}
