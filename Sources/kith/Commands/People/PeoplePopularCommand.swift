// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith people popular`.
struct PeoplePopularCommand: FindingCommand {
  static let configuration = CommandConfiguration(
    commandName: "popular",
    abstract: "List the accounts with the most followers among those that you follow.",
    discussion: """
      kith following --sort followers lists all of them.

        kith people popular
        kith people popular alice.test --limit 10
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @OptionGroup(title: "Listing") var options: PeopleOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func finding(_ context: CommandContext) async throws -> FindPeople {
    FindPeople(.popular, of: try await context.workspace.actor(named: actor))
  }
}
