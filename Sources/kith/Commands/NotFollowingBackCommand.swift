// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith not-following-back`: list whom an actor follows who do not follow back.
struct NotFollowingBackCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "not-following-back",
    _superCommandName: Program.name,
    abstract: "List whom an actor follows who do not follow back.",
    discussion: """
      Each is asked about, so that nobody is taken to have left who is only hidden from a listing.

        kith not-following-back
        kith not-following-back --where "followed before 2026-01-01" --format csv
        kith unfollow --not-following-back

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The actor; yourself where none is named.", valueName: "actor"))
  var actor: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    ListingRequest(query: .notFollowingBack(try await wiring.actor(named: actor)))
  }
}
