// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith mutuals`: list who follows an actor and is followed back.
struct MutualsCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutuals",
    _superCommandName: Program.name,
    abstract: "List who follows an actor and is followed back.",
    discussion: """
        kith mutuals
        kith mutuals alice.test --json

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The actor; yourself where none is named.", valueName: "actor"))
  var actor: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    ListingRequest(query: .mutuals(of: try await wiring.actor(named: actor)))
  }
}
