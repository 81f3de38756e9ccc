// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

/// What is said of analytics, goals and segments.
extension Message {
  static func invalidTimeZone(_ name: String) -> Message {
    Message(
      .error, .invalidTimeZone,
      "--time-zone: \"\(name)\" is not a time zone that this system knows, such as UTC or Europe/Berlin",
      ["zone": .string(name)])
  }

  static func formatOfReports(_ format: String) -> Message {
    Message(
      .error, .formatOfReports,
      "--format \(format) is for reports: kith report -o FILE; rows come as table, json, ndjson or csv",
      ["format": .string(format)])
  }

  static func emptyTime(since: String?, until: String?) -> Message {
    Message(
      .error, .emptyTime, "--since \(since ?? "") is not before --until \(until ?? "now")",
      ["since": .text(since), "until": .text(until)])
  }

  static func noSnapshotOf(_ actor: DID) -> Message {
    Message(
      .error, .noSnapshotOf,
      "there is no snapshot of the followers of \(actor); kith snapshot \(actor) takes one",
      ["did": .text(actor)])
  }

  static func datesNotLearned(_ dates: FollowerDates, _ fault: RelationshipError) -> Message {
    let cause = CommandFault(fault)?.said ?? Message(other: fault)
    return Message(
      .warning, .datesNotLearned,
      "when they followed was learned of \(dates.dated) of \(dates.wanted) followers: \(cause.text)",
      ["dated": .integer(dates.dated), "wanted": .integer(dates.wanted), "cause": cause.cause])
  }

  static func insightPartMissing(_ part: String, _ fault: CommandFault) -> Message {
    let cause = fault.said ?? Message(other: fault)
    return Message(
      .warning, .insightPartMissing, "not learned to the end: \(part): \(cause.text)",
      ["part": .string(part), "cause": cause.cause])
  }

  static func insightPartPartial(_ part: String) -> Message {
    Message(
      .warning, .insightPartPartial, "not learned of all that were asked about: \(part)",
      ["part": .string(part)])
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
    Message(.note, .noGoal, "\(actor) has no goal; kith goal NUMBER sets one", ["account": .string(actor)])
  }

  static func goalRemoved(_ actor: String) -> Message {
    Message(.note, .goalRemoved, "goal of \(actor) removed", ["account": .string(actor)])
  }

  static func followersUnknown(_ actor: String) -> Message {
    Message(
      .error, .followersUnknown, "the AppView does not tell how many followers \(actor) has",
      ["account": .string(actor)])
  }

  // MARK: Segments

  static let noSegments = Message(
    .note, .noSegments, "there are no segments; kith segments add NAME PREDICATE names one")

  static func invalidSegmentName(_ name: String) -> Message {
    Message(
      .error, .invalidSegmentName,
      "\"\(name)\" cannot name a segment: letters, digits, - and _ can, 64 at most", ["name": .string(name)])
  }

  static func noSuchSegment(_ name: String, known: [String]) -> Message {
    Message(
      .error, .noSuchSegment,
      "there is no segment \"\(name)\"; "
        + (known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))"),
      ["name": .string(name), "known": .array(known.map { .string($0) })])
  }

  static func segmentInUse(_ name: String, by others: [String]) -> Message {
    Message(
      .error, .segmentInUse,
      "segment \(name) is part of \(others.joined(separator: ", ")); remove that first",
      ["name": .string(name), "by": .array(others.map { .string($0) })])
  }

  static func segmentAdded(_ name: String) -> Message {
    Message(
      .note, .segmentAdded, "segment \(name) added; use it as --where \"segment \(name)\"",
      ["name": .string(name)])
  }

  static func segmentsRemoved(_ count: Int) -> Message {
    Message(.note, .segmentsRemoved, "\(counted(count, "segment")) removed", ["removed": .integer(count)])
  }

  static func segmentUndecided(_ name: String, _ undecided: Int) -> Message {
    Message(
      .warning, .segmentUndecided,
      "segment \(name): of \(counted(undecided, "follower")) it is not known whether they are in it; not recorded",
      ["name": .string(name), "undecided": .integer(undecided)])
  }
}
