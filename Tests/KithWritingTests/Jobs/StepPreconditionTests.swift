// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithCrypto
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct StepPreconditionTests {
  private let record = ChangeSamples.record(1)
  private let other = ChangeSamples.record(2)

  private func step(_ actions: RecordWrite.Action...) -> ChangeStep {
    let writes = actions.enumerated().map { index, action in
      RecordWrite(collection: ChangeSamples.follows, rkey: ChangeSamples.rkey(index), action: action)
    }
    return ChangeStep(subject: .account(Accounts.did(1)), action: .write(writes))
  }

  @Test func reversesTheLastWriteFirst() {
    let block = ChangeSamples.block(1)
    let expected: [RecordWrite] = [
      ChangeSamples.create(1), ChangeSamples.delete(1, in: ChangeSamples.blocks),
    ]
    #expect(block.reversal == .step(ChangeStep(subject: block.subject, action: .write(expected))))
  }

  @Test func isItsOwnReversalTwice() {
    for step in [ChangeSamples.block(1), ChangeSamples.mute(1), step(.update(record, former: other))] {
      guard case .step(let back) = step.reversal else {
        Issue.record("\(step) has a reversal")
        return
      }
      #expect(back.reversal == .step(step))
    }
  }

  @Test func cannotReverseWithoutTheFormerContent() {
    let mute = ChangeStep(
      subject: .account(Accounts.did(1)), action: .call(.mute(Accounts.did(1), .everything), former: nil))
    for step in [step(.create(record), .delete(former: nil)), step(.update(record, former: nil)), mute] {
      guard case .impossible = step.reversal else {
        Issue.record("\(step) has no reversal")
        return
      }
    }
  }

  @Test func undoesUnchangedRecords() {
    let delete = step(.delete(former: record))
    let create = step(.create(record))
    let update = step(.update(record, former: other))
    #expect(StepPrecondition(delete, present: [record]) == .proceed(delete))
    #expect(StepPrecondition(create, present: [nil]) == .proceed(create))
    #expect(StepPrecondition(update, present: [other]) == .proceed(update))
  }

  @Test func skipsWhatHasChangedSince() {
    let third = ChangeSamples.record(3)
    for (step, present) in [
      (step(.delete(former: record)), other), (step(.create(record)), other),
      (step(.update(record, former: other)), third),
    ] {
      guard case .leave(let reason) = StepPrecondition(step, present: [present]) else {
        Issue.record("\(step) was not left alone")
        return
      }
      guard case .changed = reason else {
        Issue.record("\(step) was left alone because \(reason)")
        return
      }
    }
  }

  @Test func doesOnlyWhatIsLeftToDo() {
    let both = step(.create(record), .delete(former: other))
    let second = RecordWrite(
      collection: ChangeSamples.follows, rkey: ChangeSamples.rkey(1), action: .delete(former: other))
    #expect(
      StepPrecondition(both, present: [record, other])
        == .proceed(ChangeStep(subject: both.subject, action: .write([second]))))
    #expect(StepPrecondition(both, present: [record, nil]) == .leave(.nothingLeft))
    #expect(
      StepPrecondition(step(.update(record, former: nil)), present: [nil]) != .leave(.nothingLeft))
  }

  @Test func skipsTheWholeStepForOneRecord() {
    let both = step(.create(record), .delete(former: other))
    guard case .leave = StepPrecondition(both, present: [nil, record]) else {
      Issue.record("it was split")
      return
    }
  }

  /// Deletions need each other as little as records that were made together.
  @Test func deletesWhatIsLeftIfOnlyDeletionsAreAsked() {
    let three = step(.delete(former: record), .delete(former: other), .delete(former: record))
    let second = RecordWrite(
      collection: ChangeSamples.follows, rkey: ChangeSamples.rkey(1), action: .delete(former: other))
    let rest = ChangeStep(subject: three.subject, action: .write([second]))
    #expect(StepPrecondition(three, present: [nil, other, other]) == .proceed(rest))
    #expect(StepPrecondition(three, present: [nil, nil, nil]) == .leave(.nothingLeft))
    let changed = SkipReason.changed("app.bsky.graph.follow/\(ChangeSamples.rkey(2))")
    #expect(StepPrecondition(three, present: [nil, nil, other]) == .leave(changed))
  }

  // MARK: Files that are gone for good

  @Test func leavesOutThePicturesThatAreGone() throws {
    let (old, new) = (try SampleFile(1), try SampleFile(2))
    let former: DataValue = ["name": "A", "avatar": old.value]
    let present: DataValue = ["name": "B", "avatar": new.value]
    let back = StepPrecondition(step(.update(former, former: present)), present: [present])
    #expect(back.leavingOut([]) == back)
    #expect(back.leavingOut([new.cid]) == back)
    let rest = step(.update(["name": "A", "avatar": new.value], former: present))
    #expect(back.leavingOut([old.cid]) == .proceed(rest))
    // Nothing but the picture was changed.
    let only = StepPrecondition(
      step(.update(former, former: ["name": "A", "avatar": new.value])),
      present: [["name": "A", "avatar": new.value]])
    #expect(only.leavingOut([old.cid]) == .leave(.fileIsGone))
    // A list comes back without its picture; a post does not come back without one of its own.
    let list = StepPrecondition(step(.create(former)), present: [nil])
    #expect(list.leavingOut([old.cid]) == .proceed(step(.create(["name": "A"]))))
    let post: DataValue = ["embed": ["images": .array([["image": old.value]])]]
    let restored = StepPrecondition(step(.create(post)), present: [nil])
    #expect(restored.leavingOut([old.cid]) == .leave(.fileIsGone))
  }

  private struct SampleFile {
    let cid: CID
    let value: DataValue

    init(_ byte: UInt8) throws {
      cid = try #require(CID(ofFile: [byte]))
      value = try DataValue(encoding: Blob(ref: cid, mimeType: "image/png", size: 1))
    }
  }

  // MARK: Edges

  private func snapshot(of writes: [RecordWrite], holding held: RecordWrite...) -> RepositorySnapshot {
    var snapshot = RepositorySnapshot()
    for write in writes { snapshot.ask(about: write) }
    for write in held { snapshot.record(write.rkey, write.edge, in: write.collection) }
    return snapshot
  }

  /// A record about the account with the first number, under the key with the second.
  private func record(_ number: Int, at key: Int, in collection: NSID = .follow) -> RecordWrite {
    var write = ChangeSamples.create(number, in: collection)
    write.rkey = ChangeSamples.rkey(key)
    return write
  }

  @Test func doesNotRecreateAnEdgeThatExistsAgain() {
    let create = ChangeSamples.create(1)
    let follow = ChangeStep(subject: .account(Accounts.did(1)), action: .write([create]))
    #expect(
      StepPrecondition(follow, present: [nil], beside: snapshot(of: [create], holding: record(1, at: 9)))
        == .leave(.holdsAgain))
    #expect(
      StepPrecondition(follow, present: [nil], beside: snapshot(of: [create], holding: record(2, at: 9)))
        == .proceed(follow))
  }

  @Test func restoresNothingIfTheJobsOwnRecordIsGone() {
    let writes = [ChangeSamples.create(1), ChangeSamples.delete(1, in: ChangeSamples.blocks)]
    let unblock = ChangeStep(subject: .account(Accounts.did(1)), action: .write(writes))
    let reason = SkipReason.changed("app.bsky.graph.block/\(ChangeSamples.rkey(1))")
    #expect(StepPrecondition(unblock, present: [nil, nil]) == .leave(reason))
    #expect(
      StepPrecondition(
        unblock, present: [nil, nil],
        beside: snapshot(of: writes, holding: record(1, at: 9))) == .leave(reason))
  }

  @Test func continuesOnlyWithWhatDoesNotHoldYet() {
    let block = ChangeSamples.block(1)
    let writes = [ChangeSamples.create(1, in: ChangeSamples.blocks), ChangeSamples.delete(1)]
    let other = record(1, at: 9, in: .block)
    func check(_ held: RepositorySnapshot, wasInDoubt: Bool = false) -> StepPrecondition {
      StepPrecondition(resuming: block, beside: held, wasInDoubt: wasInDoubt)
    }
    func proceed(_ writes: [RecordWrite]) -> StepPrecondition {
      .proceed(ChangeStep(subject: block.subject, action: .write(writes)))
    }
    #expect(check(snapshot(of: writes, holding: other)) == .leave(.holdsAlready))
    #expect(check(snapshot(of: writes, holding: other, ChangeSamples.create(1))) == proceed([writes[1]]))
    #expect(check(snapshot(of: writes)) == proceed([writes[0]]))
    // The step itself may have deleted the record.
    #expect(check(snapshot(of: writes), wasInDoubt: true) == proceed(writes))
    #expect(check(snapshot(of: writes, holding: writes[0])) == proceed(writes))
    // Nothing is known about records that were not asked for.
    #expect(check(RepositorySnapshot()) == proceed(writes))
  }

  @Test func doesNotOverwriteChangesByAnotherApp() {
    let update = step(.update(record, former: other))
    func check(_ present: DataValue?, wasInDoubt: Bool = false) -> StepPrecondition {
      var snapshot = RepositorySnapshot()
      for write in update.writes { snapshot.record(present, of: write) }
      return StepPrecondition(resuming: update, beside: snapshot, wasInDoubt: wasInDoubt)
    }
    #expect(check(other) == .proceed(update))
    for present in [ChangeSamples.record(3), nil] {
      for wasInDoubt in [false, true] {
        guard case .leave(let reason) = check(present, wasInDoubt: wasInDoubt) else {
          Issue.record("it is overwritten")
          return
        }
        #expect(reason == .changed("\(update.writes[0].collection)/\(update.writes[0].rkey)"))
      }
    }
    #expect(check(record) == .leave(.holdsAlready))
    // The step itself may have done it.
    #expect(check(record, wasInDoubt: true) == .proceed(update))
    // Nothing is known about records that were not asked for.
    #expect(
      StepPrecondition(resuming: update, beside: RepositorySnapshot(), wasInDoubt: false) == .proceed(update))
  }

  @Test func recognizesAReformattedEdge() {
    let write = ChangeSamples.create(1)
    var other = ChangeSamples.record(1).object ?? [:]
    other["createdAt"] = "2026-01-01T00:00:00Z"
    other["via"] = .null
    #expect(write.says(ChangeSamples.record(1), as: .object(other)))
    #expect(!write.says(ChangeSamples.record(1), as: ChangeSamples.record(2)))
    #expect(!write.says(ChangeSamples.record(1), as: ChangeSamples.record(1, in: ChangeSamples.blocks)))
  }

  @Test func distinguishesTheListsOfAMember() {
    let account = Accounts.did(1)
    func member(_ list: String) -> RecordEdge? {
      RecordEdge(
        ["subject": .string("\(account)"), "list": .string("at://\(account)/app.bsky.graph.list/\(list)")],
        in: .listitem)
    }
    #expect(member("3a") != nil && member("3a") == member("3a") && member("3a") != member("3b"))
    #expect(RecordEdge(["subject": .string("\(account)")], in: .listitem) == nil)
    #expect(RecordEdge(["subject": .string("\(account)")], in: .list) == nil)
  }
}
