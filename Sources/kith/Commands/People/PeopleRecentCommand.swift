// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith people recent`.
struct PeopleRecentCommand: FindingCommand {
  static let configuration = CommandConfiguration(
    commandName: "recent",
    abstract: "List your newest followers.",
    discussion: """
      New to you, not to the network: no server lists the newest accounts of the network.

        kith people recent
        kith follow --people recent --first 20 --where "not following and followers > 10"
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @OptionGroup(title: "Listing") var options: PeopleOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func finding(_ context: CommandContext) async throws -> FindPeople {
    FindPeople(.recent, of: try await context.workspace.actor(named: actor))
  }
}
