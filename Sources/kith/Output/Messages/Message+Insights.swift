// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships

/// Messages about analytics, goals and segments.
extension Message {
  static func invalidTimeZone(_ name: String) -> Message {
    Message(
      .error, .invalidTimeZone,
      "--time-zone: unknown time zone \"\(name)\"; use a name such as UTC or Europe/Berlin",
      ["zone": .string(name)])
  }

  static func formatOfReports(_ format: String) -> Message {
    Message(
      .error, .formatOfReports,
      "--format \(format) is for reports (kith report -o FILE); use table, json, ndjson or csv for rows",
      ["format": .string(format)])
  }

  static func emptyTime(since: String?, until: String?) -> Message {
    Message(
      .error, .emptyTime, "--since \(since ?? "") is not before --until \(until ?? "now")",
      ["since": .text(since), "until": .text(until)])
  }

  static func datesNotLearned(_ dates: FollowerDates, _ fault: RelationshipError) -> Message {
    let cause = Message(any: fault)
    return Message(
      .warning, .datesNotLearned,
      "got the follow dates of only \(dates.dated) of \(dates.wanted) followers: \(cause.text)",
      ["dated": .integer(dates.dated), "wanted": .integer(dates.wanted), "cause": cause.cause])
  }

  static func insightPartMissing(_ part: StatisticsPart, _ error: any Error) -> Message {
    let cause = CommandFault(any: error)?.said ?? Message(other: error)
    return Message(
      .warning, .insightPartMissing, "incomplete: \(part.words): \(cause.text)",
      ["part": .string(part.words), "cause": cause.cause])
  }

  static func insightPartPartial(_ part: StatisticsPart) -> Message {
    Message(
      .warning, .insightPartPartial, "some lookups failed: \(part.words)", ["part": .string(part.words)])
  }

  static func metricsNeedServers(_ metrics: [InsightMetric]) -> Message {
    Message(
      .note, .metricsNeedServers,
      "not computed with --stored, because they need servers: "
        + metrics.map(\.rawValue).joined(separator: ", "),
      ["metrics": .array(metrics.map { .string($0.rawValue) })])
  }

  static let blockersNeedServers = Message(
    .note, .blockersNeedServers,
    "--stored does not ask the index: blocks of the account are known only for lost followers")

  static func snapshotInProgress(_ side: HistoryListing.Side) -> Message {
    Message(
      .warning, .snapshotInProgress,
      "another process is taking a snapshot of \(side.rawValue); the numbers are those of the last one",
      ["side": .string(side.rawValue)])
  }

  static func insightSummary(_ cost: CallCost, elapsed: Duration) -> Message {
    Message(
      .summary, .insightSummary, "\(counted(cost.calls, "call")), \(DurationText.seconds(elapsed)) s",
      ["calls": .integer(cost.calls), "milliseconds": .milliseconds(elapsed)])
  }

  static func reportWritten(_ file: String, bytes: Int) -> Message {
    Message(
      .note, .reportWritten, "report written to \(file), \((bytes + 1_023) / 1_024) KB",
      ["file": .string(file), "bytes": .integer(bytes)])
  }

  // MARK: Goals

  static func noGoal(_ actor: String) -> Message {
    Message(
      .note, .noGoal, "\(actor) has no goal; set one with kith goal NUMBER", ["account": .string(actor)])
  }

  static func goalRemoved(_ actor: String) -> Message {
    Message(.note, .goalRemoved, "goal of \(actor) removed", ["account": .string(actor)])
  }

  // MARK: Segments

  static let noSegments = Message(
    .note, .noSegments, "there are no segments; add one with kith segments add NAME PREDICATE")

  static func unknownFileType(_ file: String, known: [String], format: String) -> Message {
    Message(
      .error, .unknownFileType,
      "\(file): unknown file type; end the name with \(known.joined(separator: ", ")), or add --format \(format)",
      ["file": .string(file), "known": .array(known.map { .string($0) })])
  }

  /// - Parameter former: the predicate that it replaces; nil for a new segment.
  static func segmentAdded(_ name: String, replacing former: String? = nil) -> Message {
    let text = former.map { "segment \(name) replaced; it was: \($0)" }
    return Message(
      .note, .segmentAdded, text ?? "segment \(name) added; use it as --where \"segment \(name)\"",
      ["name": .string(name), "former": .text(former)])
  }

  static func segmentsRemoved(_ count: Int) -> Message {
    Message(.note, .segmentsRemoved, "\(counted(count, "segment")) removed", ["removed": .integer(count)])
  }

  static func segmentUndecided(_ name: String, _ undecided: Int) -> Message {
    Message(
      .warning, .segmentUndecided,
      "segment \(name): could not evaluate it for \(counted(undecided, "follower")); count not recorded",
      ["name": .string(name), "undecided": .integer(undecided)])
  }
}

extension StatisticsPart {
  /// The words for it in a sentence.
  var words: String {
    switch self {
    case .posts: "posts"
    case .reactions: "reactions to posts"
    case .profiles: "profiles of followers"
    case .activity: "activity of followers"
    case .latestPosts: "latest posts of followers"
    case .influence: "follows of followers"
    case .blocks: "blocks of the account"
    }
  }
}
