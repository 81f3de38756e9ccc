// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

/// What another app did while a job was stopped does not belong to the job.
@Suite struct JobResumeTests {
  private let place = TemporaryStore()
  private let repository = ScriptedRepository()

  private func stopped(_ drafts: [JobItemDraft]) async throws -> (store: SQLiteJobStore, job: Job) {
    let (store, job) = try await place.job(drafts)
    let refusal = RepositoryError(.notAuthorized, detail: "sign in again")
    repository.next(.fail(refusal))
    #expect(
      try await place.runner(repository, store).runPlanned(job.id)
        == .stopped(JobStop(.notAuthorized, "sign in again")))
    return (store, job)
  }

  @Test func doesNotFollowTwiceIfAnotherAppFollowedMeanwhile() async throws {
    let (store, job) = try await stopped(ChangeSamples.drafts(1..<451))
    #expect(repository.listings.isEmpty)
    for number in [3, 440] {
      var write = ChangeSamples.create(number)
      write.rkey = ChangeSamples.rkey(1_000 + number)
      repository.put(ChangeSamples.record(number), at: write)
    }
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.subjects().count == 450 && Set(repository.subjects()).count == 450)
    let left = try await store.items(of: job.id, in: [.skipped], after: nil, most: 10)
    #expect(left.map(\.input) == ["user3", "user440"])
    #expect(left.allSatisfy { $0.state == .skipped(SkipReason.holdsAlready.description) })
    #expect(repository.listings == [ChangeSamples.follows])
    let undo = try await JobManager(journal: store, time: place.time).undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    #expect(Set(repository.subjects()) == [Accounts.did(3), Accounts.did(440)])
  }

  @Test func doesNotBringBackWhatAnotherAppRemovedMeanwhile() async throws {
    let repository = repository
    for number in 1..<4 { repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number)) }
    var drafts = ChangeSamples.drafts(1..<3) {
      ChangeStep(subject: .account(Accounts.did($0)), action: .write([ChangeSamples.delete($0)]))
    }
    drafts.append(JobItemDraft(input: "user3", step: ChangeSamples.block(3)))
    let (store, job) = try await stopped(drafts)
    for number in [1, 3] { repository.put(nil, at: ChangeSamples.create(number)) }
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    let items = try await store.items(of: job.id, in: Set(JobItemState.Kind.allCases), after: nil, most: 9)
    #expect(items.map(\.state) == [.skipped(SkipReason.isGone.description), .done, .done])
    #expect(repository.subjects().isEmpty)
    let undo = try await JobManager(journal: store, time: place.time).undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    #expect(repository.subjects() == [Accounts.did(2)])
    #expect(repository.subjects(in: ChangeSamples.blocks).isEmpty)
  }

  @Test func overwritesNothingThatAnotherAppChangedMeanwhile() async throws {
    let lists = try NSID(parsing: "app.bsky.graph.list")
    func list(_ name: String) -> DataValue { ["$type": "app.bsky.graph.list", "name": .string(name)] }
    func rename(_ number: Int, _ former: String, _ name: String) -> RecordWrite {
      RecordWrite(
        collection: lists, rkey: ChangeSamples.rkey(number),
        action: .update(list(name), former: list(former)))
    }
    // The second one continues from what the first has made of the list.
    let writes = [rename(1, "a", "b"), rename(1, "b", "c"), rename(2, "a", "b")]
    for write in writes { repository.put(list("a"), at: write) }
    let (store, job) = try await stopped(
      writes.map { JobItemDraft(input: "x", step: ChangeStep(subject: .listName("a"), action: .write([$0]))) }
    )
    repository.put(list("of another app"), at: writes[2])
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    let items = try await store.items(of: job.id, in: Set(JobItemState.Kind.allCases), after: nil, most: 9)
    let reason = SkipReason.changed("app.bsky.graph.list/\(ChangeSamples.rkey(2))").description
    #expect(items.map(\.state) == [.done, .done, .skipped(reason)])
    #expect(repository.records["app.bsky.graph.list/\(ChangeSamples.rkey(1))"] == list("c"))
    #expect(repository.records["app.bsky.graph.list/\(ChangeSamples.rkey(2))"] == list("of another app"))
  }

  @Test(arguments: [WriteLimit(perHour: 12, perDay: 1_000, leave: 0), .init(perHour: 12, perDay: 12)])
  func continuesInPiecesIfFewPointsAreLeft(limit: WriteLimit) async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<11))
    repository.next(.loseRequest)
    repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    _ = try await place.runner(repository, store).run(job.id)
    #expect(try await store.summary(of: job.id).counts[.inDoubt] == 10)
    place.clock.advance(by: .seconds(2 * 86_400))
    let runner = place.runner(repository, store, options: .init(limit: limit))
    #expect(try await runner.run(job.id) == .done)
    #expect(repository.subjects().count == 10 && Set(repository.subjects()).count == 10)
    #expect(try await store.summary(of: job.id).counts[.done] == 10)
  }

  /// The confirmation took half an hour, and the job runs as soon as it is added.
  @Test func doesNotFollowTwiceIfAnotherAppFollowedBeforeConfirmation() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<4))
    let runner = place.runner(repository, store)
    let facts = FactsStamp(revision: 0, readAt: runner.time.now)
    var write = ChangeSamples.create(2)
    write.rkey = ChangeSamples.rkey(1_002)
    repository.put(ChangeSamples.record(2), at: write)
    place.clock.advance(by: .seconds(1_800))
    #expect(try await runner.run(job.id, plannedBy: facts) == .done)
    #expect(repository.subjects().count == 3 && Set(repository.subjects()).count == 3)
    #expect(try await store.summary(of: job.id).counts[.skipped] == 1)
  }
}
