// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

extension ChangePlanner {
  func plan(_ change: FriendChange, knowing known: SubjectFacts) -> PlannedChange {
    switch change {
    case .request(let subject, let draft): request(subject, draft, change, known)
    case .cancel(let subject): cancel(subject, change, known)
    case .accept(let requester, let standing): accept(requester, standing, change, known)
    case .decline(let requester, let standing): decline(requester, standing, change, known)
    case .remove(let other): remove(other, change, known)
    case .takeBack(let requester, let requests): takeBack(requests, of: requester, change, known)
    case .policy(_, let policy): set(policy, change, known)
    }
  }

  private func request(
    _ subject: DID, _ draft: FriendRequestDraft, _ change: FriendChange, _ known: SubjectFacts
  ) -> PlannedChange {
    guard let own = known.edges[.friendRequest] else { return unknown(.friends(change), "your requests") }
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
    guard let own = known.edges[.friendRequest] else { return unknown(.friends(change), "your requests") }
    return deletions(own.map { delete($0, FriendRequest.collection) }, about: subject, change)
  }

  private func accept(
    _ requester: DID, _ standing: Friendship.RequestState, _ change: FriendChange, _ known: SubjectFacts
  ) -> PlannedChange {
    let intent = ChangeIntent.friends(change)
    guard let own = known.records[FriendAnswer.collection] else { return unknown(intent, "your answers") }
    switch standing {
    case .none: return PlannedChange(intent, .refused(.noRequest))
    case .unknown: return PlannedChange(intent, .refused(.requestUnknown))
    case .expired(let request): return PlannedChange(intent, .refused(.requestExpired(request)))
    case .open(let request), .accepted(let request, _):
      guard let rkey = FriendAnswer.key(accepting: request.version) else {
        return PlannedChange(intent, .refused(.requestUnknown))
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
        notes: [.answers(request, at: now)] + (request.kind == .follow ? [.followNeedsSync] : []))
    }
  }

  private func decline(
    _ requester: DID, _ standing: Friendship.RequestState, _ change: FriendChange, _ known: SubjectFacts
  ) -> PlannedChange {
    let intent = ChangeIntent.friends(change)
    guard let own = known.records[FriendAnswer.collection] else { return unknown(intent, "your answers") }
    switch standing {
    case .none: return PlannedChange(intent, .refused(.noRequest))
    case .unknown: return PlannedChange(intent, .refused(.requestUnknown))
    case .expired: return PlannedChange(intent, .holds)
    case .open(let request), .accepted(let request, _):
      let answers = own.filter { $0.rkey == FriendAnswer.key(accepting: request.version) }
      var planned = taken(back: answers, declining: [request.version], from: requester, change)
      planned.notes.append(.answers(request, at: now))
      return planned
    }
  }

  private func remove(_ other: DID, _ change: FriendChange, _ known: SubjectFacts) -> PlannedChange {
    guard let requests = known.edges[.friendRequest], let answers = known.records[FriendAnswer.collection]
    else { return unknown(.friends(change), "your requests and answers") }
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

  private func takeBack(
    _ requests: Set<RecordVersion>, of requester: DID, _ change: FriendChange, _ known: SubjectFacts
  ) -> PlannedChange {
    guard let own = known.records[FriendAnswer.collection] else {
      return unknown(.friends(change), "your answers")
    }
    let answers = own.filter { record in
      let answer = record.value.flatMap { FriendAnswer($0, of: account, at: record.rkey) }
      return answer.map { $0.requester == requester && requests.contains($0.request) } ?? false
    }
    return deletions(answers.map { delete($0, FriendAnswer.collection) }, about: requester, change)
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
    guard let own = known.records[FriendPolicy.collection] else { return unknown(intent, "your policy") }
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
