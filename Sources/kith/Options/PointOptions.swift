// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RelationshipWriting

/// Options that say how much of the write budget a job may use.
struct PointOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The share of the hourly and daily points to leave for other use.", discussion: "Default: 20%.",
      valueName: "share"),
    transform: Share.init(parsing:))
  var leave: Share?

  @Option(
    help: ArgumentHelp(
      "The points that the PDS allows in an hour and in a day, where it is not the usual server.",
      discussion: "A create takes 3, an update 2, a delete 1. Default: 5000/35000.", valueName: "n/n"),
    transform: Self.limits)
  var points: Limits?

  @Flag(
    help: "Where points are short, end with 75 and the time instead of waiting; kith jobs resume goes on.")
  var noWait = false

  @Option(
    help: ArgumentHelp(
      "How long to try again while the server fails.",
      discussion: "Default: 30s for one change on a terminal, 5m otherwise.", valueName: "span"),
    transform: Span.init(parsing:))
  var patience: Span?

  // Nobody needs it: a server that takes fewer is given fewer. Tests cut a run into many commits with it.
  @Option(
    help: ArgumentHelp(
      "How many writes go in one commit, 1 to \(RecordWrite.mostPerCommit).", valueName: "n",
      visibility: .hidden))
  var commitSize = RecordWrite.mostPerCommit

  mutating func validate() throws {
    if let leave, leave.value > 0.99 {
      throw ValidationError("--leave leaves at most 99%: with nothing to spend, nothing could be done.")
    }
    guard (1...RecordWrite.mostPerCommit).contains(commitSize) else {
      throw ValidationError(
        "--commit-size takes a whole number from 1 to \(RecordWrite.mostPerCommit), not \(commitSize).")
    }
  }

  /// Points of an hour and of a day.
  struct Limits: Sendable, Hashable {
    let perHour: Int
    let perDay: Int
  }

  /// How a job is run.
  ///
  /// - Parameter patience: where the options say nothing of it.
  func runnerOptions(patience usual: Duration) -> JobRunner.Options {
    JobRunner.Options(
      limit: limit, stopsWhenShort: noWait, patience: patience?.duration ?? usual, writesPerCommit: commitSize
    )
  }

  /// What may be spent; nil where the options say nothing of it, so that a job keeps what it was given.
  var limit: WriteLimit? {
    guard leave != nil || points != nil else { return nil }
    let leave = leave.map { Int(($0.value * 100).rounded()) } ?? 20
    guard let points else { return WriteLimit(leave: leave) }
    return WriteLimit(perHour: points.perHour, perDay: points.perDay, leave: leave)
  }

  static func limits(_ text: String) throws -> Limits {
    guard let pair = NumberPair(text), (1...WriteLimit.mostPoints).contains(pair.first),
      (pair.first...WriteLimit.mostPoints).contains(pair.second)
    else {
      throw ValidationError(
        "it takes points of an hour and of a day, such as 5000/35000; the day has no fewer than the hour")
    }
    return Limits(perHour: pair.first, perDay: pair.second)
  }
}
