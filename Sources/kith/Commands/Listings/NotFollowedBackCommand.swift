// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith not-followed-back`: lists the followers that an account does not follow back.
struct NotFollowedBackCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "not-followed-back",
    abstract: "List the followers that an account does not follow back.",
    discussion: """
        kith not-followed-back
        kith not-followed-back --where "followers > 100" --limit 20

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
    return graph.graphs.map { .notFollowedBack(by: actor, in: $0) }
  }
}
