// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith followers`: list who follows an actor.
struct FollowersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "followers",
    _superCommandName: Program.name,
    abstract: "List who follows an actor.",
    discussion: """
      As the AppView lists them, newest first. Those that it leaves out, because they are suspended, deactivated or \
      deleted, or a block stands between them and the actor, are counted on stderr.

        kith followers alice.test
        kith followers --since 7d --sort followers
        kith followers --where "not following and followers > 1000" --format csv

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The actor; yourself where none is named.", valueName: "actor"))
  var actor: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    ListingRequest(listing: .followers(of: try await wiring.actor(named: actor)))
  }
}
