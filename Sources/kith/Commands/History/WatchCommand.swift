// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith watch`: the accounts of regular snapshots.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "watch",
    abstract: "Choose accounts for regular snapshots.",
    discussion: """
      kith snapshot --watched takes snapshots of all watched accounts; the systemd units of the package run \
      it daily. Fields: did, handle, since, snapshotAt (the last complete snapshot).

        kith watch add me alice.test
        kith watch list
        systemctl --user enable --now kith-snapshot.timer
      """,
    subcommands: [WatchListCommand.self, WatchAddCommand.self, WatchRemoveCommand.self],
    defaultSubcommand: WatchListCommand.self)
}

/// `kith watch list`.
struct WatchListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List watched accounts with the time of their last snapshot.")

  @Flag(help: "Look up their handles, 25 per call.")
  var names = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { WatchRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let printer = try OperationPrinter<WatchRow>(context, verb: "listed")
    let rows = try await ListWatchedAccounts(wantsNames: names).run(
      in: context.workspace, printer.reporter)
    try printer.finish(rows)
    if rows.count == 0, !common.quiet { context.report(.noneWatched) }
  }
}

/// `kith watch add`.
struct WatchAddCommand: RowCommand {
  static let configuration = CommandConfiguration(commandName: "add", abstract: "Watch accounts.")

  @Argument(help: ArgumentHelp("Accounts, or me.", valueName: "account"), completion: .actor)
  var actors: [String]

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    let accounts = try await context.workspace.accounts(named: actors)
    let outcome = try await WatchAccounts(accounts).run(in: context.workspace)
    if !common.quiet { context.report(.watched(outcome)) }
  }
}

/// `kith watch remove`.
struct WatchRemoveCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Stop watching accounts.",
    discussion: "Their snapshots stay; kith db forget removes them.")

  @Argument(help: ArgumentHelp("Accounts, or me.", valueName: "account"), completion: .actor)
  var actors: [String]

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    let accounts = try await context.workspace.accounts(named: actors)
    let outcome = try await UnwatchAccounts(accounts).run(in: context.workspace)
    if !common.quiet { context.report(.unwatched(outcome)) }
  }
}
