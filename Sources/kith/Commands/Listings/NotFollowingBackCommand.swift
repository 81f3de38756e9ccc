// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith not-following-back`: lists the follows of an account that do not follow it back.
struct NotFollowingBackCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "not-following-back",
    abstract: "List the follows of an account that do not follow back.",
    discussion: """
      Each account is checked individually, so followers that are only hidden from the listing are not \
      reported.

        kith not-following-back
        kith not-following-back --where "followed before 2026-01-01" --format csv
        kith unfollow --not-following-back

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
    return graph.graphs.map { .notFollowingBack(actor, in: $0) }
  }
}
