// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith known-followers`: lists the followers of an account that you follow.
struct KnownFollowersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "known-followers",
    abstract: "List the followers of an account that you follow.",
    discussion: """
      The listing is complete: each of your follows is checked, because the AppView itself lists a hundred \
      at most.

        kith known-followers alice.test
        kith known-followers alice.test --of bob.test

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: .actor)
  var actor: String

  @Option(
    help: ArgumentHelp("Use the follows of this account instead of yours.", valueName: "account"),
    completion: .actor)
  var of: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    let followed = try await context.workspace.actor(named: actor)
    return [.knownFollowers(of: followed, to: try await context.workspace.actor(named: of))]
  }
}
