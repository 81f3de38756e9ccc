// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithInsights
import KithOperations
import KithRelationships

/// `kith stats`: growth, churn, engagement.
struct StatsCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "stats",
    abstract: "Show the growth, churn and engagement of an account.",
    discussion: """
      Prints cards and charts on a terminal, otherwise one row per number. Data from snapshots is free; \
      snapshots older than a day are repeated, and follow dates are read, which show growth from the first \
      day. Without --metric: cards, growth, flow, forecast, goal and segments. Other metrics read posts, or \
      a sample of the followers; --explain estimates the cost.

        kith stats
        kith stats alice.test --metric engagement --metric times --time-zone Europe/Berlin
        kith stats --range year --format csv > year.csv
        kith report -o report.html

      \(FigureRow.help)
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @Option(
    help: ArgumentHelp(
      "Only this metric, or \"all\". May be repeated.", valueName: "metric"),
    completion: .list(["all"] + InsightMetric.allCases.map(\.rawValue)),
    transform: StatsCommand.metrics)
  var metric: [Set<InsightMetric>] = []

  @OptionGroup var insights: InsightOptions
  @OptionGroup var cost: ExplainOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { cost.explain ? PlanRow.self : FigureRow.self }

  mutating func validate() throws {
    if cost.explain, insights.stored { throw ValidationError("--stored makes no calls; omit --explain.") }
    try insights.check(metric.reduce(into: Set()) { $0.formUnion($1) })
  }

  func run() async throws {
    let wanted = metric.reduce(into: Set()) { $0.formUnion($1) }
    let run = try InsightRun(common, network, insights)
    let request = try await run.request(actor, wanted.isEmpty ? Self.usual : wanted)
    if cost.explain { return try await run.explain(request) }
    try await run.printStats(request)
  }

  /// The metrics that cost little.
  static let usual: Set<InsightMetric> = [.cards, .growth, .flow, .forecast, .goal, .segments]

  static func metrics(_ text: String) throws -> Set<InsightMetric> {
    if text == "all" { return Set(InsightMetric.allCases) }
    guard let metric = InsightMetric(rawValue: text) else {
      let names = InsightMetric.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("use all, \(names)")
    }
    return [metric]
  }
}

/// Computes the analytics of an account and prints them.
struct InsightRun {
  let wiring: Wiring
  let options: InsightOptions

  private var common: CommonOptions { wiring.common }

  init(_ common: CommonOptions, _ network: NetworkOptions, _ options: InsightOptions) throws {
    wiring = try Wiring(common, network, environment: RunContext.current.environment)
    self.options = options
  }

  /// - Throws: ``CommandFault`` for invalid options; errors of handle resolution.
  func request(_ actor: String?, _ metrics: Set<InsightMetric>) async throws -> InsightRequest {
    let clock = try ZonedClock(zone: options.timeZone)
    _ = try options.time(now: wiring.time.instant, clock)
    return InsightRequest(
      actor: options.stored
        ? try await wiring.workspace.storedAccount(named: actor)
        : try await wiring.workspace.accounts(named: [actor ?? "me"])[0],
      metrics: metrics, clock: clock, options: options)
  }

  /// Computes analytics, and reports failures and cost on standard error.
  ///
  /// - Parameter show: prints the result; failures end the run afterwards.
  func collect(
    _ request: InsightRequest, showing show: (AccountInsights) async throws -> Void
  ) async throws {
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    let store = options.stored ? try wiring.workspace.historyToRead() : try wiring.workspace.history()
    var collector = InsightCollector(wiring: wiring, store: store, request: request, progress: progress)
    let insights: AccountInsights
    do { insights = try await collector.collect() } catch {
      progress.end()
      throw error
    }
    progress.end()
    for note in collector.notes { StandardError.say(note) }
    if !common.quiet { StandardError.say(.insightSummary(cost.cost, elapsed: cost.elapsed)) }
    if common.verbose { cost.say() }
    try await show(insights)
    // A quiet run has reported no warning, but says why it failed.
    let cause = common.quiet ? collector.notes.first?.asError : nil
    if collector.status != .success { throw CommandFault(collector.status, cause) }
  }

  /// Prints rows for programs, or cards and charts for people.
  func printStats(_ request: InsightRequest) async throws {
    try await collect(request) { insights in try await print(insights, request.metrics) }
  }

  private func print(_ insights: AccountInsights, _ metrics: Set<InsightMetric>) async throws {
    let output = OutputDescriptor.standardOutput
    guard common.format(for: output) == .table else {
      return try await common.printing(FigureRow.self, environment: wiring.environment) { printer in
        for metric in InsightMetric.allCases where metrics.contains(metric) {
          for figure in insights.figures(metric) {
            try printer.print(FigureRow(actor: insights.actor.did, figure: figure))
          }
        }
      }
    }
    let palette = Palette(
      isTerminal: output.isTerminal, forbidden: common.noColor, environment: wiring.environment)
    let screen = StatsScreen(
      style: TextStyle(
        columns: output.columns ?? 80, unicode: wiring.showsUnicode, colour: palette.isOn), palette: palette)
    try output.write(Array(screen.text(insights, metrics).utf8))
  }
}

extension Wiring {
  /// Whether the locale supports more than ASCII. Without a locale, UTF-8 is assumed.
  fileprivate var showsUnicode: Bool {
    if environment["TERM"] == "dumb" { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale = locale?.uppercased() else { return true }
    return locale.contains("UTF-8") || locale.contains("UTF8")
  }
}
