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
      snapshots older than a day are repeated (--refresh: all), and follow dates are read, which show growth \
      from the first day. Without --metric: cards, growth, flow, forecast, goal and segments. Other metrics read posts, or \
      a sample of the followers; --explain estimates the cost.

        kith stats
        kith stats alice.test --metric engagement --metric times --time-zone Europe/Berlin
        kith stats --range year --format csv > year.csv
        kith stats -o report.html

      With -o, all metrics become one file: a self-contained page or .md; --metric selects some. With .svg or \
      .png it is a picture to share, 1200 × 630 pixels, of the cards and one metric (growth by default, from the \
      first count on).

        kith stats -o growth.png
        kith stats alice.test -o hours.svg --metric times --range year --theme dark

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

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write a page or an image to this file, or - for stdout.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The colours of a picture: auto (an SVG follows its reader; a PNG is light), light or dark.",
      valueName: "theme"))
  var theme: PictureTheme = .auto

  @OptionGroup var insights: InsightOptions
  @Flag(help: .explain) var explain = false
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? {
    explain ? PlanRow.self : output == nil ? FigureRow.self : nil
  }

  func checkOutput() throws(CommandFault) {
    guard output != nil, !explain else { return try common.checkFormat(of: printedRow) }
    try common.checkFields(of: printedRow)
  }

  mutating func validate() throws {
    if explain, insights.stored { throw ValidationError("--stored makes no calls; omit --explain.") }
    if output != nil, common.json || common.isFormatOfRows {
      throw ValidationError("-o writes html, md, svg or png; omit it to print rows.")
    }
    try insights.check(metric.reduce(into: Set()) { $0.formUnion($1) })
  }

  func run(in process: RunContext) async throws {
    // A name with an unknown ending is reported before anything is read.
    var format = common.pageFormat
    if let output, format == nil { format = try ReportFormat(ofFile: output) }
    let wanted = metric.reduce(into: Set()) { $0.formUnion($1) }
    let isPicture = output != nil && format?.isPicture ?? false
    if isPicture, wanted.subtracting([.cards]).count > 1 {
      throw CommandFault(.usage, .pictureOfSeveral(wanted.subtracting([.cards]).map(\.rawValue).sorted()))
    }
    // A picture fetches only what it draws.
    let usual = isPicture ? [.cards, .growth] : output == nil ? Self.usual : Set(InsightMetric.allCases)
    let run = try InsightRun(common, network, insights, in: process)
    var request = try await run.request(actor, wanted.isEmpty ? usual : wanted)
    request.prefersCountedGrowth = isPicture && insights.isGrowthWhole
    if explain { return try await run.explain(request, of: actor) }
    guard let output, let format else { return try await run.printStats(request) }
    try await run.writeReport(request, to: output, as: format, theme: theme)
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
  let context: CommandContext
  let options: InsightOptions

  private var common: CommonOptions { context.common }

  init(
    _ common: CommonOptions, _ network: NetworkOptions, _ options: InsightOptions, in process: RunContext
  ) throws {
    context = try CommandContext(common, network, process)
    self.options = options
  }

  /// - Throws: ``CommandFault`` for invalid options; errors of handle resolution.
  func request(_ actor: String?, _ metrics: Set<InsightMetric>) async throws -> ComputeStatistics {
    let clock = try ZonedCalendar(zone: options.timeZone)
    _ = try options.time(now: context.time.instant, clock)
    var statistics = ComputeStatistics(
      of: options.stored
        ? try await context.workspace.storedAccount(named: actor)
        : try await context.workspace.accounts(named: [actor ?? "me"])[0], metrics, clock: clock)
    statistics.period = try options.period(clock)
    statistics.showsWholeGrowth = options.isGrowthWhole
    statistics.unit = options.by
    statistics.sample = options.sample
    statistics.mostPosts = options.posts
    (statistics.isStored, statistics.refreshes) = (options.stored, options.refresh)
    return statistics
  }

  /// Prints the estimated cost of a run about an account, as it was named.
  func explain(_ statistics: ComputeStatistics, of actor: String?) async throws {
    var plan = try await statistics.cost(in: context.workspace) { [context] in context.report($0) }
    plan.addHandles(among: [actor].compactMap(\.self))
    try context.print(plan)
  }

  /// Prints rows for programs, or cards and charts for people.
  func printStats(_ statistics: ComputeStatistics) async throws {
    var statistics = statistics
    let output = context.output
    statistics.wantsRows = common.format(for: output) != .table
    let cost = CostReport(context)
    let printer = try OperationPrinter<FigureRow>(
      context, verb: "read", printsRows: statistics.wantsRows, countsRows: false)
    var reporter = printer.reporter
    reporter.note = { _ in }
    let outcome = try await statistics.run(in: context.workspace, reporter)
    try printer.finish(isClosed: outcome.rows.isClosed)
    report(outcome, cost)
    if let failure = outcome.rows.interruption { throw failure }
    if !statistics.wantsRows { try output.write(screen(outcome.insights, statistics.metrics, on: output)) }
    try check(outcome)
  }

  /// Says what the numbers lack, and what they cost.
  func report(_ outcome: ComputeStatistics.Outcome, _ cost: CostReport) {
    for message in outcome.notes.compactMap({ Message($0) }) { context.report(message) }
    if !common.quiet { context.report(.insightSummary(cost.cost, elapsed: cost.elapsed)) }
    if common.verbose { cost.report() }
  }

  /// - Throws: ``CommandFault`` if something could not be read.
  func check(_ outcome: ComputeStatistics.Outcome) throws {
    // A quiet run has reported no warning, but says why it failed.
    let reason = common.quiet ? outcome.notes.first.flatMap { Message($0) }?.asError : nil
    try context.end(outcome, saying: reason)
  }

  private func screen(
    _ insights: AccountInsights, _ metrics: Set<InsightMetric>, on output: OutputDescriptor
  ) -> [UInt8] {
    let palette = Palette(
      isTerminal: output.isTerminal, forbidden: common.noColor, environment: context.environment)
    let screen = StatsScreen(
      style: TextStyle(
        columns: output.columns ?? 80, unicode: context.showsUnicode, colour: palette.isOn), palette: palette)
    return Array(screen.text(insights, metrics).utf8)
  }
}

extension CommandContext {
  /// Whether the locale supports more than ASCII. Without a locale, UTF-8 is assumed.
  fileprivate var showsUnicode: Bool {
    if environment["TERM"] == "dumb" { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale = locale?.uppercased() else { return true }
    return locale.contains("UTF-8") || locale.contains("UTF8")
  }
}
