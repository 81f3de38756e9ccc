// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWording
import KithWriting

extension Message {
  static let friendsArePublic = Message(preparing: .friendsArePublic)
  static let approvalNotAsked = Message(preparing: .approvalNotAsked)

  /// Requests that were not shown yet are not accepted without a question.
  static func requestsUnseen(
    _ requests: [UnseenRequest], at now: Datetime
  ) -> Message {
    let first = requests.prefix(mostNamed).map { "\($0.name): \($0.request.words(at: now))" }
    let more = requests.count > first.count ? "; and \(requests.count - first.count) more" : ""
    return Message(
      .error, .requestsUnseen,
      "say what you accept, with --kind friend or --kind follow, or pass rows of kith friends inbox "
        + "(\(first.joined(separator: "; "))\(more))",
      [
        "count": .integer(requests.count),
        "kinds": .array(Set(requests.map(\.request.kind.rawValue)).sorted().map { .string($0) }),
      ])
  }

  static func friendsListed(_ outcome: ListFriends.Outcome) -> Message {
    Message(
      outcome.undecided > 0 ? .warning : .summary, .friendsListed, outcome.sentence(in: .command),
      [
        "friends": .integer(outcome.friends), "mutuals": .integer(outcome.mutuals),
        "undecided": .integer(outcome.undecided),
      ])
  }

  static func inboxListed(_ outcome: ListReceivedRequests.Outcome) -> Message {
    Message(
      outcome.unknown > 0 ? .warning : .summary, .inboxListed, outcome.sentence(in: .command),
      [
        "rows": .integer(outcome.rows.count), "page": .integer(outcome.page),
        "pages": .integer(outcome.pages),
        "known": .number(outcome.known), "looked": .integer(outcome.looked), "more": .bool(outcome.hasMore),
        "blocked": .integer(outcome.blocked), "mutuals": .integer(outcome.mutuals),
        "excluded": .integer(outcome.excluded), "accepted": .integer(outcome.accepted),
        "declined": .integer(outcome.declined), "expired": .integer(outcome.expired),
        "gone": .integer(outcome.gone), "withoutRequest": .integer(outcome.withoutRequest),
        "unknown": .integer(outcome.unknown),
        "onWeaver": .integer(outcome.onWeaver),
      ])
  }

  static let noneSent = Message(
    .summary, .noneSent, "no friend requests; send one with: kith friends request ACCOUNT")

  static func requestsUnreadable(_ count: Int) -> Message {
    Message(
      .warning, .requestsUnreadable,
      "\(counted(count, "record")) in the collections of requests and answers could not be understood",
      ["count": .integer(count)])
  }

  static func friendsSynced(_ sync: FriendSyncCounts) -> Message {
    Message(
      sync.unknown > 0 ? .warning : .note, .friendsSynced,
      Wording.command.sentence(PreparationNote.friendsSynced(sync)) ?? "",
      [
        "allowed": .integer(sync.allowed), "settled": .integer(sync.settled),
        "ended": .integer(sync.ended), "early": .integer(sync.early), "withdrawn": .integer(sync.withdrawn),
        "open": .integer(sync.open),
        "unknown": .integer(sync.unknown),
      ])
  }
}
