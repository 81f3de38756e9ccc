// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
public import ArgumentParser
public import Relationships

/// `kith history`: who came, who left, and why.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    _superCommandName: Program.name,
    abstract: "Show who came, who left, and why.",
    discussion: """
      What snapshots found, the latest first. A change of handle is no loss. A cause is what servers answered when the \
      loss was found, and never more: --why shows the answers. Names are those that accounts had when they were last \
      seen. No server is asked but for the account of a handle, and with --names.

        kith history --since 7d
        kith history alice.test --kind lost --side followers
        kith history --why bob.test
        kith history --snapshots

      \(HistoryRow.help) With --why a row for each answer, and asked, answer, evidence. With --snapshots: as of kith \
      snapshot.
      """)

  @Argument(help: ArgumentHelp("The actor; yourself where none is named.", valueName: "actor"))
  var actor: String?

  @Option(
    help: ArgumentHelp(
      "Only what was found since then: a date, or a span back from now.", valueName: "date|span"))
  var since: String?

  @Option(help: ArgumentHelp("Only this: gained, returned or lost. May be repeated.", valueName: "kind"))
  var kind: [HistoryChange.Kind] = []

  @Option(
    help: ArgumentHelp(
      "Only losses of this cause, as unfollowed or blocked-by. May be repeated.", valueName: "cause"))
  var cause: [LossCause] = []

  @Option(
    help: ArgumentHelp(
      "Only this side: followers, follows, blocks, mutes or members. May be repeated.", valueName: "side"))
  var side: [HistoryListing.Side] = []

  @Option(help: ArgumentHelp("Show so many at most.", valueName: "n"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Show what became of this account, and what was asked and answered.", valueName: "account"))
  var why: String?

  @Flag(help: "Show the snapshots instead.")
  var snapshots = false

  @Flag(help: "Look up the names of accounts as they are now, 25 a call.")
  var names = false

  @OptionGroup var common: CommonOptions

  mutating func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a whole number from 1, not \(limit).") }
    if why != nil, snapshots {
      throw ValidationError("--why and --snapshots show different things; leave one out.")
    }
    if why != nil, !kind.isEmpty || !cause.isEmpty || !side.isEmpty || since != nil {
      throw ValidationError(
        "--why shows everything about one account; leave --kind, --cause, --side and --since out.")
    }
    if snapshots, !kind.isEmpty || !cause.isEmpty {
      throw ValidationError("--kind and --cause choose changes, and --snapshots shows none; leave one out.")
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let filter = try filter(now: wiring.time.microsecondsSinceEpoch)
    let actor = try await account(named: self.actor ?? "me", wiring)
    let isOwn = try await wiring.accountIfAny()?.did == actor
    let run = HistoryRun(
      wiring: wiring, store: try wiring.historyToRead(), actor: actor,
      named: isOwn ? "you" : self.actor ?? actor.description, wantsNames: names)
    if let why {
      try await run.explain(try await account(named: why, wiring), limit: limit)
    } else if snapshots {
      try await run.printSnapshots(filter, limit: limit)
    } else {
      try await run.printChanges(filter, limit: limit)
    }
  }

  /// The account of a handle; where no server tells, the one that had it when it was last seen.
  private func account(named name: String, _ wiring: Wiring) async throws -> DID {
    do {
      return try await wiring.accounts(named: [name])[0]
    } catch let error as IdentityError {
      guard case .handle(let handle) = try ActorInput(parsing: name).identifier,
        let known = await wiring.names().account(lastKnownAs: handle)
      else { throw error }
      return known
    }
  }

  private func filter(now: Int64) throws(CommandFault) -> HistoryFilter {
    let moment = try since.map { text throws(CommandFault) in
      try ListingOptions.moment(text, now: Datetime(microsecondsSinceEpoch: now)).microsecondsSinceEpoch
    }
    return HistoryFilter(
      sides: side.isEmpty ? nil : Set(side), kinds: kind.isEmpty ? nil : Set(kind),
      causes: cause.isEmpty ? nil : Set(cause), since: moment)
  }
}

extension HistoryChange.Kind: ExpressibleByArgument {}
extension LossCause: ExpressibleByArgument {}

/// Prints what a history holds of an actor.
struct HistoryRun {
  /// Names that are looked up at a time: eight calls side by side.
  private static let batchSize = 8 * AccountViews.batchSize

  let wiring: Wiring
  let store: any HistoryStore
  let actor: DID
  let wantsNames: Bool
  /// What a person calls the actor: `you`, or a handle.
  let actorName: String
  private let names: KnownNames

  init(wiring: Wiring, store: any HistoryStore, actor: DID, named actorName: String, wantsNames: Bool) {
    self.wiring = wiring
    self.store = store
    self.actor = actor
    self.actorName = actorName
    self.wantsNames = wantsNames
    names = wiring.names()
  }

  private var common: CommonOptions { wiring.common }

  func printChanges(_ filter: HistoryFilter, limit: Int?) async throws {
    let changes = try await History(store).changes(of: actor, filter)
    var causes: [LossCause: Int] = [:]
    var kinds: [HistoryChange.Kind: Int] = [:]
    try await common.printing(HistoryRow.self, environment: wiring.environment) { printer in
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
      .filter { $0.startedAt >= filter.since ?? .min }
    let handle = try await names.views(of: [actor], asking: wantsNames)[actor]?.handle
    try await common.printing(SnapshotRow.self, environment: wiring.environment) { printer in
      for snapshot in found.reversed().prefix(limit ?? .max) {
        try printer.print(SnapshotRow(snapshot: snapshot, handle: handle))
      }
    }
  }

  /// What became of one account, and how that was learned.
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
    for (listing, since, isBaseline) in presence {
      StandardError.say(
        .present(account.name(in: views[account]), listing, since: since, isBaseline: isBaseline))
    }
    if changes.isEmpty, presence.isEmpty {
      StandardError.say(.neverSeen(account.name(in: views[account])))
    }
  }
}
