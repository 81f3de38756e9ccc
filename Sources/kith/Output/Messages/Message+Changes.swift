// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// Messages about changes, reports and lists.
extension Message {
  static func followBackScreened(_ candidates: FollowBackCandidates) -> Message {
    let labelled = candidates.labelled.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let leftOut = counted(
      [
        (candidates.blocked, "with a block"), (candidates.muted, "muted"),
        (candidates.unknown, "that the AppView does not describe"),
      ] + labelled.map { ($0.value, "labelled by \($0.key)") })
    return Message(
      .note, .followBackScreened,
      "\(counted(candidates.accounts.count, "follower")) to follow back"
        + (leftOut.isEmpty ? "" : "; left out: \(leftOut)"),
      [
        "followers": .integer(candidates.accounts.count), "blocked": .integer(candidates.blocked),
        "muted": .integer(candidates.muted), "unknown": .integer(candidates.unknown),
        "labelled": .object(labelled.map { OutputField($0.key, .integer($0.value)) }),
      ])
  }

  /// What a question is about besides the rows above it.
  static func planContinues(_ count: Int) -> Message {
    Message(.note, .planContinues, "and \(count) more", ["count": .integer(count)])
  }

  static func followBackPaced(perHour: Int?, perDay: Int?) -> Message {
    let limits = [perHour.map { "\($0) per hour" }, perDay.map { "\($0) per day" }].compactMap(\.self)
    return Message(
      .note, .followBackPaced,
      "at most \(limits.joined(separator: " and ")), because many follows at once get accounts suspended; "
        + "--per-hour and --per-day change that",
      ["perHour": .number(perHour), "perDay": .number(perDay)])
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

  /// - Parameter serverLead: how far the server's clock is ahead; negative if it is behind.
  static func clockWords(serverLead: Duration) -> String {
    let seconds = serverLead.components.seconds
    let difference = DurationText.span(.seconds(seconds.magnitude))
    return "this machine's clock is \(difference) \(seconds > 0 ? "behind" : "ahead of") the server's; "
      + "records get their dates from it"
  }

  static func undoneLater(_ until: Datetime, at now: Datetime) -> Message {
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
    guard let followed = reach.followed else {
      return Message(
        .note, .listReach, "\(reach.list): its members could not be read, so you may follow some of them",
        ["list": .text(reach.list)])
    }
    if followed.isEmpty, !reach.isPartial { return nil }
    let mutuals = followed.count(where: \.isMutual)
    let shown = followed.prefix(mostNames).map { $0.isMutual ? "\($0.name) (mutual)" : $0.name }
    let names = shown.joined(separator: ", ") + (followed.count > mostNames ? ", ..." : "")
    let share = reach.isPartial ? "the first \(ListReach.mostMembers) members" : "the members"
    return Message(
      .note, .listReach,
      "\(reach.list): you follow \(followed.count) of \(share)"
        + (mutuals > 0 ? ", \(mutuals) of them mutual" : "") + (names.isEmpty ? "" : ": \(names)"),
      [
        "list": .text(reach.list), "followed": .integer(followed.count), "mutuals": .integer(mutuals),
        "accounts": .array(followed.map { .string($0.name) }), "partial": .bool(reach.isPartial),
      ])
  }

  /// Messages name at most this many accounts.
  private static let mostNames = 20

  static func emptyStarterPack(_ uri: ATURI) -> Message {
    Message(
      .error, .emptyStarterPack, "\(uri) recommends no accounts; nothing was done", ["uri": .text(uri)])
  }

  static func foreignPackList(_ pack: ATURI, _ list: ATURI) -> Message {
    Message(
      .error, .foreignPackList,
      "\(pack) refers to \(list), which is not a reference list of the owner of the pack; nothing was done",
      ["uri": .text(pack), "list": .text(list)])
  }

  static func starterPack(uri: ATURI, name: String?, description: String?) -> Message {
    Message(
      .note, .starterPack, [name, description].compactMap(\.self).joined(separator: ": "),
      ["uri": .text(uri), "name": .text(name), "description": .text(description)])
  }

  /// A starter pack whose members are counted, but not shown.
  static func noMemberShown(_ pack: ATURI, _ count: Int) -> Message {
    Message(
      .error, .noMemberShown,
      "the AppView shows none of the \(counted(count, "account")) that \(pack) recommends; nothing was done",
      ["uri": .text(pack), "count": .integer(count)])
  }
}
