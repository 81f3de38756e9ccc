// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting

/// `kith unblock-list`: block lists no more.
struct UnblockListCommand: ListChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock-list",
    _superCommandName: Program.name,
    abstract: "Block lists no more.",
    discussion: """
      Removes every record of yours that blocks the list; blocks of single actors stay.

        kith unblock-list at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "unblock-list", participle: "unblocked", noun: "list")

  @Argument(help: ArgumentHelp("Lists, by AT-URI or URL; your own also by name.", valueName: "list"))
  var lists: [String]

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func change(_ list: ATURI) -> ChangeIntent { .unblockList(list) }
}
