// SPDX-License-Identifier: Apache-2.0

internal import KithCore
public import KithRelationships

extension ChangePlanner {
  func plan(_ change: FriendChange, knowing known: SubjectFacts) -> PlannedChange {
    switch change {
    case .request(let subject, let draft): request(subject, draft, change, known)
    case .cancel(let subject): cancel(subject, change, known)
    case .accept(let requester, let standing): accept(requester, standing, change, known)
    case .decline(let requester, let standing): decline(requester, standing, change, known)
    case .remove(let other): remove(other, change, known)
    case .policy(_, let policy): set(policy, change, known)
    }
  }

  private func request(
    _ subject: DID, _ draft: FriendRequestDraft, _ change: FriendChange, _ known: SubjectFacts
  ) -> PlannedChange {
    guard let own = known.edges[.friendRequest] else { return notLearned(.friends(change), "your requests") }
    guard let rkey = FriendRequest.key(to: subject) else {
      return PlannedChange(.friends(change), .refused(.noRecordKey(subject)))
    }
    if let end = draft.expiresAt, end.instant <= now.instant {
      return PlannedChange(.friends(change), .refused(.endHasPassed(end)))
    }
    let value = draft.record(to: subject, at: now)
    func write(_ action: RecordWrite.Action, notes: [ChangeNote] = []) -> PlannedChange {
      let write = RecordWrite(collection: FriendRequest.collection, rkey: rkey, action: action)
      return PlannedChange(.friends(change), commits(.account(subject), [write]), notes: notes)
    }
    guard let former = own.first(where: { $0.rkey == rkey }) else { return write(.create(value)) }
    guard let request = former.value.flatMap({ FriendRequest($0, of: account, at: rkey) }) else {
      return write(.update(value, former: former.value))
    }
    let isSame = request.kind == draft.kind && (draft.expiresAt ?? request.expiresAt) == request.expiresAt
    if isSame, request.isOpen(at: now.instant) { return PlannedChange(.friends(change), .holds) }
    return write(.update(value, former: former.value), notes: [.replacesRequest])
  }

  private func cancel(_ subject: DID, _ change: FriendChange, _ known: SubjectFacts) -> PlannedChange {
    guard let own = known.edges[.friendRequest] else { return notLearned(.friends(change), "your requests") }
    return deletions(own.map { delete($0, FriendRequest.collection) }, about: subject, change)
  }

  private func accept(
    _ requester: DID, _ standing: Friendship.Standing, _ change: FriendChange, _ known: SubjectFacts
  ) -> PlannedChange {
    let intent = ChangeIntent.friends(change)
    guard let own = known.records[FriendAnswer.collection] else { return notLearned(intent, "your answers") }
    switch standing {
    case .none: return PlannedChange(intent, .refused(.noRequest))
    case .unknown: return PlannedChange(intent, .refused(.requestNotLearned))
    case .expired(let request): return PlannedChange(intent, .refused(.requestExpired(request)))
    case .open(let request), .accepted(let request, _):
      guard let rkey = FriendAnswer.key(accepting: request.version) else {
        return PlannedChange(intent, .refused(.requestNotLearned))
      }
      let value = FriendAnswer.record(accepting: request.version, at: now)
      let action: RecordWrite.Action
      if let former = own.first(where: { $0.rkey == rkey }) {
        let answer = former.value.flatMap { FriendAnswer($0, of: account, at: rkey) }
        if answer?.accepts(request) == true { return PlannedChange(intent, .holds) }
        action = .update(value, former: former.value)
      } else {
        action = .create(value)
      }
      let write = RecordWrite(collection: FriendAnswer.collection, rkey: rkey, action: action)
      return PlannedChange(
        intent, commits(.account(requester), [write]),
        notes: request.kind == .follow ? [.followNeedsSync] : [])
    }
  }

