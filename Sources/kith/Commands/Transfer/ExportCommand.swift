// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithWriting

/// `kith export`: writes relationships to a file.
struct ExportCommand: RowCommand {
  /// The relationships to export.
  enum Part: String, CaseIterable, ExpressibleByArgument, Sendable {
    case followers, following, blocks, mutes, lists, relationships, history
  }

  static let configuration = CommandConfiguration(
    verb: "export",
    abstract: "Export relationships, as a backup or for another account.",
    discussion: """
      followers, following, blocks and mutes; lists: with their members, and the lists that you block or \
      mute; relationships: following, blocks, mutes and lists in one file; history: as kith history. For \
      another account, everything that is public: no mutes. kith import reads these files.

        kith export relationships -o me.csv
        kith export followers alice.test -o followers.ndjson
        kith import me.csv --account new.test

      \(ExportRow.help) For history: as kith history. With --explain: step, collection, calls, targets, \
      bytes, points, seconds, estimate.
      """)

  @Argument(
    help: ArgumentHelp(
      "followers, following, blocks, mutes, lists, relationships or history.", valueName: "what"))
  var part: Part

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write to this file, which appears once it is complete; its extension sets the format. Default: CSV.",
      valueName: "file"), completion: .file())
  var output: String?

  @Flag(help: "Look up missing names of accounts, 25 per call.")
  var names = false

  @Flag(help: "Add the date of each follow by a follower (1 extra call per 30).")
  var dates = false

  @OptionGroup var cost: ExplainOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? {
    cost.explain ? PlanRow.self : part == .history ? NamedHistoryRow.self : ExportRow.self
  }

  mutating func validate() throws {
    if dates, part != .followers {
      throw ValidationError(
        "--dates is for followers only: other dates are always included, or not available.")
    }
    if part == .history, cost.explain {
      throw ValidationError("The history is a local file and needs no calls; omit --explain.")
    }
  }

  func run() async throws {
    var common = common
    if let output, common.format == nil, !common.json {
      common.format = try Self.format(of: output)
    }
    guard let output else { return try await export(common).forEach { StandardError.say($0) } }
    let file = try OutputFile(path: output)
    var context = RunContext.current
    (context.output, context.outputName) = (file.descriptor, output)
    let said = try await RunContext.$current.withValue(context) { [common] in try await export(common) }
    try file.finish()
    said.forEach { StandardError.say($0) }
  }

  /// The format for a file name extension.
  ///
  /// - Throws: ``CommandFault`` `usage` for an unknown one.
  private static func format(of name: String) throws(CommandFault) -> OutputFormat {
    switch Program.fileType(of: name) {
    case "json": return .json
    case "ndjson", "jsonl": return .ndjson
    case "csv", nil: return .csv
    default:
      throw CommandFault(
        .usage, .unknownFileType(name, known: [".csv", ".json", ".ndjson"], format: "csv, json or ndjson"))
    }
  }

  /// - Returns: what to say once the output is complete.
  private func export(_ common: CommonOptions) async throws -> [Message] {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    if part == .history {
      try await exportHistory(wiring)
      return []
    }
    let identifier = try await wiring.workspace.actor(named: actor)
    let account = try await wiring.workspace.accountIfAny()
    let owner = account.flatMap { $0.isNamed(identifier) ? $0 : nil }
    if owner == nil, part == .mutes { throw OperationError.mutesOfOthers(identifier) }
    let run = ExportRun(
      wiring: wiring, actor: identifier, account: owner, wantsNames: names, wantsDates: dates)
    let parts: [Part] =
      part == .relationships ? [.following, .blocks] + (owner == nil ? [] : [.mutes]) + [.lists] : [part]
    if cost.explain {
      try await run.explain(parts)
      return []
    }
    return try await run.print(parts, to: output)
  }

  private func exportHistory(_ wiring: Wiring) async throws {
    let account = try await wiring.workspace.accounts(named: [actor ?? "me"])[0]
    try await wiring.print(ListChanges(of: account, wantsNames: names), of: actor ?? "you")
  }
}

/// Prints the relationships of an account, part by part.
struct ExportRun {
  /// Names per lookup: eight parallel calls.
  private static let batchSize = 8 * AccountViews.batchSize

  let wiring: Wiring
  let actor: ATIdentifier
  /// The account, if it is signed in here.
  let account: AuthorizedAccount?
  let wantsNames: Bool
  let wantsDates: Bool

  private var common: CommonOptions { wiring.common }

  private typealias Part = ExportCommand.Part
  private typealias Take = (ExportRow) throws -> Void

  /// - Parameter file: the output file; nil for standard output.
  /// - Returns: what to say once the output is complete.
  func print(_ parts: [ExportCommand.Part], to file: String?) async throws -> [Message] {
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    var count = 0
    try await common.printing(ExportRow.self, environment: wiring.environment, progress: progress) {
      printer in
      for part in parts {
        try await rows(of: part, progress) { row in
          try printer.print(row)
          count += 1
          progress.advance()
        }
      }
    }
    let summary = Message.exportSummary(count, to: file, cost.cost, elapsed: cost.elapsed)
    return (common.quiet ? [] : [summary]) + (common.verbose ? cost.messages() : [])
  }

  func explain(_ parts: [ExportCommand.Part]) async throws {
    var plan = CostPlan(concurrency: wiring.concurrency)
    for part in parts {
      if let listing = listing(part) {
        let count = try await NetworkCounts(client: client).entries(of: [listing])[0]
        plan.addListing(
          listing, entries: count, needs: AccountPredicate.Needs().with(details(of: listing)))
        plan.targets = (plan.targets ?? 0) + (count ?? 0)
      } else {
        plan.addRecords(.list, count: nil)
        plan.addRecords(.listitem, count: nil)
        plan.addRecords(.listblock, count: nil)
      }
    }
    try common.print(plan, concurrency: wiring.concurrency, environment: wiring.environment)
  }

