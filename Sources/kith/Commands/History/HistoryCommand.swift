// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
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
      Changes between snapshots, latest first. A changed handle is not a loss. A cause is only what servers \
      answered when the loss was found; --why shows the answers. Names are the last known ones. Calls are \
      made only to resolve handles, and with --names.

        kith history --since 7d
        kith history alice.test --kind lost --side followers
        kith history --why bob.test
        kith history --snapshots

      \(HistoryRow.help) With --why: a row per answer, with asked, answer, evidence. With --snapshots: as \
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
    why != nil ? EvidenceRow.self : snapshots ? SnapshotRow.self : HistoryRow.self
  }

  mutating func validate() throws {
    if let limit, limit < 1 {
      throw ValidationError("--limit must be a whole number of 1 or more, not \(limit).")
    }
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let filter = try filter(now: wiring.time.instant)
    let actor = try await account(named: self.actor ?? "me", wiring)
    let isOwn = try await wiring.workspace.accountIfAny()?.did == actor
    let run = HistoryRun(
      wiring: wiring, store: try wiring.workspace.historyToRead(), actor: actor,
      named: isOwn ? "you" : self.actor ?? actor.description, wantsNames: names)
    if let why {
      try await run.explain(try await account(named: why, wiring), limit: limit)
    } else if snapshots {
      try await run.printSnapshots(filter, limit: limit)
    } else {
      try await run.printChanges(filter, limit: limit)
    }
  }

  /// The account of a handle; if no server resolves it, the account last seen with it.
  private func account(named name: String, _ wiring: Wiring) async throws -> DID {
    do {
      return try await wiring.workspace.accounts(named: [name])[0]
    } catch let error as IdentityError {
      guard case .handle(let handle) = try ActorInput(parsing: name).identifier,
        let known = await wiring.workspace.names().account(lastKnownAs: handle)
      else { throw error }
      return known
    }
  }

  private func filter(now: Instant) throws(CommandFault) -> HistoryFilter {
    let moment = try since.map { text throws(CommandFault) in
      try ListingOptions.moment(text, now: Datetime(at: now)).instant
    }
    return HistoryFilter(
      sides: side.isEmpty ? nil : Set(side), kinds: kind.isEmpty ? nil : Set(kind),
      causes: cause.isEmpty ? nil : Set(cause), since: moment)
  }
}

extension HistoryChange.Kind: ExpressibleByArgument {}
extension LossCause: ExpressibleByArgument {}

/// Prints the history of an account.
struct HistoryRun {
  /// Names per lookup: eight parallel calls.
  private static let batchSize = 8 * AccountViews.batchSize

  let wiring: Wiring
  let store: any ObservationStore
  let actor: DID
  let wantsNames: Bool
  /// The actor's name in output: `you`, or a handle.
  let actorName: String
  private let names: AccountNames

  init(wiring: Wiring, store: any ObservationStore, actor: DID, named actorName: String, wantsNames: Bool) {
    self.wiring = wiring
    self.store = store
    self.actor = actor
    self.actorName = actorName
    self.wantsNames = wantsNames
    names = wiring.workspace.names()
  }

  private var common: CommonOptions { wiring.common }

  func printChanges(_ filter: HistoryFilter, limit: Int?) async throws {
    let changes = try await History(store).changes(of: actor, filter)
    var causes: [LossCause: Int] = [:]
    var kinds: [HistoryChange.Kind: Int] = [:]
    try await common.printing(HistoryRow.self, environment: wiring.environment, to: wiring.output) {
      printer in
      var waiting: [HistoryChange] = []
      for try await change in changes.prefix(limit ?? .max) {
        kinds[change.kind, default: 0] += 1
        if let cause = change.loss?.cause { causes[cause, default: 0] += 1 }
        waiting.append(change)
        guard waiting.count == Self.batchSize else { continue }
        try await print(&waiting, to: &printer)
      }
      try await print(&waiting, to: &printer)
    }
    if !common.quiet { StandardError.say(.historySummary(kinds, causes)) }
  }

  private func print(
    _ changes: inout [HistoryChange], to printer: inout RowPrinter<HistoryRow>
  ) async throws {
    let views = try await names.views(of: changes.map(\.account), asking: wantsNames)
    for change in changes {
      try printer.print(HistoryRow(change: change, view: views[change.account], actor: actorName))
    }
    changes = []
  }

  func printSnapshots(_ filter: HistoryFilter, limit: Int?) async throws {
    let found = try await History(store).snapshots(of: actor, filter.sides)
      .filter { $0.startedAt >= filter.since ?? .distantPast }
    let handle = try await names.views(of: [actor], asking: wantsNames)[actor]?.handle
    try await common.printing(SnapshotRow.self, environment: wiring.environment) { printer in
      for snapshot in found.reversed().prefix(limit ?? .max) {
        try printer.print(SnapshotRow(snapshot: snapshot, handle: handle))
      }
    }
  }

  /// Prints what happened with one account, with the evidence.
  func explain(_ account: DID, limit: Int?) async throws {
    let changes = try await History(store).changes(of: actor, about: account)
    let presence = try await History(store).presence(of: account, with: actor)
    let views = try await names.views(of: [account], asking: wantsNames)
    try await common.printing(EvidenceRow.self, environment: wiring.environment) { printer in
      for change in changes.suffix(limit ?? .max) {
        let findings: [Evidence.Finding?] = change.loss.map { $0.evidence.findings } ?? []
        for finding in findings.isEmpty ? [nil] : findings {
          try printer.print(
            EvidenceRow(change: change, view: views[account], actor: actorName, finding: finding))
        }
      }
    }
    guard !common.quiet else { return }
    for (listing, since) in presence {
      StandardError.say(.present(account.name(in: views[account]), listing, since: since))
    }
    if changes.isEmpty, presence.isEmpty {
      StandardError.say(.neverSeen(account.name(in: views[account])))
    }
  }
}
