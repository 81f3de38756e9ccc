// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith block-list`: blocks all members of lists.
struct BlockListCommand: ListChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "block-list",
    abstract: "Block all members of lists.",
    discussion: """
      The block applies to all members of the list, including those added later. Your follows of members \
      stay, but are hidden. Says which members you follow, and asks for confirmation if there are any. Curation lists \
      and lists of an unknown purpose are refused without --allow-curation: they name accounts to read. The block is \
      a public record, as with kith block.

        kith block-list at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c

      \(ChangeRow.help)
      """)

  static let kind = ChangeLists.Kind.block

  @Argument(
    help: ArgumentHelp("Lists, by AT-URI or URL; your own lists also by name.", valueName: "list"),
    completion: .ownList)
  var lists: [String]

  @Flag(help: "Also block lists that are not moderation lists.") var allowCuration = false

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var allowsCuration: Bool { allowCuration }
}
