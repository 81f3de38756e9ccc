// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithHistory
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.history()
    let actor = try await actor(wiring)
    let segments = try await store.segments()
    try await common.printing(SegmentRow.self, environment: wiring.environment) { printer in
      for segment in segments {
        let counts =
          if let actor { try await store.counts(of: segment.name, for: actor) } else { [SegmentCount]() }
        try printer.print(SegmentRow(segment: segment, last: counts.last, before: counts.dropLast().last))
      }
    }
    if segments.isEmpty, !common.quiet { StandardError.say(.noSegments) }
  }

  /// Segments also exist without an account.
  private func actor(_ wiring: Wiring) async throws -> DID? {
    guard let of else { return try await wiring.workspace.accountIfAny()?.did }
    return try await wiring.workspace.accounts(named: [of])[0]
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.history()
    let now = wiring.time.instant
    guard let segment = Segment(name, predicate, since: now) else {
      throw CommandFault(.usage, .invalidSegmentName(name))
    }
    let former = try await store.segments().first { $0.name == name }?.predicate
    if segment.refers(to: name) { throw CommandFault(.usage, .segmentRefersToItself(name)) }
    var known = Dictionary(try await store.segments().map { ($0.name, $0.predicate) }) { first, _ in first }
    known[name] = predicate
    // Parsing detects a segment that refers to itself.
    for text in known.values.sorted() where text == predicate || text.contains(name) {
      _ = try AccountPredicate(
        options: [text], now: Datetime(at: now), segments: known)
    }
    try await store.add(segment)
    if !common.quiet { StandardError.say(.segmentAdded(name, replacing: former == predicate ? nil : former)) }
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.history()
    let segments = try await store.segments()
    for name in names {
      guard segments.contains(where: { $0.name == name }) else {
        throw CommandFault(.notFound, .noSuchSegment(name, known: segments.map(\.name)))
      }
      let users = segments.filter { !names.contains($0.name) && $0.refers(to: name) }.map(\.name)
      guard users.isEmpty else { throw CommandFault(.usage, .segmentInUse(name, by: users)) }
    }
    for name in names { try await store.removeSegment(named: name) }
    if !common.quiet { StandardError.say(.segmentsRemoved(Set(names).count)) }
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

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let store = try wiring.workspace.history()
    let segments = try await store.segments()
    for name in names where !segments.contains(where: { $0.name == name }) {
      throw CommandFault(.notFound, .noSuchSegment(name, known: segments.map(\.name)))
    }
    let wanted = names.isEmpty ? segments : segments.filter { names.contains($0.name) }
    let actor = try await wiring.workspace.accounts(named: [of ?? "me"])[0]
    var worst = ExitStatus.success
    let progress = wiring.progressLine("counted")
    try await common.printing(SegmentRow.self, environment: wiring.environment, progress: progress) {
      printer in
      for segment in wanted {
        let before = try await store.counts(of: segment.name, for: actor).last
        let (members, undecided, fault) = try await count(segment, of: actor, wiring, progress)
        let count = SegmentCount(at: wiring.time.instant, members)
        if undecided > 0 {
          progress.say(.segmentUndecided(segment.name, undecided))
          if let fault { worst = worst.orMoreSevere(CommandFault(any: fault)?.status ?? .unavailable) }
          continue
        }
        try await store.record(count, of: segment.name, for: actor)
        try printer.print(SegmentRow(segment: segment, last: count, before: before))
        try printer.flush()
      }
    }
    if wanted.isEmpty, !common.quiet { StandardError.say(.noSegments) }
    if worst != .success { throw CommandFault(worst) }
  }

  private func count(
    _ segment: Segment, of actor: DID, _ wiring: Wiring, _ progress: ProgressLine
  ) async throws -> (members: Int, undecided: Int, fault: (any Error)?) {
    let all = try await wiring.workspace.segments(namedIn: ["segment"])
    let now = Datetime(at: wiring.time.instant)
    let predicate = try AccountPredicate(options: [segment.predicate], now: now, segments: all)
    let query = ListingQuery(.followers(of: .did(actor)), where: predicate)
    var accounts = try await wiring.workspace.accounts(query).makeAsyncIterator()
    var members = 0
    while try await accounts.next() != nil {
      members += 1
      progress.advance()
    }
    return (members, accounts.coverage.undecided, accounts.coverage.fault)
  }
}

extension Segment {
  /// Whether its predicate names another segment.
  fileprivate func refers(to name: String) -> Bool {
    let words = predicate.split { $0.isWhitespace || $0 == "(" || $0 == ")" }
    return zip(words, words.dropFirst()).contains { $0.lowercased() == "segment" && $1 == name }
  }
}

/// A segment, as a row.
struct SegmentRow: PrintableRow {
  let segment: Segment
  /// The last count, and the one before it.
  let last: SegmentCount?
  let before: SegmentCount?

  static let fieldNames = [
    "name", "predicate", "since", "members", "countedAt", "membersBefore", "countedBefore",
  ]

  static let help = """
    Fields of each row: name, predicate, since, members and countedAt (the last count), membersBefore and \
    countedBefore (the count before it).
    """

  static let headings = ["SEGMENT", "MEMBERS", "CHANGE", "COUNTED", "PREDICATE"]

  private func text(_ moment: Instant?) -> String? {
    moment.map { Datetime(at: $0).description }
  }

  func write(to fields: inout RowEncoder) {
    fields.text(segment.name)
    fields.text(segment.predicate)
    fields.text(text(segment.since))
    fields.number(last?.members)
    fields.text(text(last?.at))
    fields.number(before?.members)
    fields.text(text(before?.at))
  }

  var tableRow: TableRow {
    let change = last.flatMap { last in before.map { last.members - $0.members } }
    return TableRow(cells: [
      TableRow.Cell(segment.name), TableRow.Cell(last.map { "\($0.members)" } ?? ""),
      TableRow.Cell(change.map { $0 > 0 ? "+\($0)" : "\($0)" } ?? ""),
      TableRow.Cell(text(last?.at).map { String($0.prefix(16)) } ?? "", .faint),
      TableRow.Cell(segment.predicate),
    ])
  }
}
