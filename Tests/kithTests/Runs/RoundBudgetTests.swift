// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// How many rounds of calls commands take, by the table in `docs/BENCHMARKS.md`: each call takes 100 ms, and calls at the
/// same time count once. A change is measured until its write is acknowledged, anything else until its last answer.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
struct RoundBudgetTests {
  /// A command, with what an earlier one has left in the caches.
  private struct Case {
    /// Its name in the table.
    let name: String
    var before: [String] = []
    let line: String
  }

  private static let mute = "mute niaj.test"
  private static let cases = [
    Case(name: "block", before: ["block judy.test", "follow niaj.test"], line: "block niaj.test"),
    Case(name: "unblock", line: "unblock niaj.test"),
    Case(name: "follow", line: "follow niaj.test"),
    Case(name: "unfollow", line: "unfollow niaj.test"),
    Case(name: "mute", line: "mute niaj.test"),
    Case(name: "unmute", line: "unmute niaj.test"),
    Case(name: "follow, account never seen", line: "follow {stranger}"),
    Case(name: "like", line: "like {post}"),
    Case(name: "like, there already", before: ["like {post}"], line: "like {post}"),
    Case(name: "check, 30 handles, for me", line: "check me {others}"),
    Case(name: "check, 30 handles, for another account", line: "check bob.test {others}"),
    Case(name: "people search", line: "people search bob"),
    Case(name: "people search --counts", line: "people search bob --counts"),
    Case(name: "feed", line: "feed --limit 20"),
    Case(name: "feed --of", line: "feed --of bob.test --limit 20"),
  ]

  /// The budgets by name, as the table says.
  private func budgets() throws -> [String: Int] {
    let page = try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/BENCHMARKS.md").standardized,
      encoding: .utf8)
    let table = try #require(page.components(separatedBy: "\n## Rounds\n").dropFirst().first)
      .components(separatedBy: "\n## ")[0]
    var budgets: [String: Int] = [:]
    for row in table.split(separator: "\n") where row.hasPrefix("| ") {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.count == 2, let rounds = Int(cells[1]) { budgets[cells[0]] = rounds }
    }
    return budgets
  }

  @Test(arguments: [false, true])
  func commandsTakeNoMoreRoundsThanTheTableSays(hasManyRecords: Bool) async throws {
    let scene = try await Scene(accounts: 1_100)
    if hasManyRecords {
      try scene.write("sh.tangled.graph.follow", 900)
      try scene.write("app.bsky.graph.follow", 1_000)
      try scene.write("org.kith.temp.graph.friendRequest", 40)
      try scene.mute(1_000)
    }
    let budgets = try budgets()
    for item in Self.cases {
      for line in item.before { _ = try await scene.rounds(of: line) }
      let rounds = try await scene.rounds(of: item.line)
      let most = try #require(budgets[item.name], "docs/BENCHMARKS.md has no row for \(item.name)")
      #expect(rounds <= most, "\(item.name)")
    }
    let others = Set(budgets.keys).subtracting(Self.cases.map(\.name))
    #expect(others.allSatisfy { $0.hasPrefix("first change") }, "\(others)")
  }

  @Test(arguments: [(100, "100"), (10_000, "10,000")])
  func theFirstChangeAfterAnotherAppsReadsAtOnce(records: Int, inTable number: String) async throws {
    let scene = try await Scene(accounts: 200)
    try scene.write("app.bsky.graph.follow", records, replacing: true)
    _ = try await scene.rounds(of: "block judy.test")
    let warm = try await scene.rounds(of: "block niaj.test")
    try scene.write("app.bsky.feed.post", 1)
    let cold = try await scene.rounds(of: "block {stranger}")
    let name = "first change after another app's, \(number) records: more"
    let most = try #require(try budgets()[name], "docs/BENCHMARKS.md has no row for \(name)")
    #expect(cold - warm <= most)
    // The commit has shown that what was read still holds.
    #expect(try await scene.rounds(of: "unblock {stranger}") <= warm)
  }

  @Test func aBlockNamesWhatStaysAndWhatWasNotLookedAt() async throws {
    let scene = try await Scene(accounts: 200)
    func notes(_ line: String) async throws -> [String] {
      let row = try #require(try await scene.run(line).rows.first)
      #expect(row["state"]?.contains("done") == true)
      return try JSONDecoder().decode([String].self, from: Data((row["notes"] ?? "[]").utf8))
    }
    // Grace follows back, and is followed on Grain and Weaver.
    let whole = try await notes("block grace.test")
    #expect(whole.count == 2 && whole.contains { $0.contains("grain") && $0.contains("weaver") }, "\(whole)")
    try scene.write("sh.tangled.graph.follow", 150)
    let part = try await notes("block {stranger}")
    #expect(part.contains { $0.contains("tangled") && !$0.contains("grain") }, "\(part)")
  }
}

