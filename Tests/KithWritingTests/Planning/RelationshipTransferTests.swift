// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct RelationshipTransferTests {
  private let account = Accounts.did(0)
  private let other = Accounts.did(1)
  private let somebody = Accounts.did(2)

  private func list(_ key: String, of owner: DID) throws -> ATURI {
    try ATURI(parsing: "at://\(owner)/app.bsky.graph.list/\(key)")
  }

  private func own(_ key: String, _ name: String, _ purpose: ListPurpose = .moderate) throws -> OwnList {
    OwnList(
      uri: try list(key, of: account), value: ["name": .string(name), "purpose": .string(purpose.name)])
  }

  /// The changes of a transfer, with new lists under the keys `3new1`, `3new2`, ….
  private func changes(
    _ relationships: [PortableRelationship], owning lists: [OwnList] = []
  ) throws -> [ChangeIntent?] {
    var known = OwnLists()
    for list in lists { known.insert(list) }
    var made = 0
    let new = try (1...3).map { try list("3new\($0)", of: account) }
    let transfer = RelationshipTransfer(of: relationships, to: account, owning: known) {
      made += 1
      return new[made - 1]
    }
    return relationships.map { transfer.change(for: $0) }
  }

  /// As many lists in the file as in the account, each with its own name.
  @Test func mapsThousandsOfListsInLinearTime() throws {
    let growth = try workGrowth(from: 300) { size in
      var known = OwnLists()
      for number in 0..<size { known.insert(try own("k\(number)", "known \(number)")) }
      let relationships = try (0..<(2 * size)).map { number in
        PortableRelationship.list(
          try list("f\(number)", of: other),
          ListDraft(name: number < size ? "known \(number)" : "new \(number)", purpose: .moderate))
      }
      var made = 0
      let transfer = RelationshipTransfer(of: relationships, to: account, owning: known) {
        made += 1
        return OwnList.uri(RecordKey(tid: TID(at: Instant(made), clockID: 1)), of: account)
      }
      #expect(made == size && transfer.change(for: relationships[0]) != nil)
    }
    #expect(growth < 8)
  }

  /// Two lists of the file with one name become one list, whichever comes first.
  @Test func listsOfOneNameAndPurposeBecomeOne() throws {
    let draft = ListDraft(name: "Noise", purpose: .moderate)
    let reading = ListDraft(name: "Noise", purpose: .curate)
    let changes = try changes([
      .list(list("3a", of: other), draft), .list(list("3b", of: other), draft),
      .list(list("3c", of: other), reading),
    ])
    let new = try (1...2).map { try list("3new\($0)", of: account) }
    #expect(
      changes == [
        .list(.create(new[0], draft)), .list(.create(new[0], draft)), .list(.create(new[1], reading)),
      ])
  }

  @Test func edgesMeanTheSameForAnyAccount() throws {
    let foreign = try list("3a", of: other)
    #expect(
      try changes([
        .follow(somebody), .block(somebody), .mute(somebody), .listBlock(foreign), .listMute(foreign),
      ]) == [
        .follow(somebody), .block(somebody), .mute(somebody, .everything), .blockList(foreign),
        .muteList(foreign),
      ])
  }

  @Test func recreatesAListOfAnotherAccount() throws {
    let (old, new) = (try list("3a", of: other), try list("3new1", of: account))
    let draft = ListDraft(name: "Noise", purpose: .moderate, description: "loud")
    // Its members and blocks may come before it.
    #expect(
      try changes([.listBlock(old), .member(somebody, of: old), .list(old, draft), .listMute(old)]) == [
        .blockList(new), .add(somebody, to: new), .list(.create(new, draft)), .muteList(new),
      ])
  }

  @Test func reusesAListWithTheSameNameAndPurpose() throws {
    let old = try list("3a", of: other)
    let noise = try own("3own", "Noise")
    let draft = ListDraft(name: "Noise", purpose: .moderate, description: "loud")
    #expect(
      try changes([.list(old, draft), .member(somebody, of: old)], owning: [noise]) == [
        .list(.create(noise.uri, ListDraft(name: "Noise", purpose: .moderate))),
        .add(somebody, to: noise.uri),
      ])
    let reading = try changes([.list(old, ListDraft(name: "Noise", purpose: .curate))], owning: [noise])
    #expect(reading[0]?.list == (try list("3new1", of: account)))
  }

  @Test func keepsOnesOwnListWhateverItsName() throws {
    let list = try own("3own", "Renamed")
    #expect(
      try changes(
        [
          .list(list.uri, ListDraft(name: "Noise", purpose: .moderate)), .member(somebody, of: list.uri),
        ], owning: [list, try own("3other", "Noise")]) == [
          .list(.create(list.uri, ListDraft(name: "Renamed", purpose: .moderate))),
          .add(somebody, to: list.uri),
        ])
  }

  @Test func twoListsOfOneNameAndPurposeBecomeOne() throws {
    let (first, second) = (try list("3a", of: other), try list("3b", of: other))
    let draft = ListDraft(name: "Noise", purpose: .moderate)
    let made = try changes([.list(first, draft), .list(second, draft), .member(somebody, of: second)])
    #expect(Set(made.map { $0?.list }) == [try list("3new1", of: account)])
  }

  @Test func skipsMembersOfAnUnknownList() throws {
    #expect(try changes([.member(somebody, of: try list("3a", of: other))]) == [nil])
  }

  @Test func keepsAccountsBothFollowedAndBlocked() throws {
    let time = ManualClock().timeSource()
    let planner = ChangePlanner(
      account: account, keys: TIDClock(clockID: 7) { time.instant }, time: time)
    let record = OwnRecord(
      rkey: try RecordKey(parsing: "3x"), value: PDSDouble.edge(NSID.follow.description, other))
    let known = SubjectFacts.knowing(follows: [record], blocks: [])
    let plan = planner.plan(.block(other), knowing: known)
    #expect(plan.steps.flatMap(\.writes).map(\.collection) == [.block, .follow])
    let kept = plan.keepingFollows(of: [other])
    #expect(kept.steps.flatMap(\.writes).map(\.collection) == [.block])
    #expect(plan.keepingFollows(of: [somebody]) == plan)
    let held = planner.plan(.block(other), knowing: SubjectFacts.knowing(follows: [record], blocks: [record]))
    #expect(held.keepingFollows(of: [other]).outcome == .holds)
  }
}
