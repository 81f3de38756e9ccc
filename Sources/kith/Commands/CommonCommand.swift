// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith common`: list whom several actors follow, each of them.
struct CommonCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "common",
    _superCommandName: Program.name,
    abstract: "List whom several actors follow, each of them.",
    discussion: """
      Predicates are about the first of them, unless they say with whom.

        kith common alice.test bob.test
        kith common me alice.test bob.test --where "not blocked with me"

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The actors, two or more.", valueName: "actor"))
  var actors: [String]

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  mutating func validate() throws {
    if actors.count < 2 {
      throw ValidationError("Whom do \(actors[0]) and who else follow? Name another actor.")
    }
  }

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    var identifiers: [ATIdentifier] = []
    for actor in actors { identifiers.append(try await wiring.actor(named: actor)) }
    return ListingRequest(query: .common(identifiers[0], Array(identifiers.dropFirst())))
  }
}
