// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith lists add`: adds accounts to a list.
struct ListsAddCommand: ListMembersCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add accounts to a list of yours.",
    discussion: """
      Accounts that are already on it cost nothing. Accounts that you follow are refused on a moderation \
      list, because it would mute or block them; --allow-mutuals adds them anyway.

        kith lists add Friends alice.test bob.test
        kith lists add Noise --from wave.txt --dry-run
        kith lists add Noise --from https://bsky.app/profile/alice.test/lists/3k2yihcrp6f2c

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
  @OptionGroup(title: "Moderation") var moderation: ModerationOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var sources: AccountSources? { listings }

  func validate() throws { try validateMembers() }

  var kind: ChangeListMembers.Kind { .add(allowingFollowed: moderation.allowMutuals) }
}
