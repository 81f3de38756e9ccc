// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport
import Testing

@testable import RelationshipWriting
@testable import Relationships

@Suite struct JobHistoryEntryTests {
  private let subject = Accounts.did(1)
  private let planner = ChangePlanner(
    account: Accounts.did(0), keys: TIDClock(clockID: 1) { 1_700_000_000_000_000 },
    time: ManualClock().timeSource())

  private func follow() -> PlannedChange {
    planner.plan(.follow(subject), knowing: SubjectFacts(follows: []))
  }

  private func entry(
    _ planned: PlannedChange, _ state: JobItemState.Kind, job: Int64 = 1, until: Datetime? = nil
  ) throws -> JobHistoryEntry {
    JobHistoryEntry(
      job: JobID(number: job), position: 0, until: until, state: state,
      step: try #require(planned.steps.first))
  }

  @Test(arguments: [JobItemState.Kind.pending, .inDoubt])
  func waitsForAnOpenJob(state: JobItemState.Kind) throws {
    let considered = follow().considering([try entry(follow(), state)])
    #expect(considered.outcome == .refused(.awaited(JobID(number: 1))))
  }

  @Test func checksARecordOfAJobUntilAJobRemovedIt() throws {
    let made = try entry(follow(), .done)
    let records = follow().recordsMade(by: [made])
    #expect(records == made.step.writes)
    #expect(follow().considering([made], recordIsThere: true).outcome == .holds)
    #expect(follow().considering([made], recordIsThere: false).steps.count == 1)
    let unfollow = planner.plan(
      .unfollow(subject), knowing: SubjectFacts(follows: [OwnRecord(rkey: records[0].rkey, value: nil)]))
    let removed = try entry(unfollow, .done, job: 2)
    #expect(follow().recordsMade(by: [made, removed]).isEmpty)
  }

  /// Thousands of records of one subject, as an undo makes them again, and another job deletes them.
  @Test func followsThousandsOfRecordsInLinearTime() throws {
    let change = follow()
    let value: DataValue = ["subject": .string(subject.description)]
    let growth = workGrowth(from: 1_000) { size in
      let keys = (0..<size).map { RecordKey(tid: TID(microseconds: Int64($0), clockID: 0)) }
      let made = keys.map { RecordWrite(collection: .follow, rkey: $0, action: .create(value)) }
      let removed = keys.dropFirst().map {
        RecordWrite(collection: .follow, rkey: $0, action: .delete(former: nil))
      }
      let history = [made, removed].map { writes in
        JobHistoryEntry(
          job: JobID(number: 1), position: 0, until: nil, state: .done,
          step: ChangeStep(subject: .account(subject), action: .write(writes)))
      }
      #expect(change.recordsMade(by: history) == [made[0]])
      #expect(change.recordsMade(by: [history[0]]) == made)
      var facts = SubjectFacts(follows: [])
      facts.take(made)
      #expect(facts.follows?.map(\.rkey) == keys)
      facts.take(removed)
      #expect(facts.follows?.map(\.rkey) == [keys[0]])
    }
    #expect(growth < 8)
  }

  @Test func aBlockDoesNotWaitForAFollowButNotesIt() throws {
    let block = planner.plan(.block(subject), knowing: SubjectFacts(follows: [], blocks: []))
    let considered = block.considering([try entry(follow(), .pending)])
    #expect(considered.steps == block.steps)
    #expect(considered.notes.map(\.code).contains(.openJob))
  }

  @Test func anExpiredMuteRestoresTheStateAtThatTime() throws {
    let (soon, later) = (
      Datetime(microsecondsSinceEpoch: 1_000_000), Datetime(microsecondsSinceEpoch: 9_000_000)
    )
    func former(_ planned: PlannedChange) -> ViewerCall? {
      if case .call(_, let former)? = planned.steps.first?.action { former } else { nil }
    }
    let unknown = planner.plan(.mute(subject, .everything), knowing: SubjectFacts())
    #expect(former(unknown) == nil)
    #expect(former(unknown.considering([], until: soon)) == .unmute(subject))
    let muted = SubjectFacts(mute: MuteState(direct: .scope(.everything), list: nil))
    let narrower = planner.plan(.mute(subject, .reposts), knowing: muted)
    let first = try entry(unknown, .done, until: soon)
    #expect(former(narrower.considering([first], until: later)) == .unmute(subject))
    #expect(
      former(narrower.considering([first], until: Datetime(microsecondsSinceEpoch: 1)))
        == .mute(subject, .everything))
    #expect(former(narrower.considering([], until: later)) == .mute(subject, .everything))
  }
}
