// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith known-followers`: list the followers of an actor whom you follow.
struct KnownFollowersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "known-followers",
    _superCommandName: Program.name,
    abstract: "List the followers of an actor whom you follow.",
    discussion: """
      All of them: each of your follows is asked about, for the AppView itself tells a hundred at most.

        kith known-followers alice.test
        kith known-followers alice.test --of bob.test

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The actor.", valueName: "actor"))
  var actor: String

  @Option(help: ArgumentHelp("Those whom this actor follows, instead of yourself.", valueName: "actor"))
  var of: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    let followed = try await wiring.actor(named: actor)
    return ListingRequest(
      query: .knownFollowers(of: followed, to: try await wiring.actor(named: of)))
  }
}
