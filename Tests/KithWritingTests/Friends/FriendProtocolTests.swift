// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

/// Two accounts that ask, accept, decline, withdraw and block in any order, and see each other's records late.
@Suite struct FriendProtocolTests {
  @Test("both sides agree in the end, and no friendship has fewer than two consents")
  func anyInterleaving() {
    var friendships = 0
    var acts: Set<String> = []
    let plays = 120
    for seed in 0..<UInt64(plays) {
      var random = SeededGenerator(seed: seed)
      var play = Play()
      for _ in 0..<60 {
        let act = Play.Act.random(&random)
        if play.perform(act, by: .random(in: 0...1, using: &random)) { acts.insert(act.name) }
        for side in 0...1 { #expect(play.hasConsentToWhatIsSeen(by: side), "seed \(seed)") }
      }
      play.deliver(to: 0)
      play.deliver(to: 1)
      let (one, other) = (play.friendship(for: 0), play.friendship(for: 1))
      #expect(one.isFriend == play.areFriends, "seed \(seed)")
      #expect(one.isFriend == other.isFriend, "seed \(seed)")
      #expect(one.isRequested == other.isRequestedBy, "seed \(seed)")
      #expect(one.isRequestedBy == other.isRequested, "seed \(seed)")
      if play.areFriends { friendships += 1 }
    }
    // Otherwise the above would say little.
    #expect((plays / 20)..<(plays * 19 / 20) ~= friendships)
    #expect(acts == Play.Act.names)
  }

  @Test("for others, a declined request is one that was not seen")
  func declineIsSilent() {
    var play = Play()
    play.perform(.request(.friend, lifetime: nil), by: 0)
    play.deliver(to: 1)
    let before = play.sides.map(\.repository)
    let isDeclined = play.perform(.decline, by: 1)
    #expect(isDeclined)
    #expect(play.sides.map(\.repository) == before)
    #expect(play.sides[1].declined.count == 1)
    #expect(play.friendship(for: 0).isRequested == true)
  }

  @Test("declining takes back what was accepted, and then nothing tells the two apart")
  func declineAfterAcceptance() {
    var (declined, unseen) = (Play(), Play())
    declined.perform(.request(.friend, lifetime: nil), by: 0)
    unseen.perform(.request(.friend, lifetime: nil), by: 0)
    declined.deliver(to: 1)
    declined.perform(.accept, by: 1)
    #expect(declined.areFriends)
    declined.perform(.decline, by: 1)
    #expect(!declined.areFriends)
    #expect(declined.sides.map(\.repository) == unseen.sides.map(\.repository))
  }

  @Test("removing a friend who asked does not bring the request back")
  func removalIsAlsoADecline() {
    var play = Play()
    play.perform(.request(.friend, lifetime: nil), by: 0)
    play.deliver(to: 1)
    play.perform(.accept, by: 1)
    play.perform(.remove, by: 1)
    #expect(!play.areFriends)
    #expect(play.sides[1].declined.count == 1)
  }
}

/// A network of two repositories, beside a model that knows what was consented to.
private struct Play {
  enum Act: Sendable {
    case request(FriendRequest.Kind, lifetime: Duration?)
    case cancel, accept, decline, remove, block, unblock, see, wait

    static func random(_ random: inout SeededGenerator) -> Act {
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<4: .request(.friend, lifetime: nil)
      case 4: .request(.follow, lifetime: nil)
      case 5: .request(.friend, lifetime: .seconds(3_600))
      case 6: .cancel
      case 7..<13: .accept
      case 13: .decline
      case 14: .remove
      case 15: .block
      case 16..<20: .unblock
      case 20: .wait
      default: .see
      }
    }

    static let names: Set<String> = [
      "request", "cancel", "accept", "decline", "remove", "block", "unblock", "see", "wait",
    ]

    var name: String { "\(self)".prefix { $0 != "(" }.description }
  }

  struct Side {
    let account: DID
    var repository: [RecordName: DataValue] = [:]
    /// The other repository as this side last saw it.
    var view: [RecordName: DataValue] = [:]
    var declined: Set<RecordVersion> = []
    var blocks = false
    var seesBlock = false
    /// The model: the number of the current request, and which of the other side's are accepted.
    var request: (number: Int, kind: FriendRequest.Kind, until: Instant?)?
    var seenRequest: (number: Int, kind: FriendRequest.Kind, until: Instant?)?
    var accepted: Set<Int> = []
  }

  private(set) var sides = [Side(account: Accounts.did(1)), Side(account: Accounts.did(2))]
  private let clock = ManualClock(.skipping)
  private var elapsed: Duration = .zero
  private var numbers = 0
  /// All numbers of requests of the kind friend that were ever accepted in time.
  private var consented: Set<Int> = []

  private var time: TimeSource {
    let elapsed = elapsed
    return TimeSource(clock) { Instant(secondsSinceEpoch: 1_790_000_000) + elapsed }
  }

