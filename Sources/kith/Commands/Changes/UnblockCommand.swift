// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith unblock`: unblocks accounts.
struct UnblockCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "unblock",
    abstract: "Unblock accounts.",
    discussion: """
      Deletes your block records of the account, and nothing else. If a list still blocks the account, the \
      list is named, with how to end that.

        kith unblock alice.test

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func change(_ accounts: AccountChoice, _ context: CommandContext) -> ChangeAccounts {
    ChangeAccounts(.unblock, accounts)
  }
}
