// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith lists edit`: changes the name or description of a list.
struct ListsEditCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change the name or description of a list of yours.",
    discussion: """
      The rest of the record stays. The purpose of a list cannot be changed: accounts on a reading list \
      would become moderated.

        kith lists edit Noise --name Racket
        kith lists edit Noise --description ""

      \(ChangeRow.help)
      """)

  @Argument(help: "The list, by its name, AT-URI or URL.", completion: .ownList) var list: String

  @Option(help: ArgumentHelp("New name, 1 to 64 bytes.", valueName: "name")) var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("New description; an empty text removes it.", valueName: "text"))
  var description: String?

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func validate() throws {
    if name == nil, description == nil {
      throw ValidationError("Nothing to change: add --name or --description.")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await ChangeRun(context: context, options: options)
      .finish(EditList(list, ListEdit(name: name, description: description)))
  }
}
