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
    options.cost.explain ? PlanRow.self : follow ? ChangeRow.self : ContactRow.self
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    // A missing account is reported before anything is read.
    let account = follow ? try await context.workspace.account() : nil
    let contacts = try await ContactReader.contacts(in: try process.file(file), column: column)
    if contacts.unreadable > 0, !common.quiet { context.report(.contactsUnreadable(contacts, in: file)) }
    let match = MatchContacts(contacts.all)
    if options.cost.explain {
      return try context.print(
        try await match.cost(in: context.workspace) { [context] in context.report($0) })
    }
    let cost = CostReport(context)
    let selected = PosixMutex<[ContactRow]>([])
    let printer = try OperationPrinter<ContactRow>(context, verb: "looked for", printsRows: !follow)
    var reporter = printer.reporter
    reporter.rows = { [rows = reporter.rows] found in
      selected.withLock { $0 += found.filter(\.isSelected) }
      try await rows(found)
    }
    let outcome = try await match.run(in: context.workspace, reporter)
    try context.finish(
      printer, outcome.rows, counting: nil,
      saying: common.quiet ? nil : .contactsMatched(outcome, of: contacts.all.count), cost)
    guard let account else { return }
    let chosen = selected.withLock(\.self)
    if chosen.isEmpty { return }
    var run = ChangeRun(context: context, options: options, verb: FollowCommand.verb, choice: .found)
    run.concern = { _ in "found by signals such as handle and name, not by a proof" }
    try await run.finish(
      chosen.map { RequestedChange($0.view.name, .success(.follow($0.view.account))) }, as: account)
  }
}
