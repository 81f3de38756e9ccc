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
    case followers, following, blocks, mutes, lists, friends, relationships, settings, all, records, history
  }

  static let configuration = CommandConfiguration(
    verb: "export",
    abstract: "Export relationships, as a backup or for another account.",
    discussion: """
      followers, following, blocks and mutes; lists: with their members, and the lists that you block or \
      mute; friends: requests, acceptances and the policy; relationships: following, blocks, mutes, lists and \
      friends in one file; settings: the texts of the profile, who may answer and quote your posts, and kith config; \
      all: relationships and settings; records: those of --collection, as they are; history: as kith history. For \
      another account, everything that is public: no mutes and no settings but the profile. kith import reads these \
      files.

        kith export all -o me.csv
        kith export followers alice.test -o followers.ndjson
        kith export following --graph bluesky --graph tangled -o follows.csv
        kith export records --collection com.example.note -o notes.csv
        kith import me.csv --account new.test

      \(ExportRow.help) For history: as kith history. \(PlanRow.help)
      """)

  @Argument(
    help: ArgumentHelp(
      "followers, following, blocks, mutes, lists, friends, relationships, settings, all, records or history.",
      valueName: "what"))
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

  @Option(
    help: ArgumentHelp(
      "For records: a collection of any app, such as com.example.note. May be repeated.", valueName: "nsid"),
    transform: Self.nsid)
  var collection: [NSID] = []

  @OptionGroup var graph: GraphOptions
  @Flag(help: .explain) var explain = false
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? {
    explain ? PlanRow.self : part == .history ? NamedHistoryRow.self : ExportRow.self
  }

  /// Throws what the parser of arguments prints: it would print the sentence for apps of another error.
  private static func nsid(_ text: String) throws -> NSID {
    do throws(SyntaxError) { return try NSID(parsing: text) } catch {
      throw ValidationError(error.description)
    }
  }

  mutating func validate() throws {
    if dates, part != .followers {
      throw ValidationError(
        "--dates is for followers only: other dates are always included, or not available.")
    }
    if graph.hasOthers, ![.followers, .following, .relationships, .all].contains(part) {
      throw ValidationError("--graph is about follows; omit it for \(part.rawValue).")
    }
    if (part == .records) == collection.isEmpty {
      throw ValidationError("records and --collection belong together; use both or neither.")
    }
    if let known = collection.first(where: { !RecordKind.isOpen($0) }) {
      throw ValidationError(
        "--collection \(known): such records are exported as following, blocks, lists, friends or settings, or not at all."
      )
    }
    if part == .history, explain {
      throw ValidationError("The history is a local file and needs no calls; omit --explain.")
    }
  }

  func run(in process: RunContext) async throws {
    try await CommandContext.writing(to: output, common, network, process, export)
  }

  /// - Returns: what to say once the output is complete.
  private func export(_ context: CommandContext, to file: String?) async throws -> [Message] {
    if part == .history { return try await exportHistory(context, to: file) }
    let actor = try await context.workspace.actor(named: actor)
    let account = try await context.workspace.accountIfAny()
    let owner = account.flatMap { $0.isNamed(actor) ? $0 : nil }
    if part == .followers {
      try graph.checkFollowersCanBeListed(of: actor, hasIndex: context.index != nil)
    }
    if owner == nil, part == .mutes { throw OperationError.mutesOfOthers(actor) }
    var transfer = ExportRelationships(
      part.parts(ofOwner: owner != nil), of: actor, as: owner, in: graph.graphs, withNames: names,
      dates: dates)
    transfer.collections = collection
    if transfer.parts.contains(.settings), owner != nil {
      transfer.settings = try SettingsFile(in: context.process.environment).read().entries.map {
        ExportedSetting(ofApp: $0.option.rawValue, $0.value, for: $0.account)
      }
    }
    let common = context.common
    if explain {
      let plan = try await transfer.cost(in: context.workspace) { context.report($0) }
      try context.print(plan)
      return []
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<ExportRow>(context, verb: "read")
    let rows = try await transfer.run(in: context.workspace, printer.reporter)
    try printer.finish(rows)
    let summary = Message.exportSummary(rows.count, to: file, cost.cost, elapsed: cost.elapsed)
    return (common.quiet ? [] : [summary]) + (common.verbose ? cost.messages() : [])
  }

  private func exportHistory(_ context: CommandContext, to file: String?) async throws -> [Message] {
    let cost = CostReport(context)
    let account = try await context.workspace.accounts(named: [actor ?? "me"])[0]
    let count = try await context.print(ListChanges(of: account, wantsNames: names), of: actor ?? "you")
    if file == nil || context.common.quiet { return [] }
    return [.exportSummary(count, to: file, cost.cost, elapsed: cost.elapsed)]
  }
}

extension ExportCommand.Part {
  /// What it consists of.
  ///
  /// - Parameter isOwn: whether it is that of the signed-in account, whose mutes are known.
  fileprivate func parts(ofOwner isOwn: Bool) -> [ExportRelationships.Part] {
    switch self {
    case .followers: [.followers]
    case .following: [.following]
    case .blocks: [.blocks]
    case .mutes: [.mutes]
    case .lists: [.lists]
    case .friends: [.friends]
    case .relationships: Self.relationships(ofOwner: isOwn)
    case .settings: [.settings]
    case .all: Self.relationships(ofOwner: isOwn) + [.settings]
    case .records: [.records]
    case .history: []
    }
  }

  private static func relationships(ofOwner isOwn: Bool) -> [ExportRelationships.Part] {
    [.following, .blocks] + (isOwn ? [.mutes] : []) + [.lists, .friends]
  }
}
