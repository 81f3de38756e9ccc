// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith people match`.
struct PeopleMatchCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract: "Find contacts from Mastodon or X, and follow them.",
    discussion: """
      Reads the export of Mastodon (following_accounts.csv), a table with a column of names or addresses, or one \
      address a line; the archive of X has only numeric IDs, which cannot be matched. A contact that is an account of \
      Bluesky (NAME@bsky.brid.gy, the URL of its profile, or its handle) is that account. Others are compared by four \
      signals: bridge (the handle that Bridgy Fed gives the Mastodon account), handle (it begins with the name), name \
      (the display names are the same) and bio (the description names the account elsewhere). None is proof. An \
      account with two signals, and more than any other, is selected; --follow follows the selected ones as one job, \
      after a question. Fields: contact, did, handle, displayName, signals, selected, relationship, followers.

        kith people match following_accounts.csv
        kith people match following_accounts.csv --follow --dry-run
      """)

  @Argument(help: ArgumentHelp("The file, or - for stdin.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "The column of a table that has the accounts: its name, or its number from 1.", valueName: "column"))
  var column: String?

  @Flag(help: "Follow the selected accounts.")
  var follow = false

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? {
    options.explain ? PlanRow.self : follow ? ChangeRow.self : ContactRow.self
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    // A missing account is reported before anything is read.
    if follow { _ = try await context.workspace.account() }
    let contacts = try await ContactReader.contacts(in: try process.file(file), column: column)
    if contacts.unreadable > 0, !common.quiet { context.report(.contactsUnreadable(contacts, in: file)) }
    if follow {
      return try await ChangeRun(context: context, options: options).finish(FollowContacts(contacts.all))
    }
    let match = MatchContacts(contacts.all)
    if options.explain {
      return try context.print(
        try await match.cost(in: context.workspace) { [context] in context.report($0) })
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<ContactRow>(context, verb: "looked for")
    let outcome = try await match.run(in: context.workspace, printer.reporter)
    try context.finish(
      printer, outcome,
      saying: common.quiet ? nil : .contactsMatched(outcome), cost)
  }
}
