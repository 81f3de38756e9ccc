// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithWriting

/// Options that limit how much of the write budget a job may use.
struct PointOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Share of the write budget to keep free for other apps.",
      discussion: "Applies to the hourly and the daily points. Default: 20%.",
      valueName: "share"),
    transform: PercentageOption.init(parsing:))
  var leave: PercentageOption?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most points to spend per hour and per day.",
      discussion: """
        A create costs 3 points, an update 2, a delete 1. A lower limit that the server reports counts. Default: what \
        the server allows, which is 5000/35000 unless it reports another.
        """, valueName: "n/n"),
    transform: Self.limits)
  var points: Limits?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The most changes to make per hour, on top of --points.",
      discussion: """
        All changes of the same kind count that the account made with Kith, such as follows, whatever they cost. The job \
        continues as soon as there is room, even days later; kith jobs resume continues it after a restart.
        """, valueName: "n"))
  var perHour: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most changes to make per day, likewise.", valueName: "n"))
  var perDay: Int?

  @Flag(
    help: """
      Ignore the points that the server reports, if they are wrong. What was spent from here counts, up to \
      --points; a change that the server refuses still waits.
      """)
  var ignoreReportedPoints = false

  @Flag(
    help: """
      If the write budget is used up, print when it has room and exit with 75 instead of waiting; continue \
      with kith jobs resume.
      """)
  var noWait = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to retry while the server fails, and the longest wait that it may ask for.",
      discussion: """
        Default: 30s for one change on a terminal, 5m otherwise; any wait that it asks for.
        """, valueName: "span"),
    transform: DurationOption.init(parsing:))
  var patience: DurationOption?

  // Only for tests, to split a run into many commits: a server with a lower limit is handled automatically.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Writes per commit, 1 to \(RecordWrite.mostPerCommit).", valueName: "n",
      visibility: .hidden))
  var commitSize = RecordWrite.mostPerCommit

  mutating func validate() throws {
    if let leave, leave.value > 0.99 {
      throw ValidationError("--leave must be at most 99%; otherwise no points are left to spend.")
    }
    for (name, limit) in [("--per-hour", perHour), ("--per-day", perDay)] {
      try limit?.check(isIn: 1...WriteLimit.mostPoints, for: name)
    }
    try commitSize.check(isIn: 1...RecordWrite.mostPerCommit, for: "--commit-size")
  }

  /// Points per hour and per day.
  struct Limits: Sendable, Hashable {
    let perHour: Int
    let perDay: Int
  }

  /// The options of the job runner.
  ///
  /// - Parameter patience: the default if the options set none.
  func runnerOptions(patience usual: Duration) -> JobOptions {
    var options = JobOptions(
      limit: limit, stopsWhenShort: noWait, patience: patience?.duration ?? usual, writesPerCommit: commitSize
    )
    options.longestWait = patience?.duration
    options.ignoresReports = ignoreReportedPoints
    return options
  }

  /// The limit for estimates: that of the options, or the default.
  var estimate: WriteLimit {
    var limit = limit ?? WriteLimit()
    limit.ignoresReports = ignoreReportedPoints
    return limit
  }

  /// The write limit; nil if the options set none, so a job keeps its own.
  var limit: WriteLimit? {
    guard leave != nil || points != nil || perHour != nil || perDay != nil else { return nil }
    return WriteLimit(
      perHour: points?.perHour, perDay: points?.perDay,
      leave: leave.map { Int(($0.value * 100).rounded()) } ?? 20, changesPerHour: perHour,
      changesPerDay: perDay)
  }

  static func limits(_ text: String) throws -> Limits {
    guard let pair = NumberPair(text), (1...WriteLimit.mostPoints).contains(pair.first),
      (pair.first...WriteLimit.mostPoints).contains(pair.second)
    else {
      throw ValidationError(
        "use points per hour and per day, such as 5000/35000; the daily limit must not be below the hourly one"
      )
    }
    return Limits(perHour: pair.first, perDay: pair.second)
  }
}
