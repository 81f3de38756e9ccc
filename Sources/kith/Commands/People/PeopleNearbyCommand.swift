// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith people nearby`.
struct PeopleNearbyCommand: FindingCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearby",
    abstract: "List accounts that many of the accounts you follow also follow.",
    discussion: """
      Near in the graph, not in a place: Kith knows no places. The newest 100 follows of the newest 200 accounts \
      that you follow are looked at, one call each; what was read is used again for a day, so that an interrupted \
      run continues. Accounts that you follow are left out.

        kith people nearby
        kith people nearby --reach 500 --explain
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(help: ArgumentHelp("How many steps away; only 2 can be asked for.", valueName: "2"))
  var distance = 2

  @OptionGroup(title: "Listing") var extent: ReachOptions
  @OptionGroup(title: "Listing") var options: PeopleOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  mutating func validate() throws {
    guard distance == 2 else {
      throw ValidationError(
        "--distance must be 2, not \(distance): at 1 are the accounts that you follow (kith following), and at 3 is almost everybody."
      )
    }
  }

  func finding(_ context: CommandContext) async throws -> FindPeople {
    FindPeople(.nearby, of: try await context.workspace.actor(named: actor), reach: extent.reach)
  }
}
