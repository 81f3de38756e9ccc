// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

/// Jobs with failed items in the journal.
@Suite struct JobFailureTests {
  /// Records an ended job of Alice's with the outcome of each item.
  private func journal(
    _ items: [(step: ChangeStep, state: JobItemState)], of alice: SignedInRun, until: Datetime? = nil
  ) async throws -> SQLiteJobStore {
    let handle = try #require(Handle("alice.test"))
    let did = try #require(alice.run.sandbox.network.account(handle)).did
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    let now: Instant = 1_700_000_000_000_000
    let job = try await store.create(
      JobDraft(account: did, title: "follow", until: until),
      items.map { JobItemDraft(input: "x", step: $0.step) }, isWhole: true, at: now
    ).id
    let states = items.enumerated().map { ($0.offset, $0.element.state) }
    try await store.record(JobOutcome(states: Dictionary(states) { first, _ in first }), of: job, at: now)
    return store
  }

  private func halfDone(of alice: SignedInRun) async throws -> SQLiteJobStore {
    try await journal(
      [(ChangeSamples.follow(1), .done), (ChangeSamples.follow(2), .failed("Invalid record"))], of: alice)
  }

  @Test func resumingAFinishedJobReportsFailures() async throws {
    let alice = try await SignedInRun()
    _ = try await halfDone(of: alice)
    for option in ["", " -q"] {
      let run = try await alice.kith("jobs resume 1" + option)
      #expect(run.status == 69)
      let failed = try #require(try run.message("jobItemsFailed"))
      #expect(["job", "failed", "total"].map(failed.number) == [1, 1, 2])
      #expect(run.output.contains(#""failed":1"#))
    }
  }

  private func unrecordedJob(of alice: SignedInRun) async throws -> (SQLiteJobStore, JobID) {
    let handle = try #require(Handle("alice.test"))
    let did = try #require(alice.run.sandbox.network.account(handle)).did
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    let job = try await store.create(
      JobDraft(account: did, title: "follow"), ChangeSamples.drafts(1..<3), isWhole: false, at: 1)
    return (store, job.id)
  }

  /// A process that was killed while it recorded a job leaves such a job.
  @Test(arguments: ["resume 1", "retry-failed 1"])
  func anIncompletelyRecordedJobIsCancelledWhenItsProcessIsGone(command: String) async throws {
    let alice = try await SignedInRun()
    let (store, job) = try await unrecordedJob(of: alice)
    let lease = try await store.lease(job, at: 1)
    let held = try await alice.kith("jobs \(command)")
    lease.release()
    #expect(held.status == 75)
    #expect(try held.message("job.held")?.number("job") == 1)
    #expect(try await store.job(job).state == .preparing)
    let run = try await alice.kith("jobs \(command)")
    #expect(run.status == 64, "\(run.talk)")
    #expect(try run.message("jobNotWrittenDown")?.number("job") == 1)
    #expect(try await store.job(job).state == .cancelled)
  }

  @Test(arguments: ["jobs", "jobs due", "follow dave.test"])
  func theNextCommandCancelsAJobThatWasNotRecorded(command: String) async throws {
    let alice = try await SignedInRun()
    let (store, job) = try await unrecordedJob(of: alice)
    #expect(try await alice.kith("jobs due --dry-run").status == 0)
    #expect(try await store.job(job).state == .preparing)
    let run = try await alice.kith(command)
    #expect(run.status == 0, "\(run.talk)")
    #expect(try await store.job(job).state == .cancelled)
    if command.hasPrefix("jobs") { #expect(try run.message("jobAbandoned")?.number("job") == 1) }
    // The planned writes were not sent.
    let items = try await store.items(
      of: job, in: Set(JobItemState.Kind.allCases), after: nil, most: .max)
    #expect(items.count == 2 && items.allSatisfy { $0.state == .cancelled })
  }

  @Test func failedItemsAreNotRetriedBeforeAnInterruptedRunIsResumed() async throws {
    let alice = try await SignedInRun()
    let handle = try #require(Handle("alice.test"))
    let did = try #require(alice.run.sandbox.network.account(handle)).did
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    let job = try await store.create(
      JobDraft(account: did, title: "follow"), ChangeSamples.drafts(1..<3), isWhole: true, at: 1
    ).id
    _ = try await store.start(job, limit: nil)
    let run = try await alice.kith("jobs retry-failed 1")
    #expect(run.status == 64, "\(run.talk)")
    #expect(try run.message("jobToResumeFirst")?.number("job") == 1)
  }

  /// A file size limit simulates a full disk: SQLite only learns that writing failed.
  @Test(
    .disabled(
      if: ProcessInfo.processInfo.environment["KITH_SANITIZER"] != nil,
      "the runtime of a sanitizer reports the limit on stderr"))
  func aChangeThatCannotBeRecordedChangesNothing() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("jobs").status == 0)
    let commits = alice.run.sandbox.statistics.commits
    let (output, talk) = (Stream.output(), Stream.output())
    let more = ["KITH_MESSAGES": "json", "PATH": "/usr/bin:/bin"]
    let kith = try RunningKith(
      ["follow", "niaj.test"], environment: alice.environment.merging(more) { _, new in new },
      streams: [nil, output.far, talk.far],
      launcher: ["/bin/sh", "-c", #"trap '' XFSZ; ulimit -f 0; exec "$0" "$@""#])
    for stream in [output, talk] { close(stream.far) }
    let messages = try KithMessage.all(in: await talk.readAll())
    #expect(await kith.status() == 74, "\(messages)")
    #expect(messages.map(\.code) == ["store.unusable"], "\(messages)")
    #expect(messages.first?["changed"] == false)
    #expect(alice.run.sandbox.statistics.commits == commits)
    for stream in [output, talk] { close(stream.near) }
  }

  @Test func aFailedTimedUndoIsReported() async throws {
    let alice = try await SignedInRun()
    // No server accepts a follow with an invalid subject.
    let former: DataValue = [
      "$type": "app.bsky.graph.follow", "subject": "absent", "createdAt": "2026-01-01T00:00:00.000Z",
    ]
    let write = RecordWrite(
      collection: ChangeSamples.follows, rkey: ChangeSamples.rkey(1), action: .delete(former: former))
    let store = try await journal(
      [(ChangeStep(subject: .listName("x"), action: .write([write])), .done)], of: alice,
      until: Datetime(at: 1_700_000_000_000_001))
    let run = try await alice.kith("jobs due -q")
    #expect(run.status == 69)
    let failed = try #require(try run.message("jobItemsFailed"))
    #expect(["job", "failed", "total"].map(failed.number) == [2, 1, 1])
    #expect(try await store.summary(of: JobID(number: 2)).counts[.failed] == 1)
    // It is not due again, so it is reported now.
    let again = try await alice.kith("jobs due")
    #expect(again.status == 0 && again.output == "")
  }

  @Test(arguments: ["undo 1 --yes", "retry-failed 1"])
  func theJournalIsUnchangedIfAnotherAccountIsNamed(command: String) async throws {
    let alice = try await SignedInRun()
    let store = try await halfDone(of: alice)
    let before = try await store.summaries(of: nil)
    #expect(try await alice.process("login bob.test --password-stdin", input: "pw-bob\n").status == 0)
    let run = try await alice.kith("jobs \(command) --account bob.test")
    #expect(run.status == 77)
    #expect(try run.message("jobOfAnotherAccount")?.number("job") == 1)
    #expect(try await store.summaries(of: nil) == before)
  }
}
