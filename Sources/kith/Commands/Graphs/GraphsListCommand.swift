// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith graphs list`: the graphs of an account, with the number of its follows in each.
struct GraphsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the graphs in which an account follows others.",
    discussion: """
      They are read from the repository: the graphs that kith knows, and others whose name ends in follow. With \
      --index, also how many records of others point to the account in each. Fields: actor, graph, collection, \
      follows, alsoOnBluesky, otherSubjects (records about something else than an account), unreadable, \
      followers (those that the index knows).

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
    let graphs = ListGraphs(of: try await context.workspace.actor(named: actor))
    try await context.print(graphs, verb: "read")
    if common.verbose { cost.report() }
  }
}
