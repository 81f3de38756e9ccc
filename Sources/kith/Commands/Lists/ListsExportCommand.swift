// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith lists export`: exports the members of a list.
struct ListsExportCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the members of a list.",
    discussion: """
      The same rows as kith lists show, with as few calls as possible: no handles are looked up for your own \
      lists. CSV output can be imported with --column subject.

        kith lists export Noise --format csv > noise.csv
        kith lists import Calm --from noise.csv --column subject
      """)

  @Argument(help: "The list.", completion: .ownList) var list: String

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { MemberRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let uri = try await context.workspace.list(named: list, of: try await context.workspace.accountIfAny())
    try await context.printMembers(of: uri, withHandles: false)
  }
}
