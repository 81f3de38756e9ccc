// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith lists export`: exports the members of a list.
struct ListsExportCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the members of a list.",
    discussion: """
      The same rows as kith lists show, as CSV: the output can be imported with --column subject.

        kith lists export Noise -o noise.csv
        kith lists import Calm noise.csv --column subject
      """)

  @Argument(help: "The list.", completion: .ownList) var list: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write to this file, which appears once it is complete; its extension sets the format. Default: CSV.",
      valueName: "file"), completion: .file())
  var output: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { MemberRow.self }

  func run(in process: RunContext) async throws {
    try await CommandContext.writing(to: output, common, network, process) { context, file in
      let uri = try await context.workspace.list(
        named: list, of: try await context.workspace.accountIfAny())
      let cost = CostReport(context)
      let count = try await context.print(ListMembers(of: uri, withHandles: true))
      if file == nil || common.quiet { return [] }
      return [.exportSummary(count, to: file, cost.cost, elapsed: cost.elapsed)]
    }
  }
}
