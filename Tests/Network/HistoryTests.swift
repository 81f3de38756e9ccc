// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import TestSupport
import Testing

/// Snapshots of real follows on servers that we did not write.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct HistoryTests {
  private struct Snapshot: Decodable {
    let side: String, state: String, extent: String?
    let counted: Int?, listed: Int, gained: Int, lost: Int, unconfirmed: Int
  }

  private struct Change: Decodable {
    let kind: String, cause: String?, handle: String?, did: String, record: String?
  }

  private func run(_ person: Person, _ line: String) async throws -> KithRun {
    let run = try await person.kith(line)
    #expect(run.status == 0, "\(line): \(run.talk)")
    return run
  }

  /// 5,000 followers; one of them follows, unfollows and follows again through its own PDS.
  @Test func threeSnapshotsShowWhoComesLeavesAndReturns() async throws {
    let network = try await LiveNetwork.populated().network
    let frank = try await Person.signedIn(as: "frank", to: network)
    defer { frank.end() }
    let (me, erin) = (try network.did("frank"), try network.did("erin"))
    func snapshot() async throws -> Snapshot {
      try #require(
        try await run(frank, "snapshot erin.test --side followers").rows(Snapshot.self).first)
    }
    let first = try await snapshot()
    #expect(first.listed == 5_000 && first.counted == 5_000 && first.extent == "full")

    _ = try await run(frank, "follow erin.test")
    _ = try await frank.edges(from: me, to: erin) { $0.following != nil }
    let second = try await snapshot()
    #expect(second.gained == 1 && second.lost == 0 && second.extent == "incremental")

    _ = try await run(frank, "unfollow erin.test --yes")
    _ = try await frank.edges(from: me, to: erin) { $0.following == nil }
    let third = try await snapshot()
    #expect(third.gained == 0 && third.lost == 1 && third.listed == 5_000 && third.unconfirmed == 0)

    let changes = try await run(frank, "history erin.test").rows(Change.self)
    #expect(changes.map(\.kind) == ["lost", "gained"] && changes.map(\.cause) == ["unfollowed", nil])
    #expect(changes.allSatisfy { $0.did == me.description && $0.handle == "frank.test" })

    _ = try await run(frank, "follow erin.test")
    _ = try await frank.edges(from: me, to: erin) { $0.following != nil }
    #expect(try await snapshot().gained == 1)
    let returned = try await run(frank, "history erin.test --kind returned").rows(Change.self)
    #expect(returned.map(\.handle) == ["frank.test"])
    _ = try await run(frank, "unfollow erin.test --yes")
  }

  /// The records of the own repository are complete at once, whatever an AppView knows.
  @Test func ownRecordsComeFromTheRepository() async throws {
    let heidi = try await Person.signedIn(as: "heidi", to: try await LiveNetwork.populated().network)
    defer { heidi.end() }
    _ = try await run(heidi, "follow synth640.test synth641.test")
    _ = try await run(heidi, "lists create Owls --purpose curate synth642.test")
    let first = try await run(heidi, "snapshot").rows(Snapshot.self)
    #expect(first.map(\.side) == ["followers", "follows", "blocks", "mutes", "members"])
    #expect(first.map(\.listed).dropFirst() == [2, 0, 0, 1])
    _ = try await run(heidi, "unfollow synth640.test --yes")
    _ = try await run(heidi, "block synth643.test --yes")
    _ = try await run(heidi, "lists remove Owls synth642.test --yes")
    _ = try await run(heidi, "snapshot --full")
    let changes = try await run(heidi, "history --names").rows(Change.self)
    #expect(
      Set(changes.map { "\($0.kind) \($0.cause ?? "-") \($0.handle ?? "-")" }) == [
        "lost unfollowed synth640.test", "gained - synth643.test", "lost removed synth642.test",
      ])
    #expect(changes.allSatisfy { $0.record != nil })
    _ = try await run(heidi, "lists delete Owls --yes")
  }

  /// An AppView that leaves accounts out of its pages, different ones each time, does not lose anyone (Q11).
  @Test func shortAndEmptyPagesLoseNoOne() async throws {
    let network = try await LiveNetwork.populated().network
    let dave = try await Person.signedIn(as: "dave", to: network)
    defer { dave.end() }
    let whole = try #require(
      try await run(dave, "snapshot erin.test --side followers").rows(Snapshot.self).first)
    let short = try #require(
      try await run(
        dave, "snapshot erin.test --side followers --full --appview \(network.appviewShortPages.url)"
      ).rows(Snapshot.self).first)
    #expect(whole.listed >= 5_000 && short.extent == "full")
    #expect(short.lost <= 1 && short.unconfirmed > 400, "frank may have come or gone meanwhile")
    #expect(short.listed + 1 >= whole.listed)
  }
}
