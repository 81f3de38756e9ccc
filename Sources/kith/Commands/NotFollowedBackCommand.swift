// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith not-followed-back`: list who follows an actor and is not followed back.
struct NotFollowedBackCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "not-followed-back",
    _superCommandName: Kith.name,
    abstract: "List who follows an actor and is not followed back.",
    discussion: """
        kith not-followed-back
        kith not-followed-back --where "followers > 100" --limit 20

      Fields of each row: did, handle, displayName, since (when the edge was made, by the word of whoever made it), \
      record, followers, follows, posts, createdAt, status; null where it was not asked for or is not known. With \
      --explain: step, collection, calls, targets, bytes, points, seconds, estimate.
      """)

  @Argument(help: ArgumentHelp("The actor; yourself where none is named.", valueName: "actor"))
  var actor: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    ListingRequest(
      listing: .followers(of: try await wiring.actor(named: actor)), predicate: !AccountPredicate(.following))
  }
}
