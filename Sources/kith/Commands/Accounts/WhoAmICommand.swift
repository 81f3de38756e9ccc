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

  mutating func run() async throws {
    let context = try CommandContext(common, network)
    let cost = CostReport(context.meter)
    defer { if common.verbose { cost.say() } }
    let reporter = Reporter<AccountRow> { [common, context] rows in
      for row in rows { try common.print(row, environment: context.environment) }
    }
    try await ConfirmSession().run(in: context.workspace, reporter)
  }
}
