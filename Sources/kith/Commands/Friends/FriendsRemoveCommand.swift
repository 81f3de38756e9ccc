// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsRemoveCommand: FriendChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "End friendships.",
    discussion: """
      Withdraws your request to each account, and takes back what you have accepted of theirs. They are not notified.

        kith friends remove carol.test

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func kind(at now: Instant) -> FriendChanges.Kind { .remove }
}
