// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithHistory
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.history()
    let watched = try await store.watched()
    let views = try await wiring.workspace.names().views(of: watched.map(\.actor), asking: names)
    try await common.printing(WatchRow.self, environment: wiring.environment) { printer in
      for actor in watched {
        let complete = try await History(store).snapshots(of: actor.actor).filter { $0.state == .complete }
        let last = complete.compactMap(\.endedAt).max()
        try printer.print(WatchRow(actor: actor, view: views[actor.actor], snapshotAt: last))
      }
    }
    if watched.isEmpty, !common.quiet { StandardError.say(.noneWatched) }
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let accounts = try await wiring.workspace.accounts(named: actors)
    let store = try wiring.workspace.history()
    var added = 0
    for account in accounts where try await store.watch(account, at: wiring.time.instant) {
      added += 1
    }
    if !common.quiet { StandardError.say(.watched(added, known: accounts.count - added)) }
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let accounts = try await wiring.workspace.accounts(named: actors)
    let store = try wiring.workspace.history()
    var removed = 0
    for account in accounts where try await store.unwatch(account) { removed += 1 }
    if !common.quiet { StandardError.say(.unwatched(removed, unknown: accounts.count - removed)) }
  }
}

/// A watched account, as a row.
struct WatchRow: PrintableRow {
  let actor: WatchedActor
  let view: AccountView?
  /// When the last complete snapshot ended.
  let snapshotAt: Instant?

  static let fieldNames = ["did", "handle", "since", "snapshotAt"]
  static let headings = ["ACCOUNT", "SINCE", "LAST SNAPSHOT"]

  private var lastSnapshot: String? {
    snapshotAt.map { Datetime(at: $0).description }
  }

  func write(to fields: inout RowEncoder) {
    fields.text(actor.actor)
    fields.text(view?.handle?.description)
    fields.text(Datetime(at: actor.since).description)
    fields.text(lastSnapshot)
  }

  var tableRow: TableRow {
    TableRow(cells: [
      TableRow.Cell(actor.actor.name(in: view)),
      TableRow.Cell(String(Datetime(at: actor.since).description.prefix(16))),
      TableRow.Cell(lastSnapshot.map { String($0.prefix(16)) } ?? "none", lastSnapshot == nil ? .faint : nil),
    ])
  }
}
