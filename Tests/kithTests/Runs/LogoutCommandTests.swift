// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

/// Messages about jobs that wait for the session of a signed-out account.
@Suite struct LogoutCommandTests {
  /// Records a job of Alice's without running it.
  private func addJob(of alice: SignedInRun, until: Datetime? = nil) async throws -> SQLiteJobStore {
    let handle = try #require(Handle("alice.test"))
    let did = try #require(alice.run.sandbox.network.account(handle)).did
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    let draft = JobDraft(account: did, title: "follow", until: until)
    _ = try await JobManager(journal: store).add(draft, ChangeSamples.drafts(1..<3))
    return store
  }

  @Test func signingOutReportsTimedChangesAndUnfinishedJobs() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("block niaj.test --for 7d").status == 0)
    _ = try await addJob(of: alice)
    let run = try await alice.kith("logout")
    #expect(run.status == 0, "\(run.talk)")
    let message = try #require(try run.message("unfinishedWork"))
    #expect(message.level == "warning" && message.text("handle") == "alice.test")
    #expect(message["timed"] == [1] && message["open"] == [2])
  }

  @Test func signingOutReportsNothingIfAllIsDone() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("block niaj.test --for 7d").status == 0)
    #expect(try await alice.kith("jobs undo 1").status == 0)
    let store = try await addJob(of: alice)
    _ = try await store.cancel(JobID(number: 3), at: 1_800_000_000_000_000)
    let run = try await alice.kith("logout")
    #expect(run.status == 0)
    #expect(try !run.codes.contains("unfinishedWork"))
  }

  @Test func signingOutCreatesNoJournal() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("logout")
    #expect(run.status == 0)
    #expect(try !run.codes.contains("unfinishedWorkUnknown"))
    #expect(!FileManager.default.fileExists(atPath: alice.dataFolder))
  }

  @Test func anUnreadableJournalDoesNotPreventSigningOut() async throws {
    let alice = try await SignedInRun()
    try FileManager.default.createDirectory(atPath: alice.dataFolder, withIntermediateDirectories: true)
    try Data("no database".utf8).write(to: URL(filePath: alice.dataFolder + "/kith.sqlite"))
    for path in [alice.dataFolder, alice.dataFolder + "/kith.sqlite"] {
      let mode = path.hasSuffix("sqlite") ? 0o600 : 0o700
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    let run = try await alice.kith("logout")
    #expect(run.status == 0, "\(run.talk)")
    #expect(try run.message("unfinishedWorkUnknown")?["cause"]?["code"] == "store.corrupt")
    #expect(try run.codes.contains("signedOut"))
  }
}
