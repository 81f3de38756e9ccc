// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCrypto
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: the last change that made no job, and the copies of files.
@Suite struct JournalMemoryTests {
  private static let (alice, bob) = (Accounts.did(0), Accounts.did(1))

  @Test(arguments: JournalUnderTest.all)
  func rememberTheLastChangeOfEachAccountAmongTheJobs(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, other) = (try place.reopen(), try place.reopen())
    #expect(try await store.lastChange(by: Self.alice) == nil)
    let dismissal = LastChange("people dismiss", .done, reversal: "x")
    try await store.remember(dismissal, by: Self.alice, at: place.now)
    let first = try #require(try await other.lastChange(by: Self.alice))
    #expect(first.change == dismissal && first.account == Self.alice && first.newestJob.number == 0)
    #expect(try await other.lastChange(by: Self.bob) == nil)
    // A job of any account takes a number; the clock does not matter.
    let job = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], of: Self.bob, at: place.now)
    try await other.remember(LastChange("segments add", .nothing), by: nil, at: 1)
    for account in [Self.alice, Self.bob] {
      let last = try #require(try await store.lastChange(by: account))
      #expect(last.change.title == "segments add" && last.account == nil && last.newestJob == job.id)
    }
    let resumed = LastChange("follow", .done, job: job.id)
    try await store.remember(resumed, by: Self.bob, at: place.now)
    #expect(try await store.lastChange(by: Self.bob)?.change == resumed)
    #expect(try await store.lastChange(by: Self.alice)?.change.title == "segments add")
  }

  /// What was last does not become something older because a job is removed.
  @Test(arguments: JournalUnderTest.all)
  func aRemovedJobStaysTheLastChange(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    _ = try await store.addJob(ChangeSamples.drafts(0..<1), at: place.now)
    let last = try await store.addEndedJob(ChangeSamples.drafts(1..<2), [.done], at: place.now)
    #expect(try await store.prune(endedBefore: place.now + 1) == [last.id])
    let remembered = try #require(try await store.lastChange(by: Self.alice))
    #expect(remembered.change.job == last.id && remembered.newestJob == last.id)
  }

  @Test(arguments: JournalUnderTest.all)
  func forgetsAllOfOneAccount(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, other) = (try place.reopen(), try place.reopen())
    let file = try Self.file(1)
    #expect(try await store.keep(file.bytes, as: file.blob.ref, at: place.now))
    let version = try RecordVersion(
      uri: ATURI(parsing: "at://\(Self.bob)/app.bsky.graph.follow/3jui7kd54zh2y"),
      cid: #require(CID(ofFile: [1])))
    for account in [Self.alice, Self.bob] {
      try await store.spend(7, of: account, at: place.now)
      try await store.remember(LastChange("people dismiss", .done), by: account, at: place.now)
      try await store.note(serverChoosingKeys: "https://pds.test", of: account)
      try await store.settle([version], of: account)
    }
    let ended = try await store.addEndedJob([try Self.deletion(0, of: file.blob)], [.done], at: place.now)
    let undo = try await store.addJob(ChangeSamples.drafts(1..<2), undoes: ended.id, at: place.now)
    let all = try await store.summaries(of: Self.alice).map(\.job.id)
    #expect(all.contains(undo.id) && all.count == 3)

    #expect(try await other.forget(Self.alice) == all)
    #expect(try await store.summaries(of: Self.alice).isEmpty)
    #expect(try await store.lastChange(by: Self.alice) == nil)
    #expect(try await store.serverChoosingKeys(of: Self.alice) == nil)
    #expect(try await store.settledRequests(of: Self.alice).isEmpty)
    #expect(try await store.file(file.blob.ref) == nil)
    let limit = WriteLimit(perHour: 10, perDay: 10, leave: 0)
    for (account, fits) in [(Self.alice, true), (Self.bob, false)] {
      let budget = try await store.budget(of: account, within: limit, counting: nil, at: place.now)
      #expect((budget.end(of: 10, changes: 0, at: place.now) == place.now) == fits)
    }
    // The other account keeps all of its own.
    #expect(try await store.summaries(of: Self.bob).count == 1)
    #expect(try await store.lastChange(by: Self.bob) != nil)
    #expect(try await store.serverChoosingKeys(of: Self.bob) != nil)
    #expect(try await store.settledRequests(of: Self.bob) == [version])
    #expect(try await store.forget(Self.alice) == [])
  }

  @Test(arguments: JournalUnderTest.all)
  func forgetsAnUnfinishedJobOnlyIfTold(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let manager = JobManager(journal: store, time: place.time)
    let timed = try await store.addEndedJob(
      ChangeSamples.drafts(0..<1), [.done], until: Datetime(at: place.now + .days(1)), at: place.now)
    let open = try await store.addJob(ChangeSamples.drafts(1..<2), at: place.now)
    _ = try await store.addEndedJob(ChangeSamples.drafts(2..<3), [.done], at: place.now)
    #expect(try await manager.unfinished(of: Self.alice) == [timed.id, open.id])
    let error = await #expect(throws: JobError.self) { try await manager.forget(Self.alice) }
    #expect(error?.code == .wrongState && error?.job == timed.id)
    #expect(try await store.summaries(of: Self.alice).count == 3)
    try await manager.forget(Self.alice, abandoningUnfinished: true)
    #expect(try await store.summaries(of: Self.alice).isEmpty)
    try await store.leasePlanning(of: Self.alice, at: place.now).release()
  }

  // MARK: Files

  private static let day: Int64 = 86_400_000_000

  private static func file(_ byte: UInt8) throws -> (bytes: [UInt8], blob: Blob) {
    let bytes = [UInt8](repeating: byte, count: 100)
    return (bytes, Blob(ref: try #require(CID(ofFile: bytes)), mimeType: "image/png", size: bytes.count))
  }

  /// The deletion of a list with a picture.
  private static func deletion(_ number: Int, of file: Blob) throws -> JobItemDraft {
    let value: DataValue = ["name": "Birds", "avatar": try DataValue(encoding: file)]
    let write = RecordWrite(
      collection: .list, rkey: ChangeSamples.rkey(number), action: .delete(former: value))
    let list = ATURI(authority: .did(alice), collection: .list, recordKey: write.rkey)
    return JobItemDraft(input: "x", step: ChangeStep(subject: .list(list), action: .write([write])))
  }

  @Test(arguments: JournalUnderTest.all)
  func keepsAFileAsLongAsAJobNeedsIt(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, other) = (try place.reopen(), try place.reopen())
    let (shared, stray) = (try Self.file(1), try Self.file(2))
    #expect(try await store.keep(shared.bytes, as: shared.blob.ref, at: place.now))
    #expect(try await other.keep(stray.bytes, as: stray.blob.ref, at: place.now))
    #expect(try await other.file(shared.blob.ref) == shared.bytes)
    var jobs: [Job] = []
    for number in 0..<2 {
      jobs.append(
        try await store.addEndedJob([try Self.deletion(number, of: shared.blob)], [.done], at: place.now))
    }
    // A day later, only what a job needs is left.
    let third = try Self.file(3)
    #expect(try await other.keep(third.bytes, as: third.blob.ref, at: place.now + Self.day + 1))
    let all = Set([shared, stray, third].map(\.blob.ref))
    #expect(try await store.keptFiles(among: all) == [shared.blob.ref, third.blob.ref])
    try await store.remove(jobs[0].id)
    #expect(try await store.file(shared.blob.ref) == shared.bytes)
    #expect(try await store.prune(endedBefore: place.now + 1) == [jobs[1].id])
    #expect(try await store.file(shared.blob.ref) == nil)
    #expect(try await store.keptFiles(among: all) == [third.blob.ref])
  }

  @Test(arguments: JournalUnderTest.all)
  func keepsNoFileForWhichThereIsNoRoom(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let (large, small) = (try Self.file(1), try Self.file(2))
    let tooMany = [UInt8](repeating: 1, count: (256 << 20) + 1)
    #expect(try await !store.keep(tooMany, as: large.blob.ref, at: place.now))
    #expect(try await store.keep(small.bytes, as: small.blob.ref, at: place.now))
    #expect(try await store.keptFiles(among: [large.blob.ref, small.blob.ref]) == [small.blob.ref])
  }
}
