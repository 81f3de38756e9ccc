// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Changes at a PDS whose answers do not name what was sent.
@Suite struct AcknowledgementCommandTests {
  private struct JobRow: Decodable {
    let state: String
  }

  private func alice(_ acknowledgement: SandboxAcknowledgement) async throws -> SignedInRun {
    try await SignedInRun(writing: SandboxWriting(acknowledgement: acknowledgement))
  }

  private func follows(_ alice: SignedInRun, of name: String) throws -> Int {
    let account = try #require(alice.run.sandbox.network.account(try Handle(parsing: "\(name).test")))
    return try alice.follows().count { $0 == account.did.description }
  }

  private func calls(_ run: KithRun, of method: String) throws -> Int64 { try run.calls(of: method) ?? 0 }

  /// The answer leaves the change in doubt; the records themselves say that it was made.
  @Test func aCommitWithoutResultsIsSettledByReading() async throws {
    let alice = try await alice(.missing)
    let run = try await alice.kith("follow niaj.test dave.test -v")
    #expect(run.status == 0, "\(run.talk)")
    #expect(try run.changes().map(\.state) == ["done", "done"])
    #expect(try calls(run, of: "com.atproto.repo.applyWrites") == 1)
    #expect(try follows(alice, of: "niaj") == 1 && follows(alice, of: "dave") == 1)
    #expect(try await alice.kith("jobs --all").rows(JobRow.self).map(\.state) == ["done"])
    let again = try await alice.kith("follow niaj.test dave.test -v")
    #expect(try again.changes().map(\.state) == ["unchanged", "unchanged"])
    #expect(try !again.hasCalled("com.atproto.repo.applyWrites"))
    #expect(try follows(alice, of: "niaj") == 1 && follows(alice, of: "dave") == 1)
    // The keys are known, so the undo deletes these records and no others.
    let before = try alice.follows().count
    #expect(try await alice.kith("jobs undo 1 --yes").status == 0)
    #expect(try follows(alice, of: "niaj") == 0 && follows(alice, of: "dave") == 0)
    #expect(try alice.follows().count == before - 2)
  }

  @Test func aDeletionWithoutResultsIsSettledByReading() async throws {
    let alice = try await alice(.missing)
    let run = try await alice.kith("unfollow bob.test --yes")
    #expect(run.status == 0, "\(run.talk)")
    #expect(try run.changes().map(\.state) == ["done"])
    #expect(try follows(alice, of: "bob") == 0)
  }

  /// A success that wrote nothing is not `done`, and a later PDS that writes finishes the job once.
  @Test(arguments: [SandboxAcknowledgement.nothingWritten, .nothingWrittenNoResults])
  func aSuccessThatWroteNothingIsNotDone(acknowledgement: SandboxAcknowledgement) async throws {
    let alice = try await alice(acknowledgement)
    let before = try alice.follows()
    let run = try await alice.kith("follow niaj.test dave.test")
    #expect(run.status != 0)
    #expect(try !run.changes().contains { $0.state == "done" })
    #expect(try alice.follows() == before)
    #expect(try await alice.kith("jobs --all").rows(JobRow.self).allSatisfy { $0.state != "done" })
    let again = try await alice.kith("follow niaj.test dave.test")
    #expect(try !again.changes().contains { ["done", "unchanged"].contains($0.state) })
    #expect(try await alice.kith("check me niaj.test --is following -q").status == 1)
  }

  private struct ChangedRow: Decodable {
    let state: String
    let subject: String?
  }

  private func records(_ alice: SignedInRun, _ collection: String) throws -> [String] {
    let account = try #require(alice.run.sandbox.network.account(try Handle(parsing: "alice.test"))).did
    return alice.run.sandbox.records(of: account, in: try NSID(parsing: collection)).map {
      "at://\(account)/\(collection)/\($0.key)"
    }
  }

  /// What needs its keys leaves nothing behind, and is refused from then on; everything else goes on.
  @Test func aServerThatChoosesKeysIsToldApart() async throws {
    let alice = try await SignedInRun(writing: SandboxWriting(choosesKeys: true))
    func states(_ words: String...) async throws -> [String] {
      try await alice.kith(words).rows(ChangedRow.self).map(\.state)
    }
    let list = try await alice.kith("lists create Alone --purpose curate").rows(ChangedRow.self)
    #expect(try records(alice, "app.bsky.graph.list").contains(list.first?.subject ?? ""))
    // The list was made under another key, so the server is known already.
    #expect(try await states("post", "hello", "--replies", "none", "--yes") == ["refused"])
    #expect(
      try await states("lists", "create", "Two", "--purpose", "curate", "bob.test") == ["refused", "refused"])
    #expect(try records(alice, "app.bsky.feed.post").isEmpty)
    let post = try await alice.kith(["post", "hello", "--yes"]).rows(ChangedRow.self)
    #expect(post.map(\.state) == ["done"])
    #expect(try post.map(\.subject) == records(alice, "app.bsky.feed.post"))
    #expect(try await alice.kith("undo --yes").status == 0)
    #expect(try records(alice, "app.bsky.feed.post").isEmpty)
    let other = try await SignedInRun(writing: SandboxWriting(choosesKeys: true))
    let first = try await other.kith(["post", "hello", "--replies", "none", "--yes"])
    #expect(first.status != 0)
    #expect(try first.changes().map(\.state) == ["failed"])
    #expect(try records(other, "app.bsky.feed.post").isEmpty)
    #expect(try records(other, "app.bsky.feed.threadgate").isEmpty)
  }
}
