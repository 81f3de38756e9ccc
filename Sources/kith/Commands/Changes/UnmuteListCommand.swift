// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith unmute-list`: unmutes lists.
struct UnmuteListCommand: ListChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "unmute-list",
    abstract: "Unmute lists.",
    discussion: """
      Mutes of individual accounts stay.

        kith unmute-list at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c

      \(ChangeRow.help)
      """)

  static let kind = ChangeLists.Kind.unmute

  @Argument(
    help: ArgumentHelp("Lists, by AT-URI or URL; your own lists also by name.", valueName: "list"),
    completion: .ownList)
  var lists: [String]

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions
}
