// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct JobHistoryEntryTests {
  private let subject = Accounts.did(1)
  private let planner = ChangePlanner(
    account: Accounts.did(0), keys: TIDClock(clockID: 1) { 1_700_000_000_000_000 },
    time: ManualClock().timeSource())

  private func follow() -> PlannedChange {
    planner.plan(.follow(subject), knowing: SubjectFacts.knowing(follows: []))
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
      .unfollow(subject),
      knowing: SubjectFacts.knowing(follows: [OwnRecord(rkey: records[0].rkey, value: nil)]))
    let removed = try entry(unfollow, .done, job: 2)
    #expect(follow().recordsMade(by: [made, removed]).isEmpty)
  }

  /// Thousands of records of one subject, as an undo makes them again, and another job deletes them.
  @Test func followsThousandsOfRecordsInLinearTime() throws {
    let change = follow()
    let value: DataValue = ["subject": .string(subject.description)]
    let growth = workGrowth(from: 300) { size in
      let keys = (0..<size).map { RecordKey(tid: TID(at: Instant($0), clockID: 0)) }
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
      var facts = SubjectFacts.knowing(follows: [])
      facts.apply(made)
      #expect(facts.follows?.map(\.rkey) == keys)
      facts.apply(removed)
      #expect(facts.follows?.map(\.rkey) == [keys[0]])
    }
    #expect(growth < 8)
  }

  @Test func aFollowDoesNotWaitForABlockButNotesIt() throws {
    let block = planner.plan(.block(subject), knowing: SubjectFacts.knowing(follows: [], blocks: []))
    let planned = follow()
    let considered = planned.considering([try entry(block, .pending)])
    #expect(considered.steps == planned.steps && considered.withdrawals.isEmpty)
    #expect(considered.notes.map(\.code).contains(.openJob))
  }

  /// The planner adds the type of a record that is put without.
  @Test func aRecordIsNotPutAgainstItself() throws {
    let record = try ATURI(parsing: "at://\(Accounts.did(0))/com.example.record/3a")
    let name = try #require(record.recordName)
    let put = ChangeIntent.records(.put(record, ["text": "a"]))
    let planned = planner.plan(put, knowing: SubjectFacts(named: [name: nil]))
    let entry = try entry(planned, .pending)
    #expect(!entry.ends(put) && entry.ends(.records(.put(record, ["text": "b"]))))
    #expect(entry.ends(.records(.delete(record))))
  }

  // MARK: Contrary steps

  /// Each change, one that would end it, and whether that may be withdrawn by itself.
  private func contraries() throws -> [(wanted: PlannedChange, ending: ChangeStep, isWithdrawable: Bool)] {
    let record = OwnRecord(rkey: ChangeSamples.rkey(1), value: ChangeSamples.record(1))
    let list = OwnList.uri(ChangeSamples.rkey(7), of: Accounts.did(0))
    let member = try item(list)
    func step(_ writes: RecordWrite...) -> ChangeStep {
      ChangeStep(subject: .account(subject), action: .write(writes))
    }
    func plan(_ intent: ChangeIntent, _ facts: SubjectFacts) -> PlannedChange {
      planner.plan(intent, knowing: facts)
    }
    let named = OwnList(uri: list, value: ["name": "Noise", "purpose": .string(ListPurpose.curate.name)])
    let facts = ListFacts(lists: [named], items: [OwnRecord(rkey: member.rkey, value: nil)])
    var unknownList = member
    unknownList.action = .delete(former: nil)
    let gone = RecordWrite(collection: .list, rkey: ChangeSamples.rkey(7), action: .delete(former: nil))
    let renamed = RecordWrite(
      collection: .list, rkey: ChangeSamples.rkey(7), action: .update(["name": "Old"], former: nil))
    let (block, unblock) = (ChangeSamples.create(1, in: .block), ChangeSamples.delete(1, in: .block))
    let blocked = SubjectFacts.knowing(follows: [], blocks: [record])
    let add = ChangeIntent.add(subject, to: list)
    return [
      (plan(.follow(subject), SubjectFacts.knowing(follows: [record])), step(ChangeSamples.delete(1)), true),
      (
        plan(.follow(subject), SubjectFacts.knowing(follows: [record])), step(block, ChangeSamples.delete(1)),
        true
      ),
      (plan(.unfollow(subject), SubjectFacts.knowing(follows: [])), step(ChangeSamples.create(1)), true),
      (plan(.block(subject), blocked), step(unblock, ChangeSamples.create(1)), true),
      (plan(.block(subject), blocked), step(ChangeSamples.create(1)), true),
      (plan(.unblock(subject), SubjectFacts.knowing(blocks: [])), step(block), true),
      (
        plan(
          .mute(subject, .everything), SubjectFacts(mute: MuteState(direct: .scope(.everything), list: nil))),
        ChangeStep(subject: .account(subject), action: .call(.unmute(subject), former: nil)), true
      ),
      (plan(add, SubjectFacts(list: facts)), step(member), true),
      (plan(add, SubjectFacts(list: facts)), step(unknownList), true),
      (plan(add, SubjectFacts(list: facts)), step(gone), false),
      (
        plan(.list(.create(list, ListDraft(name: "Noise", purpose: .curate))), SubjectFacts(list: facts)),
        step(gone), false
      ),
      (plan(.list(.edit(list, ListEdit(name: "Noise"))), SubjectFacts(list: facts)), step(renamed), false),
    ]
  }

  private func item(_ list: ATURI) throws -> RecordWrite {
    RecordWrite(
      collection: .listitem, rkey: ChangeSamples.rkey(9),
      action: .delete(former: [
        "subject": .string("\(subject)"), "list": .string("\(list)"), "createdAt": "2026-01-01T00:00:00.000Z",
      ]))
  }

  @Test func withdrawsWhatIsAboutToEndWhatIsWanted() throws {
    for (wanted, ending, isWithdrawable) in try contraries() {
      #expect(wanted.holds, "\(wanted.change)")
      let entry = JobHistoryEntry(job: JobID(number: 4), position: 2, state: .pending, step: ending)
      let considered = wanted.considering([entry])
      if isWithdrawable {
        #expect(considered.holds && considered.withdrawals == [JobID(number: 4): [2]], "\(wanted.change)")
        #expect(considered.notes.map(\.code).contains(.withdrawn) && considered.changesJobs)
      } else {
        #expect(considered.refusal?.code == .contested && considered.refusal?.job == JobID(number: 4))
        #expect(considered.withdrawals.isEmpty)
      }
    }
  }

  @Test func namesTheJobThatMayHaveEndedWhatIsWanted() throws {
    for (wanted, ending, _) in try contraries() {
      let entry = JobHistoryEntry(job: JobID(number: 4), position: 2, state: .inDoubt, step: ending)
      let considered = wanted.considering([entry])
      #expect(considered.refusal?.code == .unsettled && considered.refusal?.job == JobID(number: 4))
      #expect(considered.withdrawals.isEmpty && considered.steps.allSatisfy { $0.end == nil })
    }
  }

  @Test func leavesAloneWhatDoesNotConcernTheSameList() throws {
    let (list, other) = (
      OwnList.uri(ChangeSamples.rkey(7), of: Accounts.did(0)),
      OwnList.uri(ChangeSamples.rkey(8), of: Accounts.did(0))
    )
    let step = ChangeStep(subject: .account(subject), action: .write([try item(other)]))
    let entry = JobHistoryEntry(job: JobID(number: 4), position: 0, state: .pending, step: step)
    #expect(!entry.ends(.add(subject, to: list)) && entry.ends(.add(subject, to: other)))
  }

  // MARK: The same

  /// Waiting for a job is only right if it does everything that is wanted, and alike.
  @Test func waitsOnlyForAJobThatDoesAllOfIt() throws {
    let record = OwnRecord(rkey: ChangeSamples.rkey(1), value: ChangeSamples.record(1))
    let block = planner.plan(.block(subject), knowing: SubjectFacts.knowing(follows: [record], blocks: []))
    let less = planner.plan(.block(subject), knowing: SubjectFacts.knowing(follows: [], blocks: []))
    #expect(block.considering([try entry(block, .pending)]).refusal == .awaited(JobID(number: 1)))
    #expect(less.considering([try entry(block, .pending)]).refusal == .awaited(JobID(number: 1)))
    #expect(block.considering([try entry(less, .pending)]).refusal == .contested(JobID(number: 1)))
  }

  @Test func doesNotWaitForAnotherContentOfARecord() throws {
    let list = OwnList.uri(ChangeSamples.rkey(7), of: Accounts.did(0))
    let known = OwnList(
      uri: list,
      value: [
        "$type": "app.bsky.graph.list", "name": "Noise", "purpose": .string(ListPurpose.curate.name),
        "createdAt": "2026-01-01T00:00:00.000Z",
      ])
    func edit(_ words: String) -> PlannedChange {
      planner.plan(
        .list(.edit(list, ListEdit(description: words))),
        knowing: SubjectFacts(list: ListFacts(lists: [known])))
    }
    #expect(edit("one").considering([try entry(edit("one"), .pending)]).refusal == .awaited(JobID(number: 1)))
    #expect(
      edit("one").considering([try entry(edit("two"), .pending)]).refusal == .contested(JobID(number: 1)))
  }

  /// A torn read shows the block of a job in flight and not yet its deletion.
  @Test func leavesADeletionInDoubtToItsJob() throws {
    let record = OwnRecord(rkey: ChangeSamples.rkey(1), value: ChangeSamples.record(1))
    let block = planner.plan(.block(subject), knowing: SubjectFacts.knowing(follows: [record], blocks: []))
    let rest = planner.plan(
      .block(subject), knowing: SubjectFacts.knowing(follows: [record], blocks: [record]))
    #expect(rest.steps.flatMap(\.writes).count == 1)
    #expect(rest.considering([try entry(block, .inDoubt)]).refusal == .awaited(JobID(number: 1)))
    #expect(rest.considering([try entry(block, .pending)]).steps == rest.steps)
  }

  @Test func movesTheEndOfWhatAJobIsAboutToDo() throws {
    let (soon, later) = (
      Datetime(at: 1_000_000), Datetime(at: 9_000_000)
    )
    let timed = try entry(follow(), .pending, until: soon)
    for until in [later, nil] {
      let considered = follow().considering([timed], until: until)
      let change = EndChange(job: JobID(number: 1), position: 0, until: until, former: soon)
      #expect(considered.steps.map(\.end) == [change])
    }
    #expect(follow().considering([try entry(follow(), .pending)]).refusal?.code == .awaited)
  }

  @Test func anExpiredMuteRestoresTheStateAtThatTime() throws {
    let (soon, later) = (
      Datetime(at: 1_000_000), Datetime(at: 9_000_000)
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
      former(narrower.considering([first], until: Datetime(at: 1)))
        == .mute(subject, .everything))
    #expect(former(narrower.considering([], until: later)) == .mute(subject, .everything))
  }
}
