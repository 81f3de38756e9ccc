// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith segments`: named predicates.
struct SegmentsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "segments",
    abstract: "Define segments of followers and count them over time.",
    discussion: """
      A segment is a named --where predicate, used as "segment NAME" wherever --where is accepted. kith \
      segments count counts your followers in each segment and stores the counts; kith stats --metric \
      segments charts them.

        kith segments add loyal "mutual and followed before 2026-01-01"
        kith segments count
        kith followers --where "segment loyal and not active within 90d"
        kith followers --where "segment loyal" | kith lists add Loyal -

      \(SegmentRow.help)
      """,
    subcommands: [
      SegmentsListCommand.self, SegmentsAddCommand.self, SegmentsRemoveCommand.self,
      SegmentsCountCommand.self,
    ],
    defaultSubcommand: SegmentsListCommand.self)
}

/// `kith segments list`.
struct SegmentsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List segments with their last count.")

  @Option(
    help: ArgumentHelp("The counts of this account. Default: yours.", valueName: "account"),
    completion: .actor)
  var of: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { SegmentRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let printer = try OperationPrinter<SegmentRow>(context, verb: "listed")
    let list = ListSegments(countsOf: try await actor(context))
    let rows = try await list.run(in: context.workspace, printer.reporter)
    try printer.finish(rows)
    if rows.count == 0, !common.quiet { context.report(.noSegments) }
  }

  /// Segments also exist without an account.
  private func actor(_ context: CommandContext) async throws -> DID? {
    guard let of else { return try await context.workspace.accountIfAny()?.did }
    return try await context.workspace.accounts(named: [of])[0]
  }
}

/// `kith segments add`.
struct SegmentsAddCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a segment, or replace its predicate.")

  @Argument(help: "Letters, digits, - and _.")
  var name: String

  @Argument(help: "A --where predicate, such as \"mutual and followers > 1000\".")
  var predicate: String

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let outcome = try await AddSegment(name, predicate).run(in: context.workspace)
    if !common.quiet { context.report(.segmentAdded(outcome)) }
  }
}

/// `kith segments remove`.
struct SegmentsRemoveCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove segments and their counts.")

  @Argument(help: "Segment names.", completion: .segment)
  var names: [String]

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let outcome = try await RemoveSegments(names).run(in: context.workspace)
    if !common.quiet { context.report(.segmentsRemoved(outcome)) }
  }
}

/// `kith segments count`.
struct SegmentsCountCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Count the followers in each segment and store the counts.",
    discussion:
      "The cost depends on the predicates; estimate it with kith followers --where PREDICATE --explain.")

  @Argument(help: "Only these segments.", completion: .segment)
  var names: [String] = []

  @Option(
    help: ArgumentHelp("The followers of this account. Default: yours.", valueName: "account"),
    completion: .actor)
  var of: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { SegmentRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    let printer = try OperationPrinter<SegmentRow>(context, verb: "counted", countsRows: false)
    let actor = try await context.workspace.accounts(named: [of ?? "me"])[0]
    let outcome = try await CountSegments(of: actor, only: names).run(in: context.workspace, printer.reporter)
    try printer.finish(outcome.rows)
    if outcome.segments == 0, !common.quiet { context.report(.noSegments) }
    try context.end(outcome)
  }
}