  private var client: XRPCClient { account?.appview ?? wiring.appview }

  // MARK: Parts

  private func rows(of part: Part, _ progress: ProgressLine, _ take: Take) async throws {
    if let listing = listing(part) {
      try await printAccounts(of: listing, part.kind, progress, take)
    } else {
      try await printLists(progress, take)
    }
  }

  private func listing(_ part: Part) -> ActorListing? {
    switch part {
    case .followers: .followers(of: actor)
    case .following: .follows(of: actor)
    case .blocks: .blocks(of: actor)
    case .mutes: .mutes(of: actor)
    case .lists, .relationships, .history: nil
    }
  }

  private func details(of listing: ActorListing) -> Listings.Details {
    var details: Listings.Details = wantsNames ? [.names] : []
    switch listing {
    case .followers: if wantsDates { details.insert(.dates) }
    // The repository contains the dates with the follows.
    case .follows: details.insert(.dates)
    case .blocks, .mutes, .members, .blockers: break
    }
    return details
  }

  private func printAccounts(
    of listing: ActorListing, _ kind: PortableRelationship.Kind?, _ progress: ProgressLine, _ take: Take
  ) async throws {
    var accounts = try await wiring.workspace.accounts(ListingQuery(listing), with: details(of: listing))
      .makeAsyncIterator()
    while let view = try await accounts.next() { try take(ExportRow(kind: kind, account: view)) }
    let coverage = accounts.coverage
    let owner = account?.handle(in: listing)
    common.say(.listed(ListingReport(listing, coverage, owner: owner)), beside: progress)
    // An incomplete file must not replace a complete one.
    if coverage.undecided > 0 || coverage.isPartial, let fault = coverage.fault { throw fault }
  }

  /// Exports lists, their members, and blocked and muted lists.
  private func printLists(_ progress: ProgressLine, _ take: Take) async throws {
    let owner = try await wiring.identities.did(of: actor)
    let repository: XRPCClient
    if let account {
      repository = account.pds
    } else {
      repository = try await wiring.workspace.repository(of: owner)
    }
    let lists = try await OwnLists(of: owner, client: repository)
    let unreadable = UnreadableRecords(.list) { [common, progress] in common.say($0, beside: progress) }
    unreadable.add(lists.unreadable)
    var told: Set<ATURI> = []
    for list in lists.all {
      guard let name = list.name, let purpose = list.purpose else {
        common.say(
          .unreadable(
            .list,
            MalformedRecord(
              uri: list.uri.description, rkey: nil, value: nil, reason: "its name or purpose is missing")),
          beside: progress)
        continue
      }
      told.insert(list.uri)
      let draft = ListDraft(name: name, purpose: purpose, description: list.description)
      try take(
        ExportRow(kind: .list, list: list.uri, draft: draft, record: list.uri, since: list.createdAt))
    }
    let reader = RecordReader(of: owner, client: repository)
    try await printMembers(of: told, reader, progress, take)
    let broken = UnreadableRecords(.ownRecord) { [common, progress] in common.say($0, beside: progress) }
    defer { broken.finish() }
    for try await row in reader.edges(of: .listblock) {
      switch row {
      case .success(let block):
        try take(
          ExportRow(kind: .listBlock, list: block.edge.list, record: block.record, since: block.since))
      case .failure(let record): broken.add(record)
      }
    }
    guard let account else { return }
    for try await list in Listings(account.appview, as: account.did).mutedLists() {
      try take(ExportRow(kind: .listMute, list: list.uri))
    }
  }

  /// Exports the members of existing lists; records of deleted lists are skipped.
  private func printMembers(
    of lists: Set<ATURI>, _ reader: RecordReader, _ progress: ProgressLine, _ take: Take
  ) async throws {
    let unreadable = UnreadableRecords(.member) { [common, progress] in common.say($0, beside: progress) }
    defer { unreadable.finish() }
    var waiting: [(list: ATURI, member: AccountView)] = []
    var leftOut = 0
    for try await row in reader.edges(of: .listitem) {
      switch row {
      case .failure(let record): unreadable.add(record)
      case .success(let item):
        guard let member = item.edge.account, let list = item.edge.list, lists.contains(list) else {
          leftOut += 1
          continue
        }
        waiting.append(
          (list, AccountView(member, record: item.record, since: item.since, sinceSource: item.sinceSource)))
      }
      if waiting.count == Self.batchSize { try await printMembers(&waiting, take) }
    }
    try await printMembers(&waiting, take)
    if leftOut > 0 { progress.say(.membersLeftOut(leftOut)) }
  }

  private func printMembers(
    _ members: inout [(list: ATURI, member: AccountView)], _ take: Take
  ) async throws {
    let known = try await wiring.workspace.names().views(
      of: members.map(\.member.account), asking: wantsNames)
    for (list, member) in members {
      try take(ExportRow(kind: .member, account: member.named(by: known[member.account]), list: list))
    }
    members = []
  }
}

extension ExportCommand.Part {
  /// The kind of its rows; nil for followers.
  fileprivate var kind: PortableRelationship.Kind? {
    switch self {
    case .following: .follow
    case .blocks: .block
    case .mutes: .mute
    case .followers, .lists, .relationships, .history: nil
    }
  }
}