  private func decline(
    _ requester: DID, _ standing: Friendship.Standing, _ change: FriendChange, _ known: SubjectFacts
  ) -> PlannedChange {
    let intent = ChangeIntent.friends(change)
    guard let own = known.records[FriendAnswer.collection] else { return notLearned(intent, "your answers") }
    switch standing {
    case .none: return PlannedChange(intent, .refused(.noRequest))
    case .unknown: return PlannedChange(intent, .refused(.requestNotLearned))
    case .expired: return PlannedChange(intent, .holds)
    case .open(let request), .accepted(let request, _):
      let answers = own.filter { $0.rkey == FriendAnswer.key(accepting: request.version) }
      return taken(back: answers, declining: [request.version], from: requester, change)
    }
  }

  private func remove(_ other: DID, _ change: FriendChange, _ known: SubjectFacts) -> PlannedChange {
    guard let requests = known.edges[.friendRequest], let answers = known.records[FriendAnswer.collection]
    else { return notLearned(.friends(change), "your requests and answers") }
    let accepted = answers.compactMap { record -> (record: OwnRecord, answer: FriendAnswer)? in
      guard let answer = record.value.flatMap({ FriendAnswer($0, of: account, at: record.rkey) }),
        answer.requester == other
      else { return nil }
      return (record, answer)
    }
    // Without the note, the requests of the other account would be open again.
    return taken(
      back: accepted.map(\.record), declining: accepted.map(\.answer.request), from: other, change,
      with: requests.map { delete($0, FriendRequest.collection) })
  }

  private func taken(
    back answers: [OwnRecord], declining requests: [RecordVersion], from other: DID, _ change: FriendChange,
    with writes: [RecordWrite] = []
  ) -> PlannedChange {
    let writes = writes + answers.map { delete($0, FriendAnswer.collection) }
    let declines = requests.map { ChangeStep(subject: .account(other), action: .decline(Decline($0))) }
    let steps = ChangeStep.steps(.account(other), writes) + declines
    return PlannedChange(.friends(change), steps.isEmpty ? .holds : .steps(steps))
  }

  private func deletions(_ writes: [RecordWrite], about other: DID, _ change: FriendChange) -> PlannedChange {
    PlannedChange(.friends(change), writes.isEmpty ? .holds : commits(.account(other), writes))
  }

  private func set(_ policy: FriendPolicy?, _ change: FriendChange, _ known: SubjectFacts) -> PlannedChange {
    let intent = ChangeIntent.friends(change)
    guard let own = known.records[FriendPolicy.collection] else { return notLearned(intent, "your policy") }
    let former = own.first { $0.rkey == .literalSelf }
    guard let policy else {
      return deletions(former.map { [delete($0, FriendPolicy.collection)] } ?? [], about: account, change)
    }
    let value = policy.record(replacing: former?.value, at: now)
    if former?.value == value { return PlannedChange(intent, .holds) }
    let write = RecordWrite(
      collection: FriendPolicy.collection, rkey: .literalSelf,
      action: former.map { .update(value, former: $0.value) } ?? .create(value))
    let opensGate = policy.requiresApproval && former?.value?["requireApproval"]?.bool != true
    return PlannedChange(
      intent, commits(.account(account), [write]), notes: opensGate ? [.followersStay] : [])
  }
}

extension ChangeNote.Code {
  /// A changed request has to be accepted again.
  public static let replacesRequest = Self(rawValue: "replacesRequest")
  /// The account that asked writes the follow itself.
  public static let followNeedsSync = Self(rawValue: "followNeedsSync")
  /// Accounts that follow already need no approval.
  public static let followersStay = Self(rawValue: "followersStay")
}

extension ChangeNote {
  static let replacesRequest = ChangeNote(
    .replacesRequest, "replaces your earlier request; an answer to that one does not count any more")
  static let followNeedsSync = ChangeNote(
    .followNeedsSync, "they may follow you now; they write the follow themselves")
  static let followersStay = ChangeNote(
    .followersStay, "those who follow you already stay followers, and not every app asks")
}

