// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith accounts`: signed-in accounts, and which of them is current.
struct AccountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "accounts",
    abstract: "List signed-in accounts, or switch between them.",
    discussion: """
      Makes no calls. Fields: did, handle (as claimed by the DID document at sign-in; handle.invalid if that \
      handle resolves to another account), pds, current, active, status (as the server reported when it \
      issued the tokens), serverHandle (the handle that the server uses, if different), error (if the stored \
      session cannot be read).

        kith accounts
        kith accounts switch bob.test
      """,
    subcommands: [AccountsListCommand.self, AccountsSwitchCommand.self],
    defaultSubcommand: AccountsListCommand.self)
}

/// `kith accounts list`.
struct AccountsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List signed-in accounts.")

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { AccountRow.self }

  mutating func run() async throws {
    let environment = RunContext.current.environment
    let sessions = try Wiring(common, network, environment: environment).workspace.sessions()
    let accounts = try await sessions.store.accounts()
    let current = try? await sessions.did(of: nil)
    var status = ExitStatus.success
    try await common.printing(AccountRow.self, environment: environment) { printer in
      for did in accounts {
        let row = await Self.row(of: did, isCurrent: did == current, sessions)
        if let fault = row.fault { status = status.orMoreSevere(fault.status) }
        try printer.print(row)
      }
    }
    if accounts.isEmpty, !common.quiet {
      StandardError.say(.noAccounts)
    }
    if status != .success { throw CommandFault(status) }
  }

  private static func row(of did: DID, isCurrent: Bool, _ sessions: SessionDirectory) async -> AccountRow {
    do {
      return AccountRow(did: did, session: try await sessions.store.session(of: did), isCurrent: isCurrent)
    } catch {
      let fault = CommandFault(any: error) ?? CommandFault(.fileTrouble, Message(other: error))
      return AccountRow(did: did, session: nil, isCurrent: isCurrent, fault: fault)
    }
  }
}

/// `kith accounts switch`.
struct AccountsSwitchCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch", abstract: "Choose the account to use without --account.")

  @Argument(help: ArgumentHelp("A signed-in handle or DID.", valueName: "account"), completion: .account)
  var name: String

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  mutating func run() async throws {
    _ = try ActorInput(parsing: name)
    common.account = name
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let sessions = try wiring.workspace.sessions()
    let session = try await sessions.session(of: wiring.chosenAccount)
    try await sessions.store.setCurrent(session.did)
    if !common.quiet { StandardError.say(.actingAs(session)) }
  }
}
