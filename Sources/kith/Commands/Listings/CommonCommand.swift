// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith common`: lists the accounts that several accounts all follow.
struct CommonCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "common",
    abstract: "List the accounts that several accounts all follow.",
    discussion: """
      Predicates refer to the first account, unless they name another with "with".

        kith common alice.test bob.test
        kith common me alice.test bob.test --where "not blocked with me"

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("Two or more accounts.", valueName: "account"), completion: .actor)
  var actors: [String]

  @OptionGroup(title: "Listing") var graph: GraphOptions
  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  mutating func validate() throws {
    if actors.count < 2 {
      throw ValidationError("Name at least two accounts; only \(actors[0]) was given.")
    }
  }

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    var identifiers: [ATIdentifier] = []
    for actor in actors { identifiers.append(try await context.workspace.actor(named: actor)) }
    return graph.graphs.map { .common(identifiers[0], Array(identifiers.dropFirst()), in: $0) }
  }
}