extension ChangeRefusal.Code {
  /// There is no request to answer.
  public static let noRequest = Self(rawValue: "noRequest")
  /// The request was not accepted in time.
  public static let requestExpired = Self(rawValue: "requestExpired")
  /// The account cannot have a request, because its DID is no legal record key.
  public static let noRecordKey = Self(rawValue: "noRecordKey")
  /// A request must not end before it is written.
  public static let endHasPassed = Self(rawValue: "endHasPassed")
}

extension ChangeRefusal {
  static let noRequest = ChangeRefusal(.noRequest, "they have not asked you, or have withdrawn their request")
  static let requestNotLearned = notLearned("their request")

  static func requestExpired(_ request: FriendRequest) -> ChangeRefusal {
    let end = request.expiresAt.map { " on \($0.description.prefix(10))" } ?? ""
    return ChangeRefusal(.requestExpired, "their request ended\(end); they have to ask again")
  }

  static func noRecordKey(_ account: DID) -> ChangeRefusal {
    ChangeRefusal(
      .noRecordKey,
      "\(account) cannot be asked: a request is stored under the DID of the account, and this one is no legal "
        + "record key")
  }

  static func endHasPassed(_ end: Datetime) -> ChangeRefusal {
    ChangeRefusal(.endHasPassed, "the request would end on \(end.description.prefix(10)), which has passed")
  }
}

// What other accounts allow, which is found out before a change is planned.

extension PlannedChange {
  /// The change, refused.
  package func refused(_ refusal: ChangeRefusal) -> PlannedChange {
    PlannedChange(change, .refused(refusal), notes: notes)
  }

  /// The change, with nothing left to do.
  package var held: PlannedChange { PlannedChange(change, .holds, notes: notes) }
}

extension ChangeNote.Code {
  /// The account has not declared that it takes part.
  public static let takesNoPart = Self(rawValue: "takesNoPart")
  /// It is unknown whether the account wants to be asked before it is followed.
  public static let approvalNotLearned = Self(rawValue: "approvalNotLearned")
  /// Records about the account in other collections are not removed.
  public static let staysElsewhere = Self(rawValue: "staysElsewhere")
  /// The account has written a request, too.
  public static let hasAskedYou = Self(rawValue: "hasAskedYou")
}

extension ChangeNote {
  package static let takesNoPart = ChangeNote(
    .takesNoPart, "they have not said that they take part in friend requests, and may never see it")
  package static let approvalNotLearned = ChangeNote(
    .approvalNotLearned, "could not find out in time whether they want to be asked first")

  package static func staysElsewhere(_ records: [String]) -> ChangeNote {
    ChangeNote(.staysElsewhere, "what stays: \(records.joined(separator: ", "))")
  }

  package static let hasAskedYou = ChangeNote(
    .hasAskedYou, "they have asked you, too; accepting their request is enough")
}

extension ChangeRefusal.Code {
  /// One of the two accounts blocks the other.
  public static let blocked = Self(rawValue: "blocked")
  /// The account's policy does not allow the request.
  public static let notWelcome = Self(rawValue: "notWelcome")
  /// The account wants to be asked before it is followed.
  public static let approvalRequired = Self(rawValue: "approvalRequired")
}

extension ChangeRefusal {
  package static let blocked = ChangeRefusal(
    .blocked, "one of you blocks the other, which voids requests and answers")
  package static let policyNotLearned = notLearned("whom they take requests from")
  package static let takesNoRequests = ChangeRefusal(.notWelcome, "they take no requests")
  package static let approvalRequired = ChangeRefusal(
    .approvalRequired, "they want to be asked before they are followed")

  package static func takesRequestsOf(_ audience: FriendPolicy.Audience) -> ChangeRefusal {
    ChangeRefusal(
      .notWelcome,
      audience == .mutuals ? "they take requests of mutuals only" : "they take requests of followers only")
  }

  package static func unknownPolicy(_ word: String) -> ChangeRefusal {
    ChangeRefusal(
      .notWelcome,
      "whom they take requests from is not known to this version: \"\(word.shortened(toBytes: 64))\"")
  }
}
