// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith lists remove`: removes accounts from a list.
struct ListsRemoveCommand: ListMembersCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove accounts from a list of yours.",
    discussion: """
      Deletes all member records of the account, even if there are several. Accounts that are not on the \
      list cost nothing.

        kith lists remove Noise alice.test
        kith lists remove Noise --from friends.txt --yes

      \(ChangeRow.help)
      """)

  @Argument(help: "The list, by its name, AT-URI or URL.", completion: .ownList) var list: String

  @Argument(
    help: ArgumentHelp(
      "Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "account"),
    completion: .account
  )
  var names: [String] = []

  @OptionGroup(title: "Accounts") var members: MemberOptions
  @OptionGroup(title: "Accounts") var listings: AccountSources
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var sources: AccountSources? { listings }

  func validate() throws { try validateMembers() }

  var kind: ChangeListMembers.Kind { .remove }
}
