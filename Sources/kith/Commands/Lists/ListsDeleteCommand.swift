// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith lists delete`: deletes lists.
struct ListsDeleteCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete lists of yours with their members.",
    discussion: """
      Deletes the list, its member records, and your block of it. The list itself is deleted last; to finish \
      an interrupted run, delete it again. Blocks and mutes of the list by others end with it; kith jobs \
      undo restores what was deleted.

        kith lists delete Noise
        kith lists delete at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c --yes

      \(ChangeRow.help)
      """)

  @Argument(help: ArgumentHelp("The lists, by name, AT-URI or URL.", valueName: "list"), completion: .ownList)
  var lists: [String]

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await ChangeRun(context: context, options: options).finish(DeleteLists(lists))
  }
}