  var areFriends: Bool {
    if sides.contains(where: \.blocks) { return false }
    return (0...1).contains { side in
      guard let request = sides[side].request, request.kind == .friend else { return false }
      return sides[1 - side].accepted.contains(request.number)
    }
  }

  mutating func deliver(to side: Int) {
    sides[side].view = sides[1 - side].repository
    sides[side].seesBlock = sides[1 - side].blocks
    sides[side].seenRequest = sides[1 - side].request
  }

  func friendship(for side: Int) -> Friendship {
    let (own, other) = (sides[side], sides[1 - side])
    return Friendship(
      asked: standing(of: own.repository, own.account, answeredIn: own.view, other.account),
      askedBy: standing(of: own.view, other.account, answeredIn: own.repository, own.account),
      isBlocked: own.blocks || own.seesBlock)
  }

  /// Whether a friendship that a side sees, perhaps of yesterday, had two consents.
  func hasConsentToWhatIsSeen(by side: Int) -> Bool {
    guard friendship(for: side).isFriend == true else { return true }
    return [sides[side].request, sides[side].seenRequest].contains { request in
      request.map { consented.contains($0.number) } ?? false
    }
  }

  /// Carries an act out as Kith plans it; returns whether it changed anything.
  @discardableResult mutating func perform(_ act: Act, by side: Int) -> Bool {
    elapsed += .seconds(1)
    let other = sides[1 - side].account
    switch act {
    case .see:
      deliver(to: side)
      return true
    case .wait:
      elapsed += .seconds(1_800)
      return true
    case .block:
      defer { sides[side].blocks = true }
      return !sides[side].blocks
    case .unblock:
      defer { sides[side].blocks = false }
      return sides[side].blocks
    case .request(let kind, let lifetime):
      let end = lifetime.map { Datetime(at: time.instant + $0) }
      return carryOut(.request(other, FriendRequestDraft(kind, expiresAt: end)), by: side) { play in
        play.numbers += 1
        play.sides[side].request = (play.numbers, kind, end?.instant)
      }
    case .cancel: return carryOut(.cancel(other), by: side) { $0.sides[side].request = nil }
    case .accept:
      return carryOut(.accept(other, friendship(for: side).askedBy), by: side) { play in
        guard let request = play.sides[side].seenRequest else { return }
        play.sides[side].accepted.insert(request.number)
        if request.kind == .friend { play.consented.insert(request.number) }
      }
    case .decline:
      return carryOut(.decline(other, friendship(for: side).askedBy), by: side) { play in
        if let request = play.sides[side].seenRequest { play.sides[side].accepted.remove(request.number) }
      }
    case .remove:
      return carryOut(.remove(other), by: side) { play in
        play.sides[side].request = nil
        play.sides[side].accepted = []
      }
    }
  }

  private mutating func carryOut(
    _ change: FriendChange, by side: Int, _ note: (inout Play) -> Void
  ) -> Bool {
    let own = sides[side]
    let planner = ChangePlanner(
      account: own.account, keys: TIDClock(clockID: 1) { 1_790_000_000_000_000 }, time: time)
    func records(_ collection: NSID) -> [OwnRecord] {
      own.repository.filter { $0.key.collection == collection }.map {
        OwnRecord(rkey: $0.key.rkey, value: $0.value)
      }
    }
    let known = SubjectFacts(
      edges: [.friendRequest: records(FriendRequest.collection)],
      records: [FriendAnswer.collection: records(FriendAnswer.collection)])
    let planned = planner.plan(.friends(change), knowing: known)
    for step in planned.steps {
      for write in step.writes {
        switch write.action {
        case .create(let value):
          #expect(own.repository[write.name] == nil)
          sides[side].repository[write.name] = value
        case .update(let value, let former):
          #expect(own.repository[write.name] == former)
          sides[side].repository[write.name] = value
        case .delete(let former):
          #expect(own.repository[write.name] == former)
          sides[side].repository[write.name] = nil
        }
      }
      if let decline = step.decline { sides[side].declined.insert(decline.request) }
    }
    if !planned.steps.isEmpty { note(&self) }
    return !planned.steps.isEmpty
  }

  private func standing(
    of requests: [RecordName: DataValue], _ requester: DID, answeredIn answers: [RecordName: DataValue],
    _ subject: DID
  ) -> Friendship.RequestState {
    guard let rkey = FriendRequest.key(to: subject),
      let request = requests[RecordName(rkey, in: FriendRequest.collection)].flatMap({
        FriendRequest($0, of: requester, at: rkey)
      }), let key = FriendAnswer.key(accepting: request.version)
    else { return .none }
    let answer = answers[RecordName(key, in: FriendAnswer.collection)].flatMap {
      FriendAnswer($0, of: subject, at: key)
    }
    return .init(of: .found(request), answer.map(Lookup.found) ?? .none, at: time.instant)
  }
}
