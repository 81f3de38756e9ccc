// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith unfollow`: unfollows accounts.
struct UnfollowCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "unfollow",
    abstract: "Unfollow accounts.",
    discussion: """
      Deletes all your follow records of the account, even if there are several. A follow that only the \
      AppView shows, without a record, is reported; it cannot be removed. Listings of follows are those of the \
      graphs that --graph names.

        kith unfollow alice.test
        kith unfollow --from leavers.txt --yes
        kith unfollow --not-following-back --graph tangled

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Change") var graph: WrittenGraphOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var graphs: [FollowGraph] { graph.asked.graphs }

  func change(_ accounts: AccountChoice, _ context: CommandContext) -> ChangeAccounts {
    ChangeAccounts(.unfollow(in: graphs), accounts)
  }
}
