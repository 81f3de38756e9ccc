// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// This version opens histories of earlier versions and shows in them what those versions showed.
@Suite struct HistoryFixtureTests {
  /// The fixtures with a history.
  private static let all = StoredFixture.all.filter { $0.history != nil }

  @Test func fixturesExist() {
    #expect(Set(Self.all.map(\.testDescription)).isSuperset(of: ["28cdf73", "b2e9f75", "c58c4631"]))
  }

  @Test(arguments: all) func showsWhatTheVersionShowed(fixture: StoredFixture) async throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-history-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    let said = try copyHistory(of: fixture, to: home)
    let run = try await SandboxRun(accounts: 20)
    let folders = [
      "XDG_DATA_HOME": "\(home.path())/data", "XDG_STATE_HOME": "\(home.path())/state",
      "XDG_CACHE_HOME": "\(home.path())/cache",
    ]
    for (line, rows) in said {
      let shown = try await run.kith(line, environment: folders)
      #expect(shown.status == 0, "\(line): \(shown.talk)")
      let now = try shown.rows([String: DataValue].self)
      #expect(now.map(Self.kept) == rows.map(Self.kept), "\(line)")
      // Those versions knew snapshots and Bluesky's graph only.
      #expect(now.allSatisfy { ($0["graph"]?.string ?? "bluesky") == "bluesky" })
      #expect(now.allSatisfy { ($0["source"]?.string ?? "snapshot") == "snapshot" })
      #expect(!rows.isEmpty)
    }
    #expect(try await run.kith("db check", environment: folders).status == 0)
  }

  /// The fields that the history file holds: names are in a cache, and the counts of a segment are shown for
  /// the account that is signed in. Notes are sentences. Earlier versions do not say how a change was seen, and
  /// know one graph and no AppView.
  private static func kept(_ row: [String: DataValue]) -> [String: DataValue] {
    let left = [
      "handle", "displayName", "note", "error", "members", "countedAt", "membersBefore", "countedBefore",
      "source", "graph", "appview", "doubted",
    ]
    return row.filter { !left.contains($0.key) }
  }

  /// Copies the history into the folders of a user, and returns what the version printed, by command line.
  private func copyHistory(
    of fixture: StoredFixture, to home: URL
  ) throws -> [String: [[String: DataValue]]] {
    let data = home.appending(path: "data/kith")
    try FileManager.default.createDirectory(
      at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let history = try #require(fixture.history)
    try #require(
      FileManager.default.createFile(
        atPath: data.appending(path: "history.sqlite").path(), contents: try Data(contentsOf: history.file),
        attributes: [.posixPermissions: 0o600]))
    return try JSONDecoder().decode(
      [String: [[String: DataValue]]].self, from: Data(contentsOf: history.said))
  }
}
