// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct ChangePlannerTests {
  private let account = Accounts.did(0)
  private let other = Accounts.did(1)
  private let clock = ManualClock()

  private var planner: ChangePlanner {
    let time = clock.timeSource()
    return ChangePlanner(
      account: account, keys: TIDClock(clockID: 7) { time.instant }, time: time)
  }

  private func record(_ key: String, _ collection: NSID = .follow, of subject: DID? = nil) throws -> OwnRecord
  {
    OwnRecord(
      rkey: try RecordKey(parsing: key), value: PDSDouble.edge(collection.description, subject ?? other))
  }

  private func list(of owner: DID? = nil, key: String = "3list") throws -> ATURI {
    try ATURI(parsing: "at://\(owner ?? account)/app.bsky.graph.list/\(key)")
  }

  private func info(
    following: ATURI? = nil, followedBy: ATURI? = nil, blocking: ATURI? = nil, blockedBy: ATURI? = nil,
    byList: ATURI? = nil
  ) -> RelationshipInfo {
    RelationshipInfo(
      actor: account, target: other, following: following, followedBy: followedBy, blocking: blocking,
      blockedBy: blockedBy, blockingByList: byList, checkedAt: Datetime(at: 0),
      source: .appview)
  }

  private func uri(_ collection: NSID, of owner: DID, key: String = "3x") throws -> ATURI {
    ATURI(authority: .did(owner), collection: collection, recordKey: try RecordKey(parsing: key))
  }

  private func writes(_ plan: PlannedChange) -> [RecordWrite] {
    plan.steps.flatMap { step -> [RecordWrite] in
      if case .write(let writes) = step.action { writes } else { [] }
    }
  }

  private func refusal(_ plan: PlannedChange) -> ChangeRefusal.Code? {
    if case .refused(let refusal) = plan.outcome { refusal.code } else { nil }
  }

  // MARK: Follows

  @Test func writesValidRecordsDatedByTheClock() throws {
    let planner = planner
    let follow = planner.plan(.follow(other), knowing: SubjectFacts.knowing(follows: []))
    let block = planner.plan(.block(other), knowing: SubjectFacts.knowing(follows: [], blocks: []))
    let listed = planner.plan(.blockList(try list()), knowing: SubjectFacts.knowing(listBlocks: []))
    let now = Datetime(at: 1_760_000_000_000_000)
    func value(_ plan: PlannedChange) -> DataValue? {
      if case .create(let value)? = writes(plan).first?.action { value } else { nil }
    }
    #expect(
      try value(follow) == DataValue(encoding: App.Bsky.Graph.Follow(subject: other, createdAt: now)))
    #expect(try value(block) == DataValue(encoding: App.Bsky.Graph.Block(subject: other, createdAt: now)))
    #expect(
      try value(listed) == DataValue(encoding: App.Bsky.Graph.Listblock(subject: list(), createdAt: now)))
    #expect(follow.steps.map(\.subject) == [.account(other)])
    #expect(follow.points == 3)
    let keys = [follow, block, listed].flatMap(writes).compactMap(\.rkey.tid)
    #expect(keys.count == 3)
    #expect(Set(keys).count == 3)
  }

  @Test func plansNothingForWhatHolds() throws {
    let planner = planner
    let known = SubjectFacts.knowing(
      follows: [try record("3a")], blocks: [try record("3b", .block)],
      listBlocks: [try record("3c", .listblock)],
      mute: MuteState(direct: .scope(.reposts)), listIsMuted: true)
    var nothing = SubjectFacts.knowing(follows: [], blocks: [], listBlocks: [], listIsMuted: false)
    nothing.mute = MuteState(direct: .absent)
    nothing.relationship = info()
    let list = try list()
    let held: [ChangeIntent] = [.follow(other), .mute(other, .reposts), .muteList(list), .blockList(list)]
    let absent: [ChangeIntent] = [
      .unfollow(other), .unblock(other), .unmute(other), .unmuteList(list), .unblockList(list),
    ]
    for change in held { #expect(planner.plan(change, knowing: known) == PlannedChange(change, .holds)) }
    for change in absent { #expect(planner.plan(change, knowing: nothing) == PlannedChange(change, .holds)) }
  }

  /// Unknown does not mean no.
  @Test func changesNothingWithoutFacts() throws {
    let list = try list()
    let changes: [ChangeIntent] = [
      .follow(other), .unfollow(other), .block(other), .unblock(other), .blockList(list), .unblockList(list),
    ]
    for change in changes {
      #expect(refusal(planner.plan(change, knowing: SubjectFacts(relationship: info()))) == .notLearned)
    }
    let halfKnown = SubjectFacts.knowing(blocks: [])
    #expect(refusal(planner.plan(.block(other), knowing: halfKnown)) == .notLearned)
  }

  /// Q16.
  @Test func removesEveryRecordOfTheSubject() throws {
    let follows = [try record("3a"), try record("3b")]
    let plan = planner.plan(.unfollow(other), knowing: SubjectFacts.knowing(follows: follows))
    #expect(writes(plan).map(\.rkey) == follows.map(\.rkey))
    #expect(writes(plan).map(\.action) == follows.map { .delete(former: $0.value) })
    #expect(plan.notes.map(\.code) == [.duplicates])
    let blocks = [try record("3c", .block), try record("3d", .block)]
    let unblock = planner.plan(
      .unblock(other), knowing: SubjectFacts.knowing(blocks: blocks, relationship: info()))
    #expect(writes(unblock).map(\.collection) == [.block, .block])
    #expect(unblock.notes.map(\.code) == [.duplicates, .followsStayGone])
  }

  /// Q20.
  @Test func distinguishesAGhostFromAFollow() throws {
    let ghost = try uri(.follow, of: account)
    let plan = planner.plan(
      .unfollow(other), knowing: SubjectFacts.knowing(follows: [], relationship: info(following: ghost)))
    #expect(plan.outcome == .holds)
    #expect(plan.notes.map(\.code) == [.ghost])
    #expect(plan.notes[0].description.contains("\(ghost)"))
    // A real follow is still possible.
    let follow = planner.plan(
      .follow(other), knowing: SubjectFacts.knowing(follows: [], relationship: info(following: ghost)))
    #expect(writes(follow).count == 1)
  }

  @Test func notesThatABlockHidesAFollow() throws {
    let known = SubjectFacts.knowing(
      follows: [],
      relationship: info(blocking: try uri(.block, of: account), blockedBy: try uri(.block, of: other)))
    #expect(
      planner.plan(.follow(other), knowing: known).notes.map(\.code) == [.hiddenByBlock, .hiddenByBlock])
  }

  /// Q24: a follow of oneself cannot be created, but may exist and be deleted.
  @Test func refusesChangesToOneself() throws {
    let known = SubjectFacts.knowing(
      follows: [try record("3self", of: account)], blocks: [], mute: MuteState(direct: .absent))
    for change in [ChangeIntent.follow(account), .block(account), .mute(account, .quotes)] {
      #expect(refusal(planner.plan(change, knowing: known)) == .oneself)
    }
    #expect(writes(planner.plan(.unfollow(account), knowing: known)).map(\.rkey.description) == ["3self"])
  }

  @Test func plansDuplicatesOnce() {
    let plans = planner.plan([.follow(other), .follow(Accounts.did(2)), .follow(other)]) { _ in
      SubjectFacts.knowing(follows: [])
    }
    #expect(plans.map(\.steps.count) == [1, 1, 0])
    #expect(plans[2].notes.map(\.code) == [.namedTwice])
  }

  // MARK: Blocks

  @Test func blocksAndUnfollowsInOneCommit() throws {
    let follows = [try record("3a"), try record("3b")]
    let known = SubjectFacts.knowing(
      follows: follows, blocks: [], relationship: info(followedBy: try uri(.follow, of: other)))
    let plan = planner.plan(.block(other), knowing: known)
    #expect(plan.steps.count == 1)
    #expect(writes(plan).map(\.collection) == [.block, .follow, .follow])
    #expect(plan.points == 5)
    #expect(plan.notes.map(\.code) == [.followerStays])
  }

  @Test func removesFollowsOfAnAlreadyBlockedAccount() throws {
    let blocked = [try record("3x", .block)]
    let plan = planner.plan(
      .block(other), knowing: SubjectFacts.knowing(follows: [try record("3a")], blocks: blocked))
    #expect(writes(plan).map(\.action) == [.delete(former: try record("3a").value)])
    let clean = planner.plan(.block(other), knowing: SubjectFacts.knowing(follows: [], blocks: blocked))
    #expect(clean.outcome == .holds)
  }

  @Test func splitsCommitsOnlyAtTheLimitAndStartsWithTheBlock() throws {
    let follows = try (0..<450).map { try record("3k\($0)") }
    let plan = planner.plan(.block(other), knowing: SubjectFacts.knowing(follows: follows, blocks: []))
    #expect(plan.steps.count == 3)
    #expect(writes(plan).count == 451)
    guard case .write(let first) = plan.steps[0].action else {
      Issue.record("\(plan.steps[0])")
      return
    }
    #expect(first.count == RecordWrite.mostPerCommit)
    #expect(first[0].collection == .block)
  }

  /// Q6, Q7: whatever the field and the form, a block never deletes a list.
  @Test func saysHowToEndABlockByAList() throws {
    let theirs = try list(of: Accounts.did(9))
    let mine = try list()
    let listblock = try uri(.listblock, of: account)
    for (relationship, isMine) in [
      (info(byList: theirs), false), (info(blocking: theirs), false), (info(byList: mine), true),
      (info(byList: listblock), false),
    ] {
      let plan = planner.plan(
        .unblock(other), knowing: SubjectFacts.knowing(blocks: [], relationship: relationship))
      guard case .refused(let refusal) = plan.outcome else {
        Issue.record("\(plan)")
        continue
      }
      #expect(refusal.code == .blockedByList)
      let list = try #require(relationship.blocking ?? relationship.blockingByList)
      #expect(refusal == .blockedByList(list, of: account))
      #expect((list.authority == .did(account) && list.collection == .list) == isMine)
    }
    let both = planner.plan(
      .unblock(other),
      knowing: SubjectFacts.knowing(blocks: [try record("3b", .block)], relationship: info(byList: theirs)))
    #expect(writes(both).map(\.rkey.description) == ["3b"])
    #expect(both.notes.map(\.code) == [.followsStayGone, .blockedByList])
  }

  @Test func aDirectBlockOrMuteNotesTheListAsWell() throws {
    let list = try list(of: Accounts.did(9))
    let block = planner.plan(
      .block(other), knowing: SubjectFacts.knowing(follows: [], blocks: [], relationship: info(byList: list)))
    #expect(block.notes == [.alsoBlockedByList(list)] && block.steps.count == 1)
    let muted = SubjectFacts(mute: MuteState(direct: .absent, list: list))
    let mute = planner.plan(.mute(other, .everything), knowing: muted)
    #expect(mute.notes == [.alsoMutedByList(list)] && mute.steps.count == 1)
  }

  @Test func notesThatListsAreUnknown() throws {
    let plan = planner.plan(.unblock(other), knowing: SubjectFacts.knowing(blocks: []))
    #expect(plan.outcome == .holds)
    #expect(plan.notes.map(\.code) == [.listsNotLearned])
  }

  @Test func refusesAnInvalidList() throws {
    let none = try uri(.follow, of: other)
    let byHandle = try ATURI(parsing: "at://user1.test/app.bsky.graph.list/3a")
    for uri in [none, byHandle] {
      for change in [ChangeIntent.blockList(uri), .unblockList(uri), .muteList(uri), .unmuteList(uri)] {
        #expect(refusal(planner.plan(change, knowing: SubjectFacts.knowing(listBlocks: []))) == .notAList)
      }
    }
  }

  /// Q16, Q24: a deleted list can still be unblocked.
  @Test func unblocksAListByEveryRecord() throws {
    let records = [try record("3a", .listblock), try record("3b", .listblock)]
    let plan = planner.plan(.unblockList(try list()), knowing: SubjectFacts.knowing(listBlocks: records))
    #expect(writes(plan).map(\.rkey) == records.map(\.rkey))
  }

  // MARK: Mutes

  private func calls(_ plan: PlannedChange) -> [ChangeStep.Action] { plan.steps.map(\.action) }

  /// Q9: a mute replaces another one.
  @Test func remembersThePreviousMute() {
    func plan(_ change: ChangeIntent, _ direct: MuteState.Direct?) -> [ChangeStep.Action] {
      calls(planner.plan(change, knowing: SubjectFacts(mute: direct.map { MuteState(direct: $0) })))
    }
    let mute = ViewerCall.mute(other, .everything)
    let intent = ChangeIntent.mute(other, .everything)
    #expect(plan(intent, .absent) == [.call(mute, former: .unmute(other))])
    #expect(plan(intent, .scope(.quotes)) == [.call(mute, former: .mute(other, .quotes))])
    #expect(plan(intent, .hidden) == [.call(mute, former: nil)])
    #expect(plan(intent, nil) == [.call(mute, former: nil)])
    #expect(plan(.unmute(other), .scope(.reposts)) == [.call(.unmute(other), former: .mute(other, .reposts))])
    #expect(plan(.unmute(other), nil) == [.call(.unmute(other), former: nil)])
  }

  @Test func notesThatAListMutes() throws {
    let list = try list(of: Accounts.did(9))
    let hidden = SubjectFacts(mute: MuteState(direct: .hidden, list: list))
    let unmute = planner.plan(.unmute(other), knowing: hidden)
    #expect(unmute.steps.count == 1)
    #expect(unmute.notes.map(\.code) == [.mutedByList])
    let only = SubjectFacts(mute: MuteState(direct: .absent, list: list))
    #expect(refusal(planner.plan(.unmute(other), knowing: only)) == .mutedByList)
  }

  @Test func mutesAndUnmutesLists() throws {
    let list = try list()
    func plan(_ change: ChangeIntent, _ isMuted: Bool?) -> [ChangeStep.Action] {
      calls(planner.plan(change, knowing: SubjectFacts(listIsMuted: isMuted)))
    }
    #expect(plan(.muteList(list), false) == [.call(.muteList(list), former: .unmuteList(list))])
    #expect(plan(.muteList(list), nil) == [.call(.muteList(list), former: nil)])
    #expect(plan(.unmuteList(list), true) == [.call(.unmuteList(list), former: .muteList(list))])
  }

  // MARK: Duplicates

  @Test(arguments: [NSID.follow, .block])
  func keepsTheOldestOfDuplicates(collection: NSID) throws {
    let records = try [record("3a", collection), record("3b", collection), record("3c", collection)]
    let edge = try #require(records[0].value.flatMap { RecordEdge($0, in: collection) })
    let known =
      collection == .follow ? SubjectFacts.knowing(follows: records) : SubjectFacts.knowing(blocks: records)
    let plan = planner.plan(.deduplicate(edge), knowing: known)
    #expect(writes(plan).map(\.rkey.description) == ["3b", "3c"])
    #expect(
      writes(plan).allSatisfy { if case .delete(let former) = $0.action { former != nil } else { false } })
    #expect(plan.notes.map(\.code) == [.duplicates])
  }

  @Test func keepsARecordThatServersAccept() throws {
    var broken = try record("3a", .block)
    broken.value = ["$type": "app.bsky.graph.block", "subject": .string(other.description)]
    let sound = try [record("3b", .block), record("3c", .block)]
    let edge = try #require(broken.value.flatMap { RecordEdge($0, in: .block) })
    let plan = planner.plan(.deduplicate(edge), knowing: SubjectFacts.knowing(blocks: [broken] + sound))
    #expect(writes(plan).map(\.rkey.description) == ["3a", "3c"])
    let hopeless = planner.plan(.deduplicate(edge), knowing: SubjectFacts.knowing(blocks: [broken, broken]))
    guard case .refused(let refusal) = hopeless.outcome else {
      Issue.record("no record is sound, and it is not refused")
      return
    }
    #expect(refusal.code == .malformed)
  }

  @Test func leavesASingleRecordAlone() throws {
    let record = try record("3a")
    let edge = try #require(record.value.flatMap { RecordEdge($0, in: .follow) })
    #expect(
      planner.plan(.deduplicate(edge), knowing: SubjectFacts.knowing(follows: [record])).outcome == .holds)
    #expect(planner.plan(.deduplicate(edge), knowing: SubjectFacts.knowing(follows: [])).outcome == .holds)
    guard case .refused(let refusal) = planner.plan(.deduplicate(edge), knowing: SubjectFacts()).outcome
    else {
      Issue.record("nothing was learned, and it is not refused")
      return
    }
    #expect(refusal.code == .notLearned)
  }

  @Test func deduplicatesTheMembersOfOneList() throws {
    let list = try list()
    let value: DataValue = [
      "$type": "app.bsky.graph.listitem", "subject": .string(other.description),
      "list": .string(list.description), "createdAt": "2025-01-01T00:00:00.000Z",
    ]
    let records = try ["3a", "3b"].map { OwnRecord(rkey: try RecordKey(parsing: $0), value: value) }
    let edge = try #require(RecordEdge(value, in: .listitem))
    #expect(edge.list == list && edge.account == other)
    let known = SubjectFacts(list: ListFacts(lists: [], items: records))
    #expect(writes(planner.plan(.deduplicate(edge), knowing: known)).map(\.rkey.description) == ["3b"])
  }
}
