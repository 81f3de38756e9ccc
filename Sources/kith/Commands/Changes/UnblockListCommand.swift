// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith unblock-list`: unblocks lists.
struct UnblockListCommand: ListChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "unblock-list",
    abstract: "Unblock lists.",
    discussion: """
      Deletes all your records that block the list; blocks of individual accounts stay. Asks for confirmation \
      if the list has several members.

        kith unblock-list at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c

      \(ChangeRow.help)
      """)

  static let kind = ChangeLists.Kind.unblock

  @Argument(
    help: ArgumentHelp("Lists, by AT-URI or URL; your own lists also by name.", valueName: "list"),
    completion: .ownList)
  var lists: [String]

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions
}
