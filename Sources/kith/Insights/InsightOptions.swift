// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
public import ArgumentParser
public import RelationshipInsights

extension InsightMetric: ExpressibleByArgument {}
extension CalendarUnit: ExpressibleByArgument {}

/// Which analytics of an account are wanted, and from how much they are learned.
struct InsightOptions: ParsableArguments {
  /// A time that ends now.
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
      "The time of changes and flows: the last 7, 30 or 365 days, or all.",
      discussion: "Default: month, and growth from the first day on."))
  var range: Range?

  @Option(help: ArgumentHelp("From then on: a date, or a span back from now.", valueName: "date|span"))
  var since: String?

  @Option(help: ArgumentHelp("Until then: a date, or a span back from now.", valueName: "date|span"))
  var until: String?

  @Option(help: "Count by day, week, month or year. Default: what suits the time.")
  var by: CalendarUnit?

  @Option(
    help: ArgumentHelp(
      "Whose days and hours they are, as Europe/Berlin.",
      discussion: "Default: local, as this machine has it.",
      valueName: "zone"))
  var timeZone = "local"

  @Option(
    help: ArgumentHelp(
      "Ask about so many followers, and about so many posts' fans, where all would be too dear.",
      discussion:
        "Default: all dates up to 10,000 followers, else 3,000; 1,000 profiles; 100 accounts for their activity.",
      valueName: "n"))
  var sample: Int?

  @Option(help: ArgumentHelp("Read so many posts at most.", valueName: "n"))
  var posts = 300

  @Flag(help: "Ask no server: tell what the snapshots know.")
  var stored = false

  mutating func validate() throws {
    if let sample, sample < 1 {
      throw ValidationError("--sample takes a whole number from 1, not \(sample).")
    }
    guard (1...100_000).contains(posts) else {
      throw ValidationError("--posts takes a whole number from 1 to 100000, not \(posts).")
    }
    if range != nil, since != nil || until != nil {
      throw ValidationError("--range ends now, and --since and --until name a time; leave one of them out.")
    }
  }

  /// What time is wanted; nil for all.
  ///
  /// - Throws: ``CommandFault`` for a time that ends before it begins.
  func time(now: Int64) throws(CommandFault) -> Swift.Range<Int64>? {
    func moment(_ text: String) throws(CommandFault) -> Int64 {
      try ListingOptions.moment(text, now: Datetime(microsecondsSinceEpoch: now)).microsecondsSinceEpoch
    }
    if since != nil || until != nil {
      let end = try until.map { text throws(CommandFault) in try moment(text) } ?? now
      let start = try since.map { text throws(CommandFault) in try moment(text) } ?? Self.firstMoment
      guard start < end else { throw CommandFault(.usage, .emptyTime(since: since, until: until)) }
      return start..<end
    }
    return (range ?? .month).days.map { now - $0 * 86_400_000_000..<now }
  }

  /// Nobody followed anybody before 2022.
  private static let firstMoment: Int64 = 1_640_995_200_000_000

  /// Whether growth is wanted from the first day on, whatever the time of the rest.
  var isGrowthWhole: Bool { range == nil && since == nil && until == nil }

  /// What a time is counted in.
  func unit(for time: Swift.Range<Int64>) -> CalendarUnit {
    if let by { return by }
    return switch (time.upperBound - time.lowerBound) / 86_400_000_000 {
    case ...45: .day
    case ...400: .week
    default: .month
    }
  }
}

/// About how many followers is asked.
struct SampleSizes: Sendable, Hashable {
  /// When they followed: a call for every 30.
  let dates: Int
  /// Their profiles: a call for every 25.
  let profiles: Int
  /// Whether they are there: a DID document, a call to their own server and one to the AppView each.
  let activity: Int
  /// Whether they follow one of the top: a call for every 30, for each of the top.
  let influence: Int
  /// Posts of which is asked who likes, reposts and quotes them.
  let posts: Int
  /// Of how many of the top is asked how many of the sample follow them.
  static let candidates = 10

  /// - Parameter wanted: what `--sample` says; nil for what can be learned in some hundred calls each.
  init(_ wanted: Int?, followers: Int) {
    dates = wanted ?? (followers <= 10_000 ? followers : 3_000)
    profiles = min(followers, wanted ?? 1_000)
    activity = min(followers, wanted ?? 100)
    influence = min(followers, wanted ?? 300)
    posts = min(wanted ?? 20, 100)
  }
}
