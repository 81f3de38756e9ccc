// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

/// Commands against PDSes with different behaviour (table of PDSes), and against one that loses its
/// responses: in the end, each subject has exactly the expected records.
@Suite struct MannersCommandTests {
  /// The behaviour of a PDS.
  struct Manners: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var writing = SandboxWriting()
    var faults = SandboxFaults()

    private static let applyWrites = Set([NSID("com.atproto.repo.applyWrites")].compactMap(\.self))

    static let common = [
      Manners(testDescription: "lenient", writing: .init(dialect: .lenient)),
      Manners(testDescription: "arroba", writing: .init(dialect: .arroba)),
      Manners(
        testDescription: "every answer lost", faults: .init(rate: 1, kinds: [.lost], methods: applyWrites)),
    ]
    static let rare = [
      Manners(testDescription: "at most 10 writes", writing: .init(mostWrites: 10)),
      Manners(
        testDescription: "lenient, answers lost", writing: .init(dialect: .lenient, mostWrites: 30),
        faults: .init(rate: 0.4, kinds: [.lost, .reset, .badGateway], methods: applyWrites)),
    ]
  }

  /// Alice, signed in, and her data.
  private struct Stage {
    let alice: SignedInRun
    let did: DID

    init(_ manners: Manners) async throws {
      alice = try await SignedInRun(writing: manners.writing, faults: manners.faults)
      did = try #require(alice.run.sandbox.network.accounts.first).did
    }

    /// The subjects of her records, one per record, by key.
    func subjects(_ collection: String) throws -> [String] {
      let collection = try #require(NSID("app.bsky.graph.\(collection)"))
      return alice.run.sandbox.records(of: did, in: collection).compactMap { $0.value["subject"]?.string }
    }

    /// Runs a command and checks that it succeeds.
    @discardableResult
    func kith(_ line: String, input: String = "") async throws -> [KithRun.Change] {
      let run = try await alice.kith(line, input: input)
      #expect(run.status == 0, "\(line): \(run.talk)")
      return try run.changes()
    }
  }

  /// Accounts that alice does not follow.
  private func strangers(_ stage: Stage, _ count: Int) throws -> [String] {
    let followed = Set(try stage.subjects("follow"))
    let dids = stage.alice.run.sandbox.network.accounts.dropFirst(20).map(\.did.description)
    return Array(dids.filter { !followed.contains($0) }.prefix(count))
  }

  @Test(arguments: Manners.common)
  func fiftyFollowsAreCreatedOnceAndUndone(_ manners: Manners) async throws {
    let stage = try await Stage(manners)
    let before = try stage.subjects("follow")
    let names = try strangers(stage, 50)
    let rows = try await stage.kith("follow -", input: names.joined(separator: "\n"))
    #expect(rows.map(\.state) == Array(repeating: "done", count: 50))
    #expect(try stage.subjects("follow").sorted() == (before + names).sorted())
    let undone = try await stage.alice.kith("jobs undo 1 --yes")
    #expect(undone.status == 0, "\(undone.talk)")
    #expect(try stage.subjects("follow").sorted() == before.sorted())
    #expect(stage.alice.run.sandbox.statistics.faults.isEmpty == (manners.faults.rate == 0))
  }

  @Test(arguments: Manners.common)
  func blocksDeleteFollowsIncludingDuplicates(_ manners: Manners) async throws {
    let stage = try await Stage(manners)
    let before = try stage.subjects("follow")
    let (bob, carol) = (try #require(before.first), try #require(before.last))
    let blocked = try stage.subjects("block")
    try await duplicate(bob, stage)
    try await duplicate(carol, stage)

    try await stage.kith("block \(bob)")
    #expect(try stage.subjects("block").sorted() == (blocked + [bob]).sorted())
    #expect(try !stage.subjects("follow").contains(bob))
    try await stage.kith("unfollow \(carol)")
    #expect(try stage.subjects("follow").sorted() == before.filter { $0 != bob && $0 != carol }.sorted())
    let undone = try await stage.alice.kith("jobs undo 1")
    #expect(undone.status == 0, "\(undone.talk)")
    #expect(try stage.subjects("block") == blocked)
    #expect(try stage.subjects("follow").count { $0 == bob } == 2)
  }

  /// Writes a second follow record of the same subject, as a bug or another app would (Q16).
  private func duplicate(_ subject: String, _ stage: Stage) async throws {
    let key = TID(at: 1_700_000_000_000_000, clockID: UInt16(subject.utf8.last ?? 0))
    let body = """
      {"repo": "\(stage.did)", "writes": [{"$type": "com.atproto.repo.applyWrites#create", \
      "collection": "app.bsky.graph.follow", "rkey": "\(key)", "value": {"$type": "app.bsky.graph.follow", \
      "subject": "\(subject)", "createdAt": "2026-01-01T00:00:00.000Z"}}]}
      """
    let line = "xrpc procedure com.atproto.repo.applyWrites --account alice.test --input -"
    // Its response may be lost as well; only the records show the outcome.
    for _ in 0..<20 where try stage.subjects("follow").count(where: { $0 == subject }) < 2 {
      _ = try await stage.alice.kith(line, input: body)
    }
    try #require(try stage.subjects("follow").count { $0 == subject } == 2)
  }
}

/// The same against rarer PDSes.
@Suite struct MannersLongTests {
  @Test(arguments: MannersCommandTests.Manners.rare)
  func fiftyFollowsAreCreatedOnceAndUndone(_ manners: MannersCommandTests.Manners) async throws {
    try await MannersCommandTests().fiftyFollowsAreCreatedOnceAndUndone(manners)
  }

  @Test(arguments: MannersCommandTests.Manners.rare)
  func blocksDeleteFollowsIncludingDuplicates(_ manners: MannersCommandTests.Manners) async throws {
    try await MannersCommandTests().blocksDeleteFollowsIncludingDuplicates(manners)
  }
}
