// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith people recommend`.
struct PeopleRecommendCommand: FindingCommand {
  static let configuration = CommandConfiguration(
    commandName: "recommend",
    abstract: "Recommend accounts to follow, each with the reasons.",
    discussion: """
      From the same accounts as kith people nearby, but each path counts by the Adamic-Adar index: a follow by \
      an account that follows few others says more than one by an account that follows thousands. Lists and starter packs that you \
      have made or that you are on (the latter with --index) count as well. No server is told what you are \
      interested in. Accounts that you mute, that you have dismissed (kith people dismiss), or that ask to be left \
      out of recommendations are left out; the first 50 rows are checked for the latter.

        kith people recommend
        kith follow --people recommend --first 10 --dry-run
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @OptionGroup(title: "Listing") var extent: ReachOptions
  @OptionGroup(title: "Listing") var options: PeopleOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func finding(_ context: CommandContext) async throws -> FindPeople {
    FindPeople(.recommended, of: try await context.workspace.actor(named: actor), reach: extent.reach)
  }
}
