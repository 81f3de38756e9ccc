// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith lists list`: shows the lists of an account.
struct ListsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show your lists, or those of another account.",
    discussion: """
      Your own lists are read from your repository, those of others from the AppView. Fields: uri, name, \
      purpose (curate, mod, reference), owner, ownerHandle, description, members (as counted by the \
      AppView), muted and block (by you; null if no account is signed in), createdAt (only your own lists).

        kith lists
        kith lists --of alice.test --json
      """)

  @Option(help: ArgumentHelp("Show the lists of this account.", valueName: "account"), completion: .actor)
  var of: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { ListRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    _ = try await context.print(
      ShowLists(of: try of.map { try ActorInput(parsing: $0).identifier }), verb: "read",
      orSay: .noLists(of: of))
    if common.verbose { cost.report() }
  }
}
