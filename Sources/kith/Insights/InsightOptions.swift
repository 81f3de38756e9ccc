// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithCore
public import KithInsights
import KithOperations

extension InsightMetric: ExpressibleByArgument {}
extension CalendarUnit: ExpressibleByArgument {}
extension PictureTheme: ExpressibleByArgument {}

/// Options that select the period and the sample size of analytics.
struct InsightOptions: ParsableArguments {
  /// A period that ends now.
  enum Range: String, ExpressibleByArgument, CaseIterable, Sendable {
    case week, month, year, all

    /// Nil for all.
    var days: Int64? {
      switch self {
      case .week: 7
      case .month: 30
      case .year: 365
      case .all: nil
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      "Period of changes and flows: the last 7, 30 or 365 days, or all.",
      discussion: "Default: month; growth starts at the first day."))
  var range: Range?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Start of the period: a date in the time zone, or a time span before now.", valueName: "date|span"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "End of the period: a date in the time zone, or a time span before now.", valueName: "date|span"))
  var until: String?

  @Option(help: "Count by day, week, month or year. Default: depends on the period.")
  var by: CalendarUnit?

  @Option(
    help: ArgumentHelp(
      "Time zone of days and hours, such as Europe/Berlin.",
      discussion: "Default: local, the zone of this machine.",
      valueName: "zone"))
  var timeZone = "local"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sample this many followers, and the reactions to this many posts.",
      discussion:
        "Default: all dates up to 10,000 followers, else 3,000; 1,000 profiles; 100 accounts for their activity.",
      valueName: "n"))
  var sample: Int?

  @Option(parsing: .unconditional, help: ArgumentHelp("Read at most this many posts.", valueName: "n"))
  var posts = 300

  @Flag(help: "Take snapshots first, even if the last ones are less than a day old.")
  var refresh = false

  @Flag(help: "Use stored snapshots only; make no calls.")
  var stored = false

  mutating func validate() throws {
    try sample?.check(isIn: 1...100_000_000, for: "--sample")
    try posts.check(isIn: 1...100_000, for: "--posts")
    if refresh, stored {
      throw ValidationError("--refresh takes snapshots, and --stored makes no calls; omit one of them.")
    }
    if range != nil, since != nil || until != nil {
      throw ValidationError("--range cannot be combined with --since or --until; omit one of them.")
    }
  }

  /// - Parameter metrics: the wanted metrics; empty for the usual ones.
  /// - Throws: `ValidationError` if stored data shows none of them.
  func check(_ metrics: Set<InsightMetric>) throws {
    guard stored, !metrics.isEmpty, metrics.allSatisfy(\.needsServers) else { return }
    let names = metrics.map(\.rawValue).sorted().joined(separator: ", ")
    throw ValidationError("--stored makes no calls, but \(names) cannot be computed without; omit --stored.")
  }

  /// The period. A date without a time begins at midnight of the clock's zone.
  ///
  /// - Throws: ``CommandFault`` for an invalid date or time span.
  func period(_ clock: ZonedCalendar) throws(CommandFault) -> StatisticsPeriod {
    func moment(_ text: String) throws(CommandFault) -> StatisticsPeriod.Moment {
      if let date = clock.start(ofDay: text) ?? ListingOptions.date(text)?.instant { return .at(date) }
      guard let span = try? DurationOption(parsing: text) else {
        throw CommandFault(.usage, .invalidSince(text))
      }
      return .ago(span.duration)
    }
    if since != nil || until != nil {
      let end = try until.map { text throws(CommandFault) in try moment(text) }
      return .between(try since.map { text throws(CommandFault) in try moment(text) }, end)
    }
    return (range ?? .month).days.map { .last(.days($0)) } ?? .whole
  }

  /// The times of the period; nil for all.
  ///
  /// - Throws: ``CommandFault`` if it ends before it begins; as ``period(_:)``.
  func time(now: Instant, _ clock: ZonedCalendar) throws(CommandFault) -> Swift.Range<Instant>? {
    let period = try period(clock)
    do throws(OperationError) { return try period.range(now: now) } catch {
      throw CommandFault(.usage, .emptyTime(since: since, until: until))
    }
  }

  /// Whether growth starts at the first day, regardless of the period.
  var isGrowthWhole: Bool { range == nil && since == nil && until == nil }
}
