// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import KithCore
public import KithInsights

extension InsightMetric: ExpressibleByArgument {}
extension CalendarUnit: ExpressibleByArgument {}

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

  @Flag(help: "Use stored snapshots only; make no calls.")
  var stored = false

  mutating func validate() throws {
    if let sample, !(1...100_000_000).contains(sample) {
      throw ValidationError("--sample must be a whole number from 1 to 100000000, not \(sample).")
    }
    guard (1...100_000).contains(posts) else {
      throw ValidationError("--posts must be a whole number from 1 to 100000, not \(posts).")
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

  /// The period; nil for all. A date without a time begins at midnight of the clock's zone.
  ///
  /// - Throws: ``CommandFault`` if it ends before it begins.
  func time(now: Instant, _ clock: ZonedClock) throws(CommandFault) -> Swift.Range<Instant>? {
    func moment(_ text: String) throws(CommandFault) -> Instant {
      if let start = clock.start(ofDay: text) { return start }
      return try ListingOptions.moment(text, now: Datetime(at: now))
        .instant
    }
    if since != nil || until != nil {
      let end = try until.map { text throws(CommandFault) in try moment(text) } ?? now
      let start = try since.map { text throws(CommandFault) in try moment(text) } ?? Instant.networkBegan
      guard start < end else { throw CommandFault(.usage, .emptyTime(since: since, until: until)) }
      return start..<end
    }
    return (range ?? .month).days.map { now - .days($0)..<now }
  }

  /// Whether growth starts at the first day, regardless of the period.
  var isGrowthWhole: Bool { range == nil && since == nil && until == nil }

  /// The calendar unit for a period.
  func unit(for time: Swift.Range<Instant>) -> CalendarUnit {
    if let by { return by }
    return switch time.upperBound - time.lowerBound {
    case ..<(.days(46)): .day
    case ..<(.days(401)): .week
    default: .month
    }
  }
}

/// The sample sizes of a survey.
struct SampleSizes: Sendable, Hashable {
  /// Followers whose follow date is read: 1 call per 30.
  let dates: Int
  /// Followers whose profile is read: 1 call per 25.
  let profiles: Int
  /// Followers whose activity is read: a DID document, a call to their server and one to the AppView each.
  let activity: Int
  /// Followers checked for following a top account: 1 call per 30, for each top account.
  let influence: Int
  /// Posts whose likes, reposts and quotes are read.
  let posts: Int
  /// The number of top accounts whose influence is measured.
  static let candidates = 10

  /// - Parameter wanted: the value of `--sample`; nil for sizes that need a few hundred calls each.
  init(_ wanted: Int?, followers: Int) {
    dates = wanted ?? (followers <= 10_000 ? followers : 3_000)
    profiles = min(followers, wanted ?? 1_000)
    activity = min(followers, wanted ?? 100)
    influence = min(followers, wanted ?? 300)
    posts = min(wanted ?? 20, 100)
  }
}
