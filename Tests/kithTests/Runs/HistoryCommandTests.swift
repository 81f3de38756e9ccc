// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Snapshots and their changes, from the command line to a sandbox with simulated days.
@Suite struct HistoryCommandTests {
  private typealias Row = [String: String]

  /// The text of a field; nil for null.
  private func text(_ row: Row, _ field: String) -> String? {
    row[field].flatMap { $0 == "null" ? nil : $0.trimmingCharacters(in: ["\""]) }
  }

  @discardableResult
  private func rows(_ user: InProcessUser, _ line: String) async throws -> [Row] {
    let ending = try await user.kith(line.split(separator: " ").map(String.init))
    #expect(ending.status == .success, "\(line): \(ending.talk)")
    return ending.rows
  }

  @Test func warnsThatOthersOnTheNetworkCanChangeTheCauses() async throws {
    let alice = try await SignedInRun()
    let plain = try await alice.kith("snapshot --side follows --plc http://plc.example.com")
    #expect(try plain.message("plainDirectory")?.text("directory") == "http://plc.example.com")
    let local = try await alice.kith("snapshot --side follows")
    #expect(local.status == 0)
    #expect(try local.message("plainDirectory") == nil)
  }

  /// Each day, alice loses followers for another reason, and bob loses some through a third party's block.
  @Test func findsEachCauseInTheSandbox() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 7)
    try await rows(user, "snapshot alice.test bob.test")
    let (alice, bob) = (try user.did("alice"), try user.did("bob"))
    var truth: Set<String> = []
    for _ in 1...7 {
      let events = try #require(user.network.live.passDay())
      for event in events {
        let cause: String? =
          switch event.kind {
          case .unfollowed: "unfollowed"
          case .deleted: "deleted"
          case .deactivated: "deactivated"
          case .suspended, .takenDown: "suspended"
          case .blocked: event.account == alice || event.account == bob ? "blocking" : "blocked-by"
          case .followed, .reactivated, .renamed: nil
          }
        guard let cause else { continue }
        // For a block by alice or bob, the lost account is the subject; otherwise it is the author.
        let isTheirs = event.account == alice || event.account == bob
        let (actor, other) =
          isTheirs ? (event.account, event.subject) : (event.subject ?? alice, event.account)
        truth.insert("\(actor) \(other.map { "\($0)" } ?? "") \(cause)")
      }
      try await user.network.clock.sleep(for: .seconds(86_400))
      try await rows(user, "snapshot alice.test bob.test --full")
    }
    var found: Set<String> = []
    for actor in ["alice.test", "bob.test"] {
      for row in try await rows(user, "history \(actor) --side followers --kind lost") {
        let words = ["actor", "did", "cause"].compactMap { text(row, $0) }
        found.insert(words.joined(separator: " "))
      }
    }
    // A deleted account may have followed both.
    #expect(found.isSuperset(of: truth), "\(truth.subtracting(found))")
    #expect(
      found.subtracting(truth).allSatisfy { line in
        let parts = line.split(separator: " ")
        return truth.contains { $0.hasSuffix("\(parts[1]) \(parts[2])") }
      })
    let kinds = try await rows(user, "history alice.test --side followers --kind returned")
    #expect(kinds.count == 1)
    // A changed handle is not a loss.
    let causes = Set(
      try await rows(user, "history alice.test --kind lost --side followers").map { $0["cause"] })
    #expect(!causes.contains("\"unknown\"") && causes.count == 6)
  }

  @Test func recordsEverySideOfTheOwnAccount() async throws {
    let user = try InProcessUser()
    try await rows(user, "login alice.test")
    let first = try await rows(user, "snapshot")
    #expect(first.map { text($0, "side") } == ["followers", "follows", "blocks", "mutes"])
    try await rows(user, "lists create Birds --purpose curate")
    try await rows(user, "lists add Birds bob.test carol.test --yes")
    try await rows(user, "mute carol.test --yes")
    try await rows(user, "unfollow bob.test --yes")
    try await rows(user, "block dave.test --yes")
    try await user.network.clock.sleep(for: .seconds(60))
    let second = try await rows(user, "snapshot --full")
    #expect(second.map { text($0, "side") } == ["followers", "follows", "blocks", "mutes", "members"])
    let changes = try await rows(user, "history").map { row in
      ["side", "kind", "cause", "handle"].map { text(row, $0) ?? "-" }.joined(separator: " ")
    }
    #expect(
      Set(changes) == [
        "followers lost blocking dave.test", "follows lost unfollowed bob.test", "blocks gained - dave.test",
        "mutes gained - carol.test",
      ])
    try await rows(user, "lists remove Birds bob.test --yes")
    try await rows(user, "unmute carol.test --yes")
    try await user.network.clock.sleep(for: .seconds(60))
    try await rows(user, "snapshot")
    let later = try await rows(user, "history --since 30s").map { row in
      ["side", "kind", "cause", "handle"].map { text(row, $0) ?? "-" }.joined(separator: " ")
    }
    #expect(Set(later) == ["members lost removed bob.test", "mutes lost removed carol.test"])
  }

  @Test func printsTheEvidence() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 1)
    try await rows(user, "snapshot alice.test")
    let events = try #require(user.network.live.passDay())
    let gone = try #require(events.first { $0.kind == .deleted }?.account)
    let stays = try #require(events.first { $0.kind == .followed }?.account)
    try await rows(user, "snapshot alice.test")
    // Its last handle is cached here, although no server knows it any more.
    let named = try await rows(user, "history alice.test --cause deleted")
    let handle = try #require(named.first.flatMap { text($0, "handle") })
    let answers = try await rows(user, "history alice.test --why \(handle)")
    #expect(answers.allSatisfy { text($0, "did") == "\(gone)" })
    #expect(
      answers.map { "\(text($0, "asked") ?? "") \(text($0, "answer") ?? "")" } == [
        "app.bsky.graph.getRelationships no-follow", "app.bsky.actor.getProfile not-found",
        "DID document deleted",
      ])
    let present = try await user.kith(["history", "alice.test", "--why", "\(stays)"])
    #expect(
      present.rows.map { text($0, "kind") } == ["gained"] && present.talk.contains("\"code\":\"present\""))
    let nobody = try await user.kith(["history", "alice.test", "--why", "niaj.test"])
    #expect(nobody.rows.isEmpty && nobody.talk.contains("\"code\":\"neverSeen\""))
  }

  /// Follows, blocks and lists are public; only mutes need the session.
  @Test func anEndedSessionStopsOnlyTheSnapshotOfMutes() async throws {
    let user = try InProcessUser()
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    try await user.network.clock.sleep(for: .seconds(400 * 86_400))
    let ending = try await user.kith(["snapshot", "alice.test"])
    let states = ending.rows.map { "\($0["side"] ?? "") \($0["state"] ?? "")".replacing("\"", with: "") }
    #expect(states == ["followers complete", "follows complete", "blocks complete", "mutes failed"])
    #expect(ending.talk.split(separator: "\n").count { $0.contains("ExpiredToken") } == 1)
  }

  @Test(arguments: [Fault.serverError, .appViewDown, .pdsDown, .plcDown])
  func serverFailuresCauseNoLosses(fault: Fault) async throws {
    let user = try InProcessUser(accounts: 1_000, days: 3)
    try await rows(user, "login alice.test")
    try await rows(user, "snapshot")
    user.network.begin(fault)
    let during = try await user.kith(["snapshot", "\(try user.did("alice"))", "--full"])
    // The account's own server is known without the directory.
    #expect((during.status == .success) == (fault == .plcDown))
    user.network.begin(.none)
    #expect(try await rows(user, "history").isEmpty)
    // After recovery, it finds the changes.
    let events = try #require(user.network.live.passDay())
    try await rows(user, "snapshot --full")
    let lost = try await rows(user, "history --kind lost --side followers")
    #expect(lost.count == events.count { [.unfollowed, .deleted].contains($0.kind) })
    let states = try await rows(user, "history --snapshots").map { text($0, "state") }
    #expect(states.contains("failed") == (fault != .plcDown))
  }

  @Test func watchesActors() async throws {
    let user = try InProcessUser()
    #expect(try await user.kith(["snapshot", "--watched"]).status == .notFound)
    try await rows(user, "watch add alice.test bob.test")
    try await rows(user, "watch add bob.test")
    try await rows(user, "watch remove alice.test")
    let taken = try await rows(user, "snapshot --watched")
    #expect(taken.map { text($0, "handle") } == ["bob.test", "bob.test"])
    let watched = try await rows(user, "watch")
    #expect(watched.map { text($0, "did") } == ["\(try user.did("bob"))"])
    #expect(watched.allSatisfy { text($0, "snapshotAt") != nil && text($0, "handle") == "bob.test" })
  }

  @Test func reportsMissingData() async throws {
    let user = try InProcessUser()
    for line in ["history alice.test", "db prune", "db forget alice.test", "snapshot --watched"] {
      let ending = try await user.kith(line.split(separator: " ").map(String.init))
      #expect(ending.status == .notFound, "\(line)")
    }
    try await rows(user, "snapshot bob.test")
    let none = try await user.kith(["history", "alice.test"])
    #expect(none.status == .notFound && none.talk.contains("\"code\":\"history.noSnapshot\""))
    let foreign = try await user.kith(["snapshot", "bob.test", "--side", "mutes"])
    #expect(foreign.status == .notAllowed)
    let unknown = try await user.kith(["snapshot", "nobody.test"])
    #expect(unknown.status == .notFound)
    let wrong = try await user.kith(["history", "--since", "soon"])
    #expect(wrong.status == .usage)
  }

  @Test func maintainsItsFiles() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 9)
    #expect(try await rows(user, "db").isEmpty)
    try await rows(user, "login alice.test")
    try await rows(user, "follow dave.test --yes")
    try await rows(user, "snapshot")
    for _ in 1...9 { user.network.live.passDay() }
    try await user.network.clock.sleep(for: .seconds(86_400))
    try await rows(user, "snapshot --full")
    let files = try await rows(user, "db check")
    #expect(files.map { text($0, "file") } == ["journal", "history"])
    #expect(files.allSatisfy { text($0, "problem") == nil })
    let target = user.home.appending(path: "copies")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try await rows(user, "db backup \(target.path())")
    #expect(try await user.kith(["db", "backup", target.path()]).status == .fileTrouble)
    let before = try await rows(user, "history").count
    #expect(before > 20)
    try await user.network.clock.sleep(for: .seconds(86_400))
    // Deleting needs a confirmation, and there is no terminal.
    #expect(try await user.kith(["db", "prune", "--older-than", "1h"]).status == .usage)
    #expect(try await rows(user, "history").count == before)
    try await rows(user, "db prune --older-than 1h --yes")
    try await rows(user, "db vacuum")
    let left = try await rows(user, "history")
    #expect(left.count < before && left.allSatisfy { text($0, "kind") == "gained" })
    // A damaged file is reported, and a backup replaces it.
    let history = user.home.appending(path: "data/kith/history.sqlite")
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: history.path() + suffix) }
    try Data(repeating: 0xA5, count: 70_000).write(to: history)
    let damaged = try await user.kith(["db", "check"])
    #expect(damaged.status == .fileTrouble)
    #expect(damaged.rows.contains { text($0, "file") == "history" && text($0, "problem") != nil })
    try FileManager.default.removeItem(at: history)
    try FileManager.default.copyItem(at: target.appending(path: "history.sqlite"), to: history)
    #expect(try await rows(user, "history").count == before)
    #expect(try await user.kith(["db", "forget", "alice.test"]).status == .usage)
    try await rows(user, "db forget alice.test --yes")
    #expect(try await user.kith(["history"]).status == .notFound)
  }

  /// The plan of a first snapshot is exact.
  @Test func explainsTheCostOfASnapshot() async throws {
    let user = try InProcessUser()
    let alice = try user.did("alice")
    let plan = try await rows(user, "snapshot \(alice) --explain")
    let total = try #require(
      plan.last { text($0, "step") == "total" }.flatMap { text($0, "calls") }.flatMap(Int.init))
    user.network.begin(.none)
    try await rows(user, "snapshot \(alice)")
    #expect(
      (total - 4...total).contains(user.network.requests), "\(total) planned, \(user.network.requests) made")
  }
}