/// A signed-in user whose calls take 100 ms each.
private final class Scene: HTTPTransport {
  static let length = Duration.milliseconds(100)

  private let time = SimulatedTime()
  private let user: InProcessUser
  private let others: String
  private let stranger: String
  private let post: String
  /// The time of the last answer, and of the first one to a write.
  private let answered = PosixMutex<(last: Duration, write: Duration?)>((.zero, nil))

  var capabilities: TransportCapabilities { user.network.capabilities }

  init(accounts: Int) async throws {
    user = try InProcessUser(accounts: accounts, clock: time.clock)
    let handles = user.network.live.network.accounts.filter { $0.status == .active }.map(\.handle.description)
    others = handles[20..<50].joined(separator: " ")
    stranger = handles[55]
    post = try user.post(of: "bob")
    _ = try await run("login alice.test")
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await time.clock.sleep(for: Self.length)
    let answer = try await user.network.send(request)
    let path = request.head.path ?? ""
    let isWrite = ["applyWrites", "muteActor", "unmuteActor"].contains { path.hasSuffix($0) }
    answered.withLock { answered in
      answered.last = time.clock.now.offset
      if isWrite, answer.head.status.code == 200, answered.write == nil { answered.write = answered.last }
    }
    return answer
  }

  func run(_ line: String) async throws -> InProcessUser.Ending {
    let words = line.replacing("{others}", with: others).replacing("{post}", with: post)
      .replacing("{stranger}", with: stranger)
      .split(separator: " ").map(String.init)
    let changes = ["block", "unblock", "unfollow", "unmute"].contains(words[0])
    let ending = try await user.kith(words + (changes ? ["--yes"] : []), over: self)
    #expect(ending.status == .success, "\(line): \(ending.talk)")
    return ending
  }

  /// How many rounds a command takes.
  func rounds(of line: String) async throws -> Int {
    let start = time.clock.now.offset
    answered.withLock { $0 = (start, nil) }
    _ = try await run(line)
    let took = answered.withLock { $0.write ?? $0.last } - start
    return Int((took / Self.length).rounded(.up))
  }

  // MARK: Records

  /// Writes this many records of Alice, each an hour older than the one before, as another app.
  func write(_ collection: String, _ count: Int, replacing isReplaced: Bool = false) throws {
    let (alice, nsid) = try (user.did("alice"), NSID(parsing: collection))
    if isReplaced {
      let old = user.network.live.records(of: alice, in: nsid)
      let none = Dictionary(old.map { ($0.key, DataValue?.none) }) { first, _ in first }
      guard user.network.live.setRecords(none, in: nsid, of: alice) else {
        throw CocoaError(.coderInvalidValue)
      }
    }
    var records: [RecordKey: DataValue?] = [:]
    for number in 0..<count {
      let subject = "did:plc:\(String(repeating: "2", count: 20))\(Self.letters(number))"
      let moment = Instant(1_700_000_000_000_000 - Int64(number) * 3_600_000_000)
      let key = collection.hasSuffix("friendRequest") ? subject : TID(at: moment, clockID: 3).description
      records[try RecordKey(parsing: key)] = [
        "$type": .string(collection), "subject": .string(subject), "createdAt": "2026-01-01T00:00:00.000Z",
      ]
    }
    guard user.network.live.setRecords(records, in: nsid, of: alice) else {
      throw CocoaError(.coderInvalidValue)
    }
  }

  private static func letters(_ number: Int) -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String((0..<4).map { alphabet[(number >> (5 * $0)) & 31] })
  }

  func mute(_ count: Int) throws {
    let alice = try user.number("alice")
    user.network.live.state { state in
      for account in 60..<(60 + count) {
        state.mutes.mute(account, Mutes.Scope(onlyReposts: false, onlyQuoteposts: false), by: alice)
      }
    }
  }
}
