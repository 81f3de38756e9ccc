// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith known-followers`: list the followers of an actor whom you follow.
struct KnownFollowersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "known-followers",
    _superCommandName: Kith.name,
    abstract: "List the followers of an actor whom you follow.",
    discussion: """
      All of them: each of your follows is asked about, for the AppView itself tells a hundred at most.

        kith known-followers alice.test
        kith known-followers alice.test --of bob.test

      Fields of each row: did, handle, displayName, since (when the edge was made, by the word of whoever made it), \
      record, followers, follows, posts, createdAt, status; null where it was not asked for or is not known. With \
      --explain: step, collection, calls, targets, bytes, points, seconds, estimate.
      """)

  @Argument(help: ArgumentHelp("The actor.", valueName: "actor"))
  var actor: String

  @Option(help: ArgumentHelp("Those whom this actor follows, instead of yourself.", valueName: "actor"))
  var of: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    let followed = try await wiring.actor(named: actor)
    return ListingRequest(
      listing: .follows(of: try await wiring.actor(named: of)),
      predicate: AccountPredicate(.followedBy, with: .account(followed)))
  }
}
