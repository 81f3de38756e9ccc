// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let printer = try OperationPrinter<AccountRow>(context, verb: "listed")
    var reporter = printer.reporter
    reporter.rows = { [rows = reporter.rows] in try await rows($0.map(\.worded)) }
    let outcome = try await ListSignedInAccounts().run(in: context.workspace, reporter)
    try printer.finish(outcome.rows)
    if outcome.rows.count == 0, !common.quiet { context.report(.noAccounts) }
    try context.end(outcome)
  }
}

extension AccountRow {
  /// The row with the error as the command words it.
  fileprivate var worded: AccountRow {
    var row = self
    row.reason = failure.map { Message(any: $0).text }
    return row
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

  func run(in process: RunContext) async throws {
    let account = try ActorInput(parsing: name).identifier
    var common = common
    common.account = name
    let context = try CommandContext(common, network, process)
    let outcome = try await SwitchAccount(to: account).run(in: context.workspace, Reporter { _ in })
    if !common.quiet { context.report(.actingAs(outcome.session)) }
  }
}
