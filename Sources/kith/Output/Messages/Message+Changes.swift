// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipWriting
import Relationships

/// What is said of changes, reports and lists.
extension Message {
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

  /// - Parameter wait: until the budget has room; nil where it never has.
  static func pointsNeeded(_ points: Int, wait: Duration?) -> Message {
    let words =
      switch wait {
      case nil: "more than the budget ever allows"
      case .zero?: "for which there is room now"
      case let wait?: "which the budget has room for within \(DurationText.span(wait))"
      }
    return Message(
      .note, .pointsNeeded, "it takes \(points) points of the write budget, \(words)",
      ["points": .integer(points), "waitMilliseconds": .milliseconds(wait)])
  }

  /// The plan says less than it could have said.
  static func relationshipsNotLearned(_ error: RelationshipError) -> Message {
    Message(
      .error, .relationshipsNotLearned,
      "the AppView did not say how you stand with some of them, so that warnings may be missing: \(error)",
      ["cause": Message(error).cause])
  }

  static func undoneLater(_ until: Datetime) -> Message {
    Message(
      .note, .undoneLater,
      "ends \(MomentText.relative(until)), if kith jobs due runs then: systemctl --user enable --now kith-due.timer",
      ["until": .text(until)])
  }

  /// What a record that cannot be read was to be.
  enum Unreadable {
    case ownRecord, list, member, starterPack
  }

  static func unreadable(_ kind: Unreadable, _ uri: String, _ reason: String) -> Message {
    let text =
      switch kind {
      case .ownRecord: "one of your records cannot be read: \(uri): \(reason)"
      case .list: "\(uri) is no list: \(reason)"
      case .member: "\(uri) names nobody: \(reason)"
      case .starterPack: "\(uri) is no sound starter pack: \(reason)"
      }
    return Message(.error, .unreadableRecord, text, ["uri": .string(uri)])
  }

  static func moreUnreadable(_ count: Int) -> Message {
    Message(
      .error, .unreadableRecord, "\(count) more of them cannot be read", ["count": .integer(count)])
  }

  static func unresolvedHandle(_ handle: Handle) -> Message {
    Message(
      .error, .unresolvedHandle, "\(handle): nobody told whose handle it is", ["input": .text(handle)])
  }

  static func ownAccount(_ input: String) -> Message {
    Message(.error, .ownAccount, "\(input): that is yourself", ["input": .string(input)])
  }

  // MARK: Reports

  static func noSuchRecord(_ uri: ATURI) -> Message {
    Message(
      .error, .noSuchRecord, "\(uri): there is no such record; report the account instead",
      ["uri": .text(uri)])
  }

  static func textTooLong(file: String) -> Message {
    Message(
      .error, .textTooLong,
      "\(file): a report takes up to 2000 characters of 20000 bytes, and these are more",
      ["file": .string(file)])
  }

  static func reported(_ input: String, number: Int) -> Message {
    Message(
      .note, .reported, "\(input): reported, as number \(number) of the service",
      ["input": .string(input), "id": .integer(number)])
  }

  static func reportInDoubt(_ error: RepositoryError) -> Message {
    let cause = Message(error)
    return Message(
      .error, .reportInDoubt,
      "it may have been sent, and is not sent again by itself, for each report counts: \(error)",
      ["cause": cause.cause])
  }

  static func blockHint(_ owner: DID) -> Message {
    Message(.note, .blockHint, "to block it as well: kith block \(owner)", ["subject": .text(owner)])
  }

  // MARK: Lists

  /// - Parameter isOwn: whether it would be one of the signed-in account.
  static func noSuchList(_ list: ATURI, isOwn: Bool) -> Message {
    Message(
      .error, .noSuchList,
      isOwn
        ? "you have no list \(list); kith lists shows those that you have" : "\(list): there is no such list",
      ["uri": .text(list)])
  }

  /// - Parameter names: of the lists that there are.
  static func unknownListName(_ name: String, among names: [String]) -> Message {
    let shown = names.map { "\"\($0)\"" }.joined(separator: ", ")
    return Message(
      .error, .unknownListName,
      "you have no list named \"\(name)\"" + (shown.isEmpty ? "" : "; yours are \(shown)")
        + "; kith lists shows them",
      ["name": .string(name), "names": .array(names.map { .string($0) })])
  }

  static func ambiguousListName(_ name: String, _ uris: [ATURI]) -> Message {
    Message(
      .error, .ambiguousListName,
      "\(uris.count) of your lists are named \"\(name)\"; name the one that you mean: "
        + uris.map(\.description).joined(separator: ", "),
      ["name": .string(name), "uris": .array(uris.map { .text($0) })])
  }

  static func listNeedsSession(_ text: String) -> Message {
    Message(
      .error, .listNeedsSession,
      "\"\(text)\": a list is named by its name only where you are signed in; sign in (kith login HANDLE), "
        + "or name it by its AT-URI or the URL of its page",
      ["input": .string(text)])
  }

  static func notAStarterPack(_ text: String) -> Message {
    Message(
      .error, .notAStarterPack,
      "\"\(text)\" names no starter pack; write at://DID/app.bsky.graph.starterpack/KEY, or the URL of its "
        + "page (…/starter-pack/WHO/KEY)",
      ["input": .string(text)])
  }

  static func noStarterPack(_ rkey: RecordKey, of owner: DID) -> Message {
    Message(
      .error, .noStarterPack, "\(owner) has no starter pack \(rkey)",
      ["did": .text(owner), "rkey": .text(rkey)])
  }

  static func emptyStarterPack(_ uri: ATURI) -> Message {
    Message(
      .error, .emptyStarterPack, "\(uri) recommends nobody, so nothing was done", ["uri": .text(uri)])
  }

  static func foreignPackList(_ pack: ATURI, _ list: ATURI) -> Message {
    Message(
      .error, .foreignPackList,
      "\(pack) names \(list), which is no reference list of its owner, so nothing was done",
      ["uri": .text(pack), "list": .text(list)])
  }

  static func noRepository(_ owner: DID) -> Message {
    Message(
      .error, .noRepository, "\(owner): its DID document names no server of its repository",
      ["did": .text(owner)])
  }

  static func starterPack(uri: ATURI, name: String, description: String?) -> Message {
    Message(
      .note, .starterPack, name + (description.map { ": \($0)" } ?? ""),
      ["uri": .text(uri), "name": .string(name), "description": .text(description)])
  }

  static func membersUnknown(_ listing: String) -> Message {
    Message(
      .error, .membersUnknown, "\(listing): the AppView does not say how many are on it",
      ["list": .string(listing)])
  }

  static func membersNotCounted(_ error: RelationshipError) -> Message {
    Message(
      .error, .membersNotCounted, "how many are on them could not be learned: \(error)",
      ["cause": Message(error).cause])
  }

  static func handlesNotLearned(_ error: RelationshipError) -> Message {
    Message(
      .error, .handlesNotLearned, "handles could not be learned: \(error)", ["cause": Message(error).cause])
  }
}
