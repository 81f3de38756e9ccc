// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ArgumentParser

/// `kith whoami`: the account in whose name commands act.
struct WhoAmICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami",
    _superCommandName: Program.name,
    abstract: "Show the account in whose name commands act, and whether its session is good.",
    discussion: """
      Asks the account's server. Fields: did, handle, pds, current, active, status, serverHandle, error, as those of \
      kith accounts.
      """)

  @OptionGroup var common: CommonOptions

  mutating func run() async throws {
    let environment = RunContext.current.environment
    let wiring = try Wiring(common, environment: environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let sessions = try wiring.sessions()
    let session = try await sessions.confirmed(sessions.session(of: wiring.chosenAccount))
    let isCurrent = (try? await sessions.did(of: nil)) == session.did
    try common.print(
      AccountRow(did: session.did, session: session, isCurrent: isCurrent), environment: environment)
  }
}
