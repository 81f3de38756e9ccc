// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithClient
import KithCore
public import KithHistory
import KithOperations
import KithRelationships

/// `kith history`: shows gains and losses, with causes.
struct HistoryCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "history",
    abstract: "Show who followed, who left, and why.",
    discussion: """
      Changes between snapshots, latest first. A changed handle is not a loss. The cause is what servers \
      answered when the loss was found; --why shows the answers. Names are the last known ones. Calls are \
      made only to resolve handles, and with --names.

        kith history --since 7d
        kith history alice.test --kind lost --side followers
        kith history --why bob.test
        kith history --snapshots

      \(NamedHistoryRow.help) With --why: a row per answer, with asked, answer, evidence. With --snapshots: as \
      kith snapshot.
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only changes found since: a date (UTC), or a time span before now.", valueName: "date|span"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Only changes of this kind: gained, returned or lost. May be repeated.", valueName: "kind"))
  var kind: [HistoryChange.Kind] = []

  @Option(
    help: ArgumentHelp(
      "Only losses with this cause, such as unfollowed or blocked-by. May be repeated.", valueName: "cause"))
  var cause: [LossCause] = []

  @Option(
    help: ArgumentHelp(
      "Only this side: followers, follows, blocks, mutes or members. May be repeated.", valueName: "side"))
  var side: [HistoryListing.Side] = []

  @OptionGroup var graph: GraphOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many.", valueName: "n"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Show what happened with this account, with the calls and answers as evidence.", valueName: "account"))
  var why: String?

  @Flag(help: "Show the snapshots instead.")
  var snapshots = false

  @Flag(help: "Look up current names of accounts, 25 per call.")
  var names = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? {
    why != nil ? NamedEvidenceRow.self : snapshots ? SnapshotRow.self : NamedHistoryRow.self
  }

  mutating func validate() throws {
    try limit?.check(isIn: (1...), for: "--limit")
    if why != nil, snapshots {
      throw ValidationError("--why and --snapshots cannot be combined; omit one of them.")
    }
    if why != nil, !kind.isEmpty || !cause.isEmpty || !side.isEmpty || since != nil {
      throw ValidationError(
        "--why shows everything about one account; omit --kind, --cause, --side and --since.")
    }
    if snapshots, !kind.isEmpty || !cause.isEmpty {
      throw ValidationError(
        "--kind and --cause select changes, but --snapshots shows none; omit one of them.")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let filter = try filter(now: context.time.instant)
    let actor = try await context.workspace.account(everNamed: self.actor ?? "me")
    let isOwn = try await context.workspace.accountIfAny()?.did == actor
    let name = isOwn ? "you" : self.actor ?? actor.description
    if let why {
      let account = try await context.workspace.account(everNamed: why)
      let changes = ExplainChanges(of: actor, about: account, limit: limit, wantsNames: names)
      try await context.print(changes, of: name)
    } else if snapshots {
      let printer = try OperationPrinter<SnapshotRow>(context, verb: "listed")
      let list = ListSnapshots(
        of: actor, sides: filter.sides, in: filter.graphs, since: filter.since, limit: limit,
        wantsNames: names)
      try printer.finish(try await list.run(in: context.workspace, printer.reporter))
    } else {
      try await context.print(ListChanges(of: actor, filter, limit: limit, wantsNames: names), of: name)
    }
  }

  private func filter(now: Instant) throws(CommandFault) -> HistoryFilter {
    let moment = try since.map { text throws(CommandFault) in
      try ListingOptions.moment(text, now: Datetime(at: now)).instant
    }
    return HistoryFilter(
      sides: side.isEmpty ? nil : Set(side), graphs: Set(graph.graphs), kinds: kind.isEmpty ? nil : Set(kind),
      causes: cause.isEmpty ? nil : Set(cause), since: moment)
  }
}

extension HistoryChange.Kind: ExpressibleByArgument {}
extension LossCause: ExpressibleByArgument {}

extension CommandContext {
  /// Prints changes, and how many there are of each kind.
  ///
  /// - Parameter name: what the user calls the account whose history it is.
  /// - Returns: how many there were.
  @discardableResult
  func print(_ changes: ListChanges, of name: String) async throws -> Int {
    let printer = try OperationPrinter<NamedHistoryRow>(self, verb: "listed")
    let outcome = try await changes.run(
      in: workspace, printer.reporter.accepting { NamedHistoryRow(row: $0, actor: name) })
    try printer.finish(outcome.rows)
    if !common.quiet { report(.historySummary(outcome)) }
    return outcome.rows.count
  }

  /// Prints what happened with one account, with the evidence.
  ///
  /// - Parameter name: what the user calls the account whose history it is.
  fileprivate func print(_ changes: ExplainChanges, of name: String) async throws {
    let printer = try OperationPrinter<NamedEvidenceRow>(self, verb: "listed")
    let outcome = try await changes.run(
      in: workspace, printer.reporter.accepting { NamedEvidenceRow(row: $0, actor: name) })
    try printer.finish(outcome.rows)
    guard !common.quiet else { return }
    let account = changes.account.name(in: outcome.view)
    for (listing, since) in outcome.presence { report(.present(account, listing, since: since)) }
    if !outcome.hasChanges, outcome.presence.isEmpty { report(.neverSeen(account)) }
  }
}
