// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith whoami`: shows the current account and its session.
struct WhoAmICommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "whoami",
    abstract: "Show which account is signed in and whether its session still works.",
    discussion: """
      Asks the account's server. Fields as in kith accounts: did, handle, pds, current, active, status, \
      serverHandle, error.
      """)

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { AccountRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    let reporter = Reporter<AccountRow> { [context] rows in
      for row in rows { try context.print(row) }
    }
    try context.end(try await ConfirmSession().run(in: context.workspace, reporter))
  }
}
