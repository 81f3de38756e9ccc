// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
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
    let environment = RunContext.current.environment
    let wiring = try Wiring(common, network, environment: environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let sessions = try wiring.workspace.sessions()
    let session = try await sessions.confirmed(sessions.session(of: wiring.chosenAccount))
    let isCurrent = (try? await sessions.did(of: nil)) == session.did
    try common.print(
      AccountRow(did: session.did, session: session, isCurrent: isCurrent), environment: environment)
  }
}
