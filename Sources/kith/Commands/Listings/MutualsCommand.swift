// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith mutuals`: lists the mutuals of an account.
struct MutualsCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "mutuals",
    abstract: "List the mutuals of an account: follows in both directions.",
    discussion: """
        kith mutuals
        kith mutuals alice.test --json

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @OptionGroup(title: "Listing") var graph: GraphOptions
  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    let actor = try await context.workspace.actor(named: actor)
    return graph.graphs.map { .mutuals(of: actor, in: $0) }
  }
}
