// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithWording

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
      "--format \(format) is for reports (kith stats -o FILE); use table, json, ndjson or csv for rows",
      ["format": .string(format)])
  }

  static func emptyTime(since: String?, until: String?) -> Message {
    Message(
      .error, .emptyTime, "--since \(since ?? "") is not before --until \(until ?? "now")",
      ["since": .text(since), "until": .text(until)])
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

  /// Why a goal has no expected date.
  static func noForecast(_ refusal: Forecast.Refusal) -> Message {
    Message(.note, .noForecast, "there is no forecast: \(refusal.reason)")
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

  /// - Parameter actor: the account that was named; nil for one's own.
  static func noLists(of actor: String?) -> Message {
    Message(
      .note, .noLists,
      actor.map { "\($0) has no lists" } ?? "you have no lists yet; make one with kith lists create NAME",
      ["account": .text(actor)])
  }

  /// - Parameter actor: the account that was named; nil for one's own.
  static func noStarterPacks(of actor: String?) -> Message {
    Message(
      .note, .noStarterPacks,
      actor.map { "\($0) has no starter packs" }
        ?? "you have no starter packs; see those of others with --of ACCOUNT",
      ["account": .text(actor)])
  }

  static func pictureOfSeveral(_ metrics: [String]) -> Message {
    Message(
      .error, .pictureOfSeveral,
      "a picture shows the cards and one metric; choose one of \(metrics.joined(separator: ", "))",
      ["metrics": .array(metrics.map { .string($0) })])
  }

  static func nothingToDraw(_ file: String) -> Message {
    Message(
      .error, .nothingToDraw,
      "\(file): there is nothing to draw yet; kith stats without -o says what is known",
      ["file": .string(file)])
  }

  /// - Parameter package: what has to be installed.
  static func noPictureProgram(package: String) -> Message {
    Message(
      .error, .noPictureProgram,
      "a PNG needs rsvg-convert (package \(package)) or Chromium; install one, or write an .svg",
      ["package": .string(package)])
  }

  /// - Parameter status: its exit status; 128 and more for a signal.
  static func pictureProgramFailed(_ program: String, status: Int32) -> Message {
    Message(
      .error, .pictureProgramFailed,
      "\(program) did not make a picture (exit status \(status)); write an .svg",
      ["program": .string(program), "status": .integer(Int(status))])
  }

  static func segmentAdded(_ outcome: AddSegment.Outcome) -> Message {
    Message(
      .note, .segmentAdded, outcome.sentence(in: .command),
      ["name": .string(outcome.name), "former": .text(outcome.replaced)])
  }

  static func segmentsRemoved(_ outcome: RemoveSegments.Outcome) -> Message {
    Message(
      level: .note, code: Code.segmentsRemoved.rawValue, text: outcome.sentence, fields: outcome.fields)
  }
}
