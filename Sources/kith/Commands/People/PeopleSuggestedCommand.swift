// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith people suggested`.
struct PeopleSuggestedCommand: FindingCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggested",
    abstract: "List the accounts that the AppView suggests.",
    discussion: """
      Signed out, it suggests the same accounts to everybody, in changing order. Accounts that you mute, that you \
      have dismissed, or that ask to be left out of recommendations are left out; the first 50 rows are checked for \
      the latter.

        kith people suggested
        kith people suggested --similar-to alice.test
      """)

  @Option(
    help: ArgumentHelp("Those that the AppView calls similar to this account.", valueName: "account"),
    completion: .actor)
  var similarTo: String?

  @OptionGroup(title: "Listing") var options: PeopleOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func finding(_ context: CommandContext) async throws -> FindPeople {
    guard let similarTo else { return FindPeople(.suggested) }
    return FindPeople(.similar(to: try await context.workspace.actor(named: similarTo)))
  }
}
