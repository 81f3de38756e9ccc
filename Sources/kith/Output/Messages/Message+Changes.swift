// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWording
import KithWriting

/// Messages about changes, reports and lists.
extension Message {
  static func followBackScreened(_ candidates: FollowBackScreening) -> Message {
    let labelled = candidates.labelled.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return Message(
      .note, .followBackScreened,
      Wording.command.sentence(PreparationNote.followBackScreened(candidates)) ?? "",
      [
        "followers": .integer(candidates.followers), "blocked": .integer(candidates.blocked),
        "muted": .integer(candidates.muted), "unknown": .integer(candidates.unknown),
        "labelled": .object(labelled.map { OutputField($0.key, .integer($0.value)) }),
      ])
  }

  /// What a question is about besides the rows above it.
  static func planContinues(_ count: Int) -> Message {
    Message(.note, .planContinues, "and \(count) more", ["count": .integer(count)])
  }

  static func followBackPaced(perHour: Int?, perDay: Int?) -> Message {
    Message(preparing: .followBackPaced(perHour: perHour, perDay: perDay))
  }

  init(_ refusal: ChangeRefusal) {
    self.init(
      level: .error, code: "refusal.\(refusal.code.rawValue)", text: refusal.sentence,
      fields: refusal.job.map { [OutputField("job", .job($0))] } ?? [])
  }

  init(_ warning: MassChangeWarning) {
    self.init(
      .warning, .massChange, warning.description,
      [
        "follows": .integer(warning.follows), "unfollows": .integer(warning.unfollows),
        "following": .number(warning.following),
      ])
  }

  /// - Parameters:
  ///   - wait: until the budget has room; nil if it never has.
  ///   - limit: how many changes may be made.
  static func pointsNeeded(_ points: Int, wait: Duration?, within limit: WriteLimit = WriteLimit()) -> Message
  {
    Message(
      .note, .pointsNeeded,
      "needs \(points) points of the write budget: \(waitWords(wait, perHour: limit.changesPerHour, perDay: limit.changesPerDay))",
      [
        "points": .integer(points), "waitMilliseconds": .milliseconds(wait),
        "perHour": .number(limit.changesPerHour), "perDay": .number(limit.changesPerDay),
      ])
  }

  /// When a job will be done that waits for the write budget or for a limit of changes.
  private static func waitWords(_ wait: Duration?, perHour: Int?, perDay: Int?) -> String {
    guard let wait else { return "more than the budget ever allows" }
    if wait == .zero { return "available now" }
    let paces = [perHour.map { "\($0) an hour" }, perDay.map { "\($0) a day" }].compactMap(\.self)
    if paces.isEmpty { return "available within \(daysOrLess(wait))" }
    return "done in \(daysOrLess(wait)) at \(paces.joined(separator: " and "))"
  }

  /// A span of more than a day in days, rounded up: `8 days`; a shorter one as it is.
  private static func daysOrLess(_ span: Duration) -> String {
    let days = (span.components.seconds + 86_399) / 86_400
    return days > 1 ? "\(days) days" : DurationText.span(span)
  }

  /// - Parameter hasDaemon: whether `kith daemon` runs, which undoes it.
  static func undoneLater(_ until: Datetime, hasDaemon: Bool = false, at now: Datetime) -> Message {
    if hasDaemon {
      return Message(
        .note, .undoneLater,
        "ends \(RelativeTimeText.relative(until, to: now)), or within a minute of it: kith daemon undoes it",
        ["until": .text(until)])
    }
    let isOver = until.instant <= now.instant
    let end =
      isOver
      ? "has ended; kith jobs due undoes it"
      : "ends \(RelativeTimeText.relative(until, to: now)), if kith jobs due runs then"
    return Message(
      .note, .undoneLater, "\(end): systemctl --user enable --now kith-due.timer",
      ["until": .text(until)])
  }

  static let replacedUncompared = Message(
    .note, .replacedUncompared,
    "your server does not compare commits, so the check was weaker: what another app changed in the moment of this "
      + "change may be lost")

  // MARK: Reports

  static func reported(_ input: String, number: Int) -> Message {
    Message(
      .note, .reported, "\(input): reported (report no. \(number))",
      ["input": .string(input), "id": .integer(number)])
  }

  static func reportInDoubt(_ error: RepositoryError) -> Message {
    let cause = Message(error)
    return Message(
      .error, .reportInDoubt,
      "the report may have been sent, and is not sent again automatically, because each report counts: \(error)",
      ["cause": cause.cause])
  }

  static func blockHint(_ owner: DID) -> Message {
    Message(.note, .blockHint, "to block the account as well: kith block \(owner)", ["subject": .text(owner)])
  }

  // MARK: Lists

  /// The members of a list that the account follows; nil if there are none.
  static func reach(of reach: ListReach) -> Message? {
    let note = PreparationNote.listReach(reach)
    return Wording.command.sentence(note).map { _ in Message(preparing: note) }
  }

  static func starterPack(uri: ATURI, name: String?, description: String?) -> Message {
    Message(
      .note, .starterPack, [name, description].compactMap(\.self).joined(separator: ": "),
      ["uri": .text(uri), "name": .text(name), "description": .text(description)])
  }
}
