// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension Message {
  static let friendsArePublic = Message(
    .note, .friendsArePublic,
    "requests, acceptances and policies are public: anyone can see your requests and acceptances")

  static let approvalNotAsked = Message(
    .note, .approvalNotAsked,
    "not checked whether these accounts want to be asked before they are followed; that is done for up to "
      + "\(FollowApprovals.mostAccounts) accounts named on the command line")

  /// Requests that were not shown yet are not accepted without a question.
  static func requestsUnseen(
    _ requests: [(name: String, request: FriendRequest)], at now: Datetime
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
    let unknown = outcome.undecided > 0 ? "; \(outcome.undecided) could not be checked" : ""
    return Message(
      outcome.undecided > 0 ? .warning : .summary, .friendsListed,
      counted(outcome.friends, "friend") + " by consent"
        + (outcome.mutuals > 0 ? ", \(counted(outcome.mutuals, "other mutual"))" : "") + unknown
        + (outcome.friends + outcome.mutuals + outcome.undecided == 0
          ? "; ask with: kith friends request ACCOUNT" : ""),
      [
        "friends": .integer(outcome.friends), "mutuals": .integer(outcome.mutuals),
        "undecided": .integer(outcome.undecided),
      ])
  }

  static func inboxListed(
    _ outcome: ListReceivedRequests.Outcome, from origin: ListReceivedRequests.Source, page: Int
  ) -> Message {
    let pages = outcome.pages > 1 ? ", page \(page) of \(outcome.pages)" : ""
    let source: String
    switch origin {
    case .index(let after):
      let part =
        after > 0 ? "\(outcome.looked) of \(outcome.known ?? 0) ranked, after the first \(after)" : nil
      source =
        " that the index knows\(pages)"
        + (outcome.known.map { ": \(part ?? "the newest \(outcome.looked) of \($0) ranked")" } ?? "")
        + (outcome.mutuals > 0 ? "; also read: repositories of \(counted(outcome.mutuals, "mutual"))" : "")
        + (outcome.hasMore ? "; continue with --after \(after + ListReceivedRequests.rankedAtOnce)" : "")
    case .neighbours(let after, let most):
      source =
        "\(pages), from the repositories of \(counted(outcome.looked, "account")) that follow you or that you follow"
        + (outcome.hasMore ? "; continue with --after \(after + most)" : "")
    case .accounts: source = "\(pages), from the repositories of \(counted(outcome.looked, "account"))"
    }
    let leftOut = [
      (outcome.blocked, "blocked or muted"), (outcome.excluded, "excluded by your policy"),
      (outcome.accepted, "accepted"), (outcome.declined, "declined"),
      (outcome.expired, "ended"), (outcome.gone, "withdrawn or malformed"),
      (outcome.withoutRequest, "without a request"), (outcome.unknown, "not readable"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return Message(
      outcome.unknown > 0 ? .warning : .summary, .inboxListed,
      "\(counted(outcome.rows.count, "request"))\(source); others may be missing"
        + (leftOut.isEmpty ? "" : "; left out: \(leftOut)")
        + (outcome.onWeaver > 0 ? "; \(outcome.onWeaver) on Weaver wait for your approval there" : ""),
      [
        "rows": .integer(outcome.rows.count), "page": .integer(page), "pages": .integer(outcome.pages),
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

  static func friendsSynced(_ sync: SyncFriends) -> Message {
    Message(
      sync.unknown > 0 ? .warning : .note, .friendsSynced,
      "\(sync.allowed) allowed to follow, \(sync.ended) ended, \(sync.open) open"
        + (sync.settled > 0 ? ", \(sync.settled) allowed and not followed again" : "")
        + (sync.withdrawn > 0 ? ", \(sync.withdrawn) accepted and withdrawn since" : "")
        + (sync.early > 0 ? ", \(sync.early) ended by this machine's clock only, and left as they are" : "")
        + (sync.unknown > 0 ? ", \(sync.unknown) could not be checked" : ""),
      [
        "allowed": .integer(sync.allowed), "settled": .integer(sync.settled),
        "ended": .integer(sync.ended), "early": .integer(sync.early), "withdrawn": .integer(sync.withdrawn),
        "open": .integer(sync.open),
        "unknown": .integer(sync.unknown),
      ])
  }

  static func audienceCompared(_ audience: FriendAudience) -> Message {
    Message(
      audience.undecided > 0 ? .warning : .note, .audienceCompared,
      counted(audience.friends, "friend") + " by consent"
        + (audience.undecided > 0 ? "; \(audience.undecided) could not be checked and stay as they are" : ""),
      ["friends": .integer(audience.friends), "undecided": .integer(audience.undecided)])
  }
}
