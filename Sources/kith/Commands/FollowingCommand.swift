// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith following`: list whom an actor follows.
struct FollowingCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "following",
    _superCommandName: Program.name,
    abstract: "List whom an actor follows.",
    discussion: """
      As the AppView lists them, newest first, then those whom only the repository names. Your own are read from \
      your repository, with the date of each.

        kith following
        kith following alice.test --filter birds
        kith following --status --where "status is not active"

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The actor; yourself where none is named.", valueName: "actor"))
  var actor: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    ListingRequest(listing: .follows(of: try await wiring.actor(named: actor)))
  }
}
