// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCrypto
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: which requests nothing is left to do about.
@Suite struct JournalSettledTests {
  private let account = Accounts.did(0)

  private func request(_ number: Int, _ content: String = "a") throws -> RecordVersion {
    let value: DataValue = ["text": .string(content)]
    return RecordVersion(
      uri: try ATURI(
        parsing: "at://\(account)/\(FriendRequest.collection)/\(Accounts.did(number))"),
      cid: try #require(CID(of: value)))
  }

  /// A job of follows that are allowed by requests.
  private func drafts(_ numbers: Range<Int>) throws -> [JobItemDraft] {
    try ChangeSamples.drafts(numbers).enumerated().map { place, draft in
      var draft = draft
      draft.step.settles = try request(numbers.lowerBound + place)
      return draft
    }
  }

  @Test(arguments: JournalUnderTest.all)
  func whatWasSentStaysSettledUnlessItWasCertainlyNotWritten(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(try drafts(0..<4), at: place.now)
    // A plan settles nothing.
    #expect(try await store.settledRequests(of: account).isEmpty)
    _ = try await store.start(job.id)
    _ = try await store.begin(1, 0..<3, of: job.id, at: place.now)
    // From here on, the answer may be lost.
    #expect(try await place.reopen().settledRequests(of: account).count == 3)
    try await store.record(JobOutcome(states: [1: .failed("no")]), of: job.id)
    try await store.record(
      JobOutcome(commit: 1, states: [0: .done, 2: .pending], keepsDoubt: true), of: job.id)
    let settled = [try request(0), try request(2)]
    #expect(try await store.settledRequests(of: account) == Set(settled))
    // Neither another version nor another account is.
    #expect(try await store.settledRequests(of: Accounts.did(1)).isEmpty)
    #expect(try await !store.settledRequests(of: account).contains(request(0, "b")))
    // The step is read as it was written, and the journal forgets jobs, not requests.
    let items = try await store.items(of: job.id, in: [.pending], after: nil, most: 9)
    #expect(items.map(\.step.settles) == [try request(2), try request(3)])
    _ = try await store.cancel(job.id, at: place.now)
    try await place.clock.sleep(for: .seconds(86_400))
    #expect(try await store.prune(endedBefore: place.now) == [job.id])
    #expect(try await place.reopen().settledRequests(of: account) == Set(settled))
  }

  /// A refused retry says nothing about the first attempt, and what was only cut into pieces is sent again.
  @Test(arguments: JournalUnderTest.all)
  func onlyCertaintyOpensARequestAgain(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(try drafts(0..<3), at: place.now)
    _ = try await store.start(job.id)
    _ = try await store.begin(1, 0..<3, of: job.id, at: place.now)
    try await store.record(JobOutcome(states: [0: .failed("no")], keepsDoubt: true), of: job.id)
    #expect(try await store.settledRequests(of: account).count == 3)
    try await store.record(JobOutcome(states: [1: .pending]), of: job.id)
    #expect(try await place.reopen().settledRequests(of: account) == [try request(0), try request(2)])
    // It was cancelled while its commit was in flight.
    _ = try await store.cancel(job.id, at: place.now)
    try await store.record(JobOutcome(commit: 1, states: [2: .pending]), of: job.id)
    #expect(try await store.states(of: job.id)[2] == .cancelled)
    #expect(try await store.settledRequests(of: account) == [try request(0)])
  }

  @Test(arguments: JournalUnderTest.all)
  func whatNeedsNothingIsSettledOnceAndForAll(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let known = [try request(1), try request(2)]
    try await store.settle(Set(known), of: account)
    try await store.settle(Set(known.prefix(1)), of: account)
    #expect(try await place.reopen().settledRequests(of: account) == Set(known))
    // A later job that fails does not open it again.
    let job = try await store.addJob(try drafts(1..<2), at: place.now)
    _ = try await store.start(job.id)
    _ = try await store.begin(1, 0..<1, of: job.id, at: place.now)
    try await store.record(JobOutcome(commit: 1, states: [0: .failed("no")]), of: job.id)
    #expect(try await store.settledRequests(of: account) == Set(known))
  }
}
