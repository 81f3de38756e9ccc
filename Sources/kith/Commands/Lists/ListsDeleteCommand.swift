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

  static let verb = ChangeVerb(
    name: "lists delete", participle: "deleted", isDestructive: true, noun: "list", imperative: "Delete",
    confirmationThreshold: 1)

  @Argument(help: ArgumentHelp("The lists, by name, AT-URI or URL.", valueName: "list"), completion: .ownList)
  var lists: [String]

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    if options.cost.explain {
      var estimate = try await context.estimate(options, as: account, reading: [.lists])
      for list in lists { estimate.add(.list(.delete(try await estimate.addNaming(of: list)))) }
      return try context.print(try await estimate.plan())
    }
    var requests: [RequestedChange] = []
    for list in lists {
      let uri = try await context.workspace.list(named: list, of: account)
      requests.append(RequestedChange(list, .success(.list(.delete(uri)))))
    }
    let run = ChangeRun(context: context, options: options, verb: Self.verb, choice: .named)
    try await run.finish(requests, as: account)
  }
}
