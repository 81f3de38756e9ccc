// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith starter-packs list`: shows the starter packs of an account.
struct StarterPacksListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show your starter packs, or those of another account.",
    discussion: """
      They are read from the repository of their owner. Fields: uri, name, owner, description, list (of the \
      members), createdAt, ownerHandle.

        kith starter-packs --of alice.test --json
      """)

  @Option(
    help: ArgumentHelp("Show the starter packs of this account.", valueName: "account"), completion: .actor)
  var of: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { StarterPackRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    let actor = try of.map { try ActorInput(parsing: $0).identifier }
    _ = try await context.print(ShowStarterPacks(of: actor), verb: "read", orSay: .noStarterPacks(of: of))
    if common.verbose { cost.report() }
  }
}
