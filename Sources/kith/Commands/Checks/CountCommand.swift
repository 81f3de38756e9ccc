// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith count`: counts followers and follows.
struct CountCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "count",
    abstract: "Show how many followers and follows an account has, and who says so.",
    discussion: """
      Two numbers that need not agree: what the profile counts at the AppView, which includes records of accounts that are \
      hidden, and how many accounts the history lists, which is current up to the last snapshot, or to the last event of \
      kith live. With --live, the count of the profile changes with what the stream tells since it was read; Ctrl-C ends it.

        kith count
        kith count alice.test bob.test --json
        kith count alice.test --live

      \(ListingCountRow.help)
      """)

  @Argument(help: ArgumentHelp("Accounts. Default: yours.", valueName: "account"), completion: .actor)
  var actors: [String] = []

  @Flag(help: "Follow the accounts, and show a count again whenever it changes.")
  var live = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { ListingCountRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    let accounts = try await context.workspace.accounts(named: actors.isEmpty ? ["me"] : actors)
    let printer = try OperationPrinter<ListingCountRow>(
      context, verb: "counted", isLive: live, countsRows: !live)
    let rows = try await CountListings(of: accounts, isLive: live).run(
      in: context.workspace, printer.reporter)
    try printer.finish(rows)
    if common.verbose { cost.report() }
  }
}
