// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith mute-list`: mutes all members of lists.
struct MuteListCommand: ListChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "mute-list",
    abstract: "Mute all members of lists.",
    discussion: """
      The mute applies to all members of the list, including those added later. Mutes are private. \
      Says which members you follow. Curation lists and lists of an unknown \
      purpose are refused without --allow-curation: they name accounts to read.

        kith mute-list at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c

      \(ChangeRow.help)
      """)

  static let kind = ChangeLists.Kind.mute

  @Argument(
    help: ArgumentHelp("Lists, by AT-URI or URL; your own lists also by name.", valueName: "list"),
    completion: .ownList)
  var lists: [String]

  @Flag(help: "Also mute lists that are not moderation lists.") var allowCuration = false

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var allowsCuration: Bool { allowCuration }
}
