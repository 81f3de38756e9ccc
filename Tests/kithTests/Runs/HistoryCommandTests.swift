// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Snapshots and their changes from the command line. `TakeSnapshotsTests` compare them with what the network says.
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
    let user = try InProcessUser()
    for (directory, isPlain) in [
      ("http://plc.test", true), ("http://127.0.0.1:2582", false),
    ] {
      let words = ["snapshot", "\(try user.did("alice"))", "--side", "follows", "--plc", directory]
      let ending = try await user.kith(words)
      let message = try KithMessage.all(in: ending.talk).first { $0.code == "plainDirectory" }
      #expect(
        ending.status == .success && message?.text("directory") == (isPlain ? directory : nil))
    }
  }

  @Test func printsTheEvidence() async throws {
    let user = try InProcessUser(accounts: 1_000, days: 1)
    try await rows(user, "snapshot alice.test")
    let events = try await user.network.passDay()
    let gone = try #require(events.first { $0.kind == .deleted }?.account)
    let stays = try #require(events.first { $0.kind == .followed }?.account)
    try await rows(user, "snapshot alice.test --side followers")
    // Its last handle is cached here, although no server knows it any more.
    let named = try await rows(user, "history alice.test --cause deleted")
    let handle = try #require(named.first.flatMap { text($0, "handle") })
    let lost = try await rows(user, "history alice.test --side followers --kind lost --since 2h")
    #expect(lost.contains { text($0, "did") == "\(gone)" && text($0, "cause") == "deleted" })
    #expect(lost.allSatisfy { text($0, "kind") == "lost" && text($0, "side") == "followers" })
    #expect(try await rows(user, "history alice.test --side follows").isEmpty)
    let snapshots = try await rows(user, "history alice.test --snapshots --side followers")
    #expect(snapshots.map { text($0, "state") } == ["complete", "complete"])
    let answers = try await rows(user, "history alice.test --why \(handle)")
    #expect(answers.allSatisfy { text($0, "did") == "\(gone)" })
    #expect(
      answers.map { "\(text($0, "asked") ?? "") \(text($0, "answer") ?? "")" } == [
        "app.bsky.graph.getRelationships no-follow", "app.bsky.actor.getProfile not-found",
        "DID document deleted",
      ])
    let present = try await user.kith(["history", "alice.test", "--why", "\(stays)"])
    #expect(
      present.rows.map { text($0, "kind") } == ["gained"]
        && present.talk.contains("\"code\":\"present\""))
    let nobody = try await user.kith(["history", "alice.test", "--why", "niaj.test"])
    #expect(nobody.rows.isEmpty && nobody.talk.contains("\"code\":\"neverSeen\""))
  }

  /// Follows, blocks and lists are public; only mutes need the session.
  @Test func anEndedSessionStopsOnlyTheSnapshotOfMutes() async throws {
    let user = try InProcessUser()
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    try await user.network.clock.sleep(for: .seconds(400 * 86_400))
    let ending = try await user.kith(["snapshot", "alice.test"])
    let states = ending.rows.map {
      "\($0["side"] ?? "") \($0["state"] ?? "")".replacing("\"", with: "")
    }
    #expect(
      states == ["followers complete", "follows complete", "blocks complete", "mutes failed"])
    #expect(ending.talk.split(separator: "\n").count { $0.contains("ExpiredToken") } == 1)
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
    #expect(
      watched.allSatisfy { text($0, "snapshotAt") != nil && text($0, "handle") == "bob.test" })
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
    // Accounts that an own block hides are not known to have left.
    let gone = left.filter { text($0, "kind") != "gained" }
    #expect(left.count < before && gone.allSatisfy { text($0, "kind") == "lost" })
    #expect(gone.allSatisfy { text($0, "cause") == "blocking" })
    // A damaged file is reported, and a backup replaces it.
    let history = user.home.appending(path: "data/kith/history.sqlite")
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: history.path() + suffix)
    }
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
}
