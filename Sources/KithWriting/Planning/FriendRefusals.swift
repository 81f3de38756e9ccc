// SPDX-License-Identifier: Apache-2.0

package import KithCore
public import KithRelationships

extension ChangeNote.Code {
  /// What the answered request asks for, and how old it is.
  public static let answersRequest = Self(rawValue: "answersRequest")
  /// A changed request has to be accepted again.
  public static let replacesRequest = Self(rawValue: "replacesRequest")
  /// The account that asked writes the follow itself.
  public static let followNeedsSync = Self(rawValue: "followNeedsSync")
  /// Accounts that follow already need no approval.
  public static let followersStay = Self(rawValue: "followersStay")
  /// The account has not declared that it takes part.
  public static let takesNoPart = Self(rawValue: "takesNoPart")
  /// It is unknown whether the account wants to be asked before it is followed.
  public static let approvalNotLearned = Self(rawValue: "approvalNotLearned")
  /// Records about the account in other collections are not removed.
  public static let staysElsewhere = Self(rawValue: "staysElsewhere")
  /// Whether such records are left was not learned until the block was sent.
  public static let remainsNotLearned = Self(rawValue: "remainsNotLearned")
  /// The account has written a request, too.
  public static let hasAskedYou = Self(rawValue: "hasAskedYou")
}

extension FriendRequest {
  /// What it asks for, and how old it is: `a request to be friends, 3 days old`.
  package func words(at now: Datetime) -> String {
    let days = max(0, (now.instant - createdAt.instant).components.seconds / 86_400)
    let age = days == 0 ? "less than a day old" : days == 1 ? "1 day old" : "\(days) days old"
    return "\(kind == .friend ? "a request to be friends" : "a request to follow you"), \(age)"
  }
}

extension ChangeNote {
  static func answers(_ request: FriendRequest, at now: Datetime) -> ChangeNote {
    ChangeNote(.answersRequest, request.words(at: now))
  }

  static let replacesRequest = ChangeNote(
    .replacesRequest, "replaces your earlier request; an answer to that one does not count any more")
  static let followNeedsSync = ChangeNote(
    .followNeedsSync, "they may follow you now; they write the follow themselves")
  static let followersStay = ChangeNote(
    .followersStay, "those who follow you already stay followers, and not every app asks")

  package static let takesNoPart = ChangeNote(
    .takesNoPart, "they have not said that they take part in friend requests, and may never see it")
  package static let approvalNotLearned = ChangeNote(
    .approvalNotLearned, "could not find out in time whether they want to be asked first")

  package static func staysElsewhere(_ records: [String]) -> ChangeNote {
    ChangeNote(.staysElsewhere, "what stays: \(records.joined(separator: ", "))")
  }

  /// - Parameter places: what was not looked at, or not as a whole.
  package static func remainsNotLearned(_ places: [String]) -> ChangeNote {
    ChangeNote(
      .remainsNotLearned,
      "more may stay; not looked at before the block was sent: \(places.joined(separator: ", "))")
  }

  package static let hasAskedYou = ChangeNote(
    .hasAskedYou, "they have asked you, too; accepting their request is enough")
}

extension ChangeRefusal.Code {
  /// There is no request to answer.
  public static let noRequest = Self(rawValue: "noRequest")
  /// The request is not the version that was to be answered.
  public static let otherVersion = Self(rawValue: "otherVersion")
  /// The request asks for something else than what was to be answered.
  public static let otherKind = Self(rawValue: "otherKind")
  /// The request was not accepted in time.
  public static let requestExpired = Self(rawValue: "requestExpired")
  /// The account cannot have a request, because its DID is not a legal record key.
  public static let noRecordKey = Self(rawValue: "noRecordKey")
  /// A request must not end before it is written.
  public static let endHasPassed = Self(rawValue: "endHasPassed")
  /// One of the two accounts blocks the other.
  public static let blocked = Self(rawValue: "blocked")
  /// The account's policy does not allow the request.
  public static let notWelcome = Self(rawValue: "notWelcome")
  /// The account wants to be asked before it is followed.
  public static let approvalRequired = Self(rawValue: "approvalRequired")
}

extension ChangeRefusal {
  static let noRequest = ChangeRefusal(.noRequest, "they have not asked you, or have withdrawn their request")
  package static let requestUnknown = unknown("their request")

  package static func otherVersion(_ request: FriendRequest, at now: Datetime) -> ChangeRefusal {
    ChangeRefusal(
      .otherVersion, "the request has changed since it was listed: it is now \(request.words(at: now))")
  }

  package static func otherKind(_ request: FriendRequest, at now: Datetime) -> ChangeRefusal {
    ChangeRefusal(.otherKind, "it is \(request.words(at: now))")
  }

  static func requestExpired(_ request: FriendRequest) -> ChangeRefusal {
    let end = request.expiresAt.map { " on \($0.description.prefix(10))" } ?? ""
    return ChangeRefusal(.requestExpired, "their request ended\(end); they have to ask again")
  }

  static func noRecordKey(_ account: DID) -> ChangeRefusal {
    ChangeRefusal(
      .noRecordKey,
      "\(account) cannot be asked: a request is stored under the DID of the account, and this one is not a legal "
        + "record key")
  }

  static func endHasPassed(_ end: Datetime) -> ChangeRefusal {
    ChangeRefusal(.endHasPassed, "the request would end on \(end.description.prefix(10)), which has passed")
  }

  package static let blocked = ChangeRefusal(
    .blocked, "one of you blocks the other, which voids requests and answers")
  package static let policyUnknown = unknown("their request policy")
  package static let standingUnknown = ChangeRefusal(
    .notLearned, "could not find out whether you are among those who may ask them; nothing was changed")
  package static let takesNoRequests = ChangeRefusal(.notWelcome, "they take no requests")
  package static let approvalRequired = ChangeRefusal(
    .approvalRequired, "they want to be asked before they are followed")

  /// The refusal with the error that it is due to; nil for none.
  package func because(_ error: RelationshipError?) -> ChangeRefusal {
    guard let error else { return self }
    return ChangeRefusal(code, "\(description): \(error)", jobNumber: jobNumber)
  }

  package static func takesRequestsOf(_ audience: FriendPolicy.Audience) -> ChangeRefusal {
    ChangeRefusal(
      .notWelcome,
      audience == .mutuals ? "they take requests of mutuals only" : "they take requests of followers only")
  }

  package static func unknownPolicy(_ word: String) -> ChangeRefusal {
    ChangeRefusal(
      .notWelcome,
      "their request policy is not supported by this version: \"\(word.shortened(toBytes: 64))\"")
  }
}
