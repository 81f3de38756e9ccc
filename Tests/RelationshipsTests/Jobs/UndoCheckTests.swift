// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

@Suite struct UndoCheckTests {
  private let record = ChangeSamples.record(1)
  private let other = ChangeSamples.record(2)

  private func step(_ actions: RecordWrite.Action...) -> ChangeStep {
    let writes = actions.enumerated().map { index, action in
      RecordWrite(collection: ChangeSamples.follows, rkey: ChangeSamples.rkey(index), action: action)
    }
    return ChangeStep(subject: Accounts.did(1), action: .write(writes))
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

  @Test func cannotReverseWhatIsNotKnown() {
    let mute = ChangeStep(subject: nil, action: .call(.mute(Accounts.did(1), .everything), former: nil))
    for step in [step(.create(record), .delete(former: nil)), step(.update(record, former: nil)), mute] {
      guard case .impossible = step.reversal else {
        Issue.record("\(step) has no reversal")
        return
      }
    }
  }

  @Test func takesBackWhatIsAsItWasLeft() {
    let delete = step(.delete(former: record))
    let create = step(.create(record))
    let update = step(.update(record, former: other))
    #expect(UndoCheck(delete, present: [record]) == .proceed(delete))
    #expect(UndoCheck(create, present: [nil]) == .proceed(create))
    #expect(UndoCheck(update, present: [other]) == .proceed(update))
  }

  @Test func leavesAloneWhatWasChangedSince() {
    let third = ChangeSamples.record(3)
    for (step, present) in [
      (step(.delete(former: record)), other), (step(.create(record)), other),
      (step(.update(record, former: other)), third),
    ] {
      guard case .leave(let reason) = UndoCheck(step, present: [present]) else {
        Issue.record("\(step) was not left alone")
        return
      }
      #expect(reason.contains("was changed since"))
    }
  }

  @Test func doesOnlyWhatIsLeftToDo() {
    let both = step(.create(record), .delete(former: other))
    let second = RecordWrite(
      collection: ChangeSamples.follows, rkey: ChangeSamples.rkey(1), action: .delete(former: other))
    #expect(
      UndoCheck(both, present: [record, other])
        == .proceed(ChangeStep(subject: both.subject, action: .write([second]))))
    #expect(UndoCheck(both, present: [record, nil]) == .leave("nothing is left to take back"))
    #expect(
      UndoCheck(step(.update(record, former: nil)), present: [nil]) != .leave("nothing is left to take back"))
  }

  @Test func leavesTheWholeStepAloneForOneRecord() {
    let both = step(.create(record), .delete(former: other))
    guard case .leave = UndoCheck(both, present: [nil, record]) else {
      Issue.record("it was split")
      return
    }
  }
}
