// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithWriting

/// `kith unmute-list`: unmutes lists.
struct UnmuteListCommand: ListChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "unmute-list",
    abstract: "Unmute lists.",
    discussion: """
      Mutes of individual accounts stay.

        kith unmute-list at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "unmute-list", participle: "unmuted", noun: "list")

  @Argument(
    help: ArgumentHelp("Lists, by AT-URI or URL; your own lists also by name.", valueName: "list"),
    completion: .ownList)
  var lists: [String]

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func change(_ list: ATURI) -> ChangeIntent { .unmuteList(list) }
}
