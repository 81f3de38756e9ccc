// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Members that are added to a list while another job or app deletes it: none is left on a list that does not exist.
@Suite struct RunListTests {
  private let jobs = RunningJobs()
  private let key = ChangeSamples.rkey(900)
  private var list: ATURI { OwnList.uri(key, of: jobs.repository.account) }
  private let record: DataValue = ["name": "Noise", "createdAt": "2026-01-01T00:00:00.000Z"]

  private func value(_ number: Int) -> DataValue {
    [
      "subject": .string("\(Accounts.did(number))"), "list": .string("\(list)"),
      "createdAt": "2026-01-01T00:00:00.000Z",
    ]
  }

  private func member(_ number: Int) -> RecordWrite {
    RecordWrite(collection: .listitem, rkey: ChangeSamples.rkey(number), action: .create(value(number)))
  }

  private func addition(_ number: Int) -> JobItemDraft {
    JobItemDraft(
      input: "user\(number)",
      step: ChangeStep(subject: .account(Accounts.did(number)), action: .write([member(number)])))
  }

  /// Puts the list with these members in the repository.
  private func put(members: Range<Int>) {
    jobs.repository.put(record, at: RecordWrite(collection: .list, rkey: key, action: .create(record)))
    for number in members { jobs.repository.put(value(number), at: member(number)) }
  }

  /// The deletion of the list with these members, as planned.
  private func deletion(members: Range<Int>) -> JobItemDraft {
    let items = members.map {
      RecordWrite(collection: .listitem, rkey: ChangeSamples.rkey($0), action: .delete(former: value($0)))
    }
    let last = RecordWrite(collection: .list, rkey: key, action: .delete(former: record))
    return JobItemDraft(
      input: "Noise", step: ChangeStep(subject: .list(list), action: .write(items + [last])))
  }

  /// Whether the server names its commits, and whether the job runs at once.
  @Test(arguments: [true, false], [true, false])
  func deletesMembersThatWereAddedMeanwhile(namesCommits: Bool, isResumed: Bool) async throws {
    if !namesCommits { jobs.repository.nameNoCommits() }
    put(members: 1..<4)
    let job = try await jobs.add([deletion(members: 1..<4)])
    let stamp = try await jobs.stamp()
    jobs.repository.put(value(7), at: member(7))
    #expect(try await jobs.runner().run(job, plannedBy: isResumed ? nil : stamp) == .done)
    #expect(jobs.repository.records.isEmpty)
    // They can be restored, too.
    let undo = try await jobs.engine().undo(job).job
    #expect(try await jobs.runner().run(undo.id) == .done)
    #expect(jobs.repository.records.count == 5)
  }

  @Test func deletesMembersThatAnotherJobHasAddedSinceTheFacts() async throws {
    jobs.repository.nameNoCommits()
    put(members: 1..<4)
    let (deleting, adding) = (
      try await jobs.add([deletion(members: 1..<4)]), try await jobs.add([addition(7)])
    )
    let stamp = try await jobs.stamp()
    #expect(try await jobs.runner().run(adding, plannedBy: stamp) == .done)
    #expect(try await jobs.runner().run(deleting, plannedBy: stamp) == .done)
    #expect(jobs.repository.records.isEmpty)
  }

  @Test(arguments: [true, false])
  func addsNoMemberToAListThatWasDeleted(namesCommits: Bool) async throws {
    if !namesCommits { jobs.repository.nameNoCommits() }
    put(members: 1..<4)
    let (deleting, adding) = (
      try await jobs.add([deletion(members: 1..<4)]), try await jobs.add([addition(7)])
    )
    let stamp = try await jobs.stamp()
    #expect(try await jobs.runner().run(deleting, plannedBy: stamp) == .done)
    #expect(try await jobs.runner().run(adding, plannedBy: stamp) == .done)
    #expect(try await jobs.states(of: adding) == [.failed(SkipReason.listIsGone.description)])
    #expect(jobs.repository.records.isEmpty)
  }

  @Test func anUndoRestoresNoMemberOfADeletedList() async throws {
    put(members: 1..<2)
    let removal = RecordWrite(
      collection: .listitem, rkey: ChangeSamples.rkey(1), action: .delete(former: value(1)))
    let step = ChangeStep(subject: .account(Accounts.did(1)), action: .write([removal]))
    let removing = try await jobs.add([JobItemDraft(input: "user1", step: step)])
    #expect(try await jobs.runner().run(removing, plannedBy: jobs.stamp()) == .done)
    let deleting = try await jobs.add([deletion(members: 1..<1)])
    #expect(try await jobs.runner().run(deleting, plannedBy: jobs.stamp()) == .done)
    let undo = try await jobs.engine().undo(removing).job
    #expect(try await jobs.runner().run(undo.id) == .done)
    #expect(try await jobs.states(of: undo.id) == [.skipped(SkipReason.listIsGone.description)])
    #expect(jobs.repository.records.isEmpty)
  }

  /// The list is created by the same job, so it is not there when the job is compared.
  @Test func addsMembersToAListOfTheSameJob() async throws {
    let create = RecordWrite(collection: .list, rkey: key, action: .create(record))
    var member = addition(1)
    member.dependsOn = 0
    let job = try await jobs.add([
      JobItemDraft(input: "Noise", step: ChangeStep(subject: .listName("Noise"), action: .write([create]))),
      member,
    ])
    #expect(try await jobs.runner(.init(writesPerCommit: 1)).run(job) == .done)
    #expect(try await jobs.states(of: job) == [.done, .done])
  }

  @Test func doesNotDeleteAListThatHasGrownBeyondOneCommit() async throws {
    put(members: 1..<200)
    let job = try await jobs.add([deletion(members: 1..<200)])
    jobs.repository.put(value(500), at: member(500))
    #expect(try await jobs.runner().run(job) == .done)
    #expect(try await jobs.states(of: job) == [.failed(SkipReason.listHasGrown.description)])
    #expect(jobs.repository.records.count == 201)
  }
}
