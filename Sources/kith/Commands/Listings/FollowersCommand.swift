// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith followers`: lists the followers of an account.
struct FollowersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "followers",
    abstract: "List the followers of an account.",
    discussion: """
      As the AppView lists them, newest first. Accounts that it leaves out, because they are suspended, \
      deactivated or deleted, or because of a block between them and the account, are counted on stderr.

        kith followers alice.test
        kith followers --since 7d --sort followers
        kith followers --where "not following and followers > 1000" --format csv

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
    return graph.graphs.map { .followers(of: actor, in: $0) }
  }
}
