// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith following`: lists the accounts that an account follows.
struct FollowingCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "following",
    abstract: "List the accounts that an account follows.",
    discussion: """
      As the AppView lists them, newest first, then those that only the repository contains. Your own \
      follows are read from your repository, with their dates.

        kith following
        kith following alice.test --filter birds
        kith following --status --where "status is not active"

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
    return graph.graphs.map { .follows(of: actor, in: $0) }
  }
}
