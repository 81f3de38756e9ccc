// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsCancelCommand: FriendChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Withdraw your requests.",
    discussion: """
      A request that was accepted is withdrawn, too, which ends the friendship on both sides.

        kith friends cancel carol.test

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func kind(at now: Instant) -> FriendChanges.Kind { .cancel }
}
