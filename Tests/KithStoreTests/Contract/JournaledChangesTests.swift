// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: what was changed a short time ago.
@Suite struct JournaledChangesTests {
  private let me = Accounts.did(0)

  private static func unfollow(_ number: Int) -> ChangeStep {
    ChangeStep(subject: .account(Accounts.did(number)), action: .write([ChangeSamples.delete(number)]))
  }

  @Test(arguments: JournalUnderTest.all)
  func returnsJobsThatHaveNotEndedOrEndedAShortTimeAgo(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let old = try await store.addEndedJob(ChangeSamples.drafts(1..<2), [.done], at: place.now)
    try await place.clock.sleep(for: .seconds(60))
    let moment = place.now
    let open = try await store.addJob(ChangeSamples.drafts(2..<3), at: moment)
    let ended = try await store.addEndedJob(
      ChangeSamples.drafts(3..<4), [.done], of: Accounts.did(9), at: moment + 1_000)
    let draft = JobDraft(account: me, title: "follow")
    _ = try await store.create(draft, at: moment)
    #expect(try await store.jobs(endedAfter: moment).map(\.id) == [open.id, ended.id])
    #expect(try await store.jobs(endedAfter: 0).map(\.id) == [old.id, open.id, ended.id])
  }

  @Test(arguments: JournalUnderTest.all)
  func forgetsWhatWasMadeAndDeletedAfterTenMinutes(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    _ = try await store.addEndedJob(ChangeSamples.drafts(1..<3), [.done, .failed("no")], at: place.now)
    _ = try await store.addEndedJob(
      ChangeSamples.drafts(3..<4, ChangeSamples.block), [.done], at: place.now)
    _ = try await store.addEndedJob(ChangeSamples.drafts(1..<2, Self.unfollow), [.done], at: place.now)
    let changes = JournaledChanges(store, time: place.time)
    #expect(try await changes.accounts() == [me])
    let edges = try await changes.edges(of: me, about: Accounts.dids(1..<5))
    #expect(edges[Accounts.did(1)]?.follow?.made == nil)
    #expect(edges[Accounts.did(1)]?.follow?.deleted == [ChangeSamples.rkey(1)])
    #expect(edges[Accounts.did(2)] == nil)
    #expect(edges[Accounts.did(3)]?.block?.made == ChangeSamples.rkey(3))
    #expect(edges[Accounts.did(3)]?.follow?.deleted == [ChangeSamples.rkey(3)])
    #expect(try await changes.edges(of: Accounts.did(1), about: [me]).isEmpty)
    #expect(try await changes.count() == 3)
    try await place.clock.sleep(for: .seconds(601))
    #expect(try await changes.accounts().isEmpty)
    #expect(try await changes.edges(of: me, about: Accounts.dids(1..<5)).isEmpty)
  }

  @Test(arguments: JournalUnderTest.all)
  func marksChangesWhoseAnswerWasLost(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(1..<3), at: place.now)
    _ = try await store.start(job.id)
    _ = try await store.begin(1, 0..<1, of: job.id, at: place.now)
    let edges = try await JournaledChanges(store, time: place.time).edges(
      of: me, about: Accounts.dids(1..<3))
    #expect(edges[Accounts.did(1)]?.follow?.isInDoubt == true)
    // The second item was not sent.
    #expect(edges.count == 1)
  }
}
