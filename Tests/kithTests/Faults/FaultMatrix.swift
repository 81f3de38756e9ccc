// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// The results of commands under faults, recorded in `docs/FAULTS.md`.
enum FaultMatrix {
  /// The result of a command under a fault.
  struct Cell: Sendable {
    let outcome: String
    let status: Int32
    let requests: Int

    var text: String { "\(outcome) \(status) · \(requests)" }
  }

  private static let pack = "app.bsky.graph.starterpack/3k2yihcrp6f2c"
  /// Fields that differ between runs, or describe when and how the data was obtained.
  private static let volatile: Set<String> = [
    "age", "checkedAt", "countedAt", "listedAt", "createdAt", "endedAt", "startedAt", "eta", "holder",
    "indexedAt", "job", "since",
    "source",
    "until", "verifiedBy",
    "writes",
  ]

  /// Runs a command under a fault and checks the result against Kith's guarantees.
  ///
  /// - Parameter right: the rows without a fault; nil for the run without one.
  static func run(
    _ verb: FaultCase, _ fault: Fault, right: [[String: String]]?
  ) async throws -> (
    Cell, rows: [[String: String]]
  ) {
    let user = try InProcessUser(fault.dialect, lag: fault.lag)
    let network = user.network
    try prepare(user)
    for step in verb.before {
      network.begin(step.fault)
      let ending = try await user.kith(words(of: step.line, user))
      let isExpected = (ending.status == .success) == (step.fault == .none)
      try #require(isExpected, "\(verb.name): \(step.line): \(ending.status) \(ending.talk)")
    }
    try await network.clock.sleep(for: .seconds(2))
    let words = try words(of: verb.line, user)
    let before = try verb.effect?.count(user)
    network.begin(fault)
    let ending = try await user.kith(words)
    let requests = network.requests
    let rows = ending.rows.map { row in
      row.filter { !volatile.contains($0.key) }.mapValues(withoutClockIDs)
    }
    let here: Comment = "\(verb.name), \(fault.rawValue): \(ending.status) \(ending.talk)"
    #expect(ending.status != .internalError && ending.status != .no, here)
    var outcome = "done"
    if let effect = verb.effect {
      let isDone = ending.status == .success && !verb.waitsUnder.contains(fault)
      if isDone { #expect(try effect.count(user) == effect.wanted, here) }
      let open = try await resumeAll(user)
      let states = Set(rows.compactMap { $0["state"] })
      let after = try effect.count(user)
      if verb.waitsUnder.contains(fault) {
        outcome = "not done"
        #expect(ending.status == .success && after == before, here)
      } else if isDone || open > 0 {
        outcome = isDone ? "done" : "open"
        #expect(after == effect.wanted, here)
      } else if states.contains("\"inDoubt\"") {
        outcome = "in doubt"
        #expect(after == before || after == effect.wanted, here)
      } else if states.contains("\"done\"") {
        outcome = "part"
        #expect(after != before && after != effect.wanted, here)
      } else {
        outcome = "not done"
        #expect(after == before, here)
      }
    } else if let right {
      let sound = rows.filter { $0["error"].map { $0 == "null" } ?? true }
      // Missing data is null; all other data is right.
      let isRight = sound.allSatisfy { row in
        right.contains { right in row.allSatisfy { $1 == "null" || right[$0] == $1 } }
      }
      let mayDiffer = verb.isRaw || (verb.countsWhatIsRead && ending.status != .success)
      #expect(isRight || mayDiffer, "\(here) \(sound) \(right)")
      let isWhole = Set(rows) == Set(right) && ending.status == .success
      outcome = isWhole ? "all" : sound.isEmpty ? "none" : "part"
    } else {
      outcome = "all"
      #expect(ending.status == .success, here)
    }
    return (Cell(outcome: outcome, status: ending.status.rawValue, requests: requests), rows)
  }

  /// A value without the last two characters of record keys, which are random for each process, and without ages, which
  /// depend on the clock.
  private static func withoutClockIDs(_ value: String) -> String {
    value.replacing(/(app\.bsky\.[a-zA-Z.]+\\?\/[2-7a-z]{11})[2-7a-z]{2}\b/) { "\($0.output.1)" }
      .replacing(/[0-9]+ days old/, with: "days old")
  }

  /// Ends the fault and resumes all open jobs.
  ///
  /// - Returns: the number of resumed jobs.
  private static func resumeAll(_ user: InProcessUser) async throws -> Int {
    user.network.begin(.none)
    try await user.network.clock.sleep(for: .seconds(90_000))
    let jobs = try await user.kith(["jobs", "list"])
    let open = jobs.rows.filter { !["\"done\"", "\"cancelled\""].contains($0["state"] ?? "") }
    for job in open {
      let resumed = try await user.kith(["jobs", "resume", job["job"] ?? ""])
      #expect(resumed.status == .success, "\(resumed.talk)")
    }
    return open.count
  }

  /// A starter pack of Grace's, with a list of its own.
  private static func prepare(_ user: InProcessUser) throws {
    let (grace, judy) = try (user.did("grace"), user.did("judy"))
    let list = "at://\(grace)/app.bsky.graph.list/3k2yihcrp6f2d"
    let date = #""createdAt":"2026-01-01T00:00:00.000Z""#
    for (name, record) in [
      (
        "list/3k2yihcrp6f2d",
        #"{"$type":"app.bsky.graph.list","name":"Pack","purpose":"app.bsky.graph.defs#referencelist",\#(date)}"#
      ),
      (
        "listitem/3k2yihcrp6f2e",
        #"{"$type":"app.bsky.graph.listitem","list":"\#(list)","subject":"\#(judy)",\#(date)}"#
      ),
      (
        "starterpack/3k2yihcrp6f2c",
        #"{"$type":"app.bsky.graph.starterpack","name":"Readers","list":"\#(list)",\#(date)}"#
      ),
    ] {
      let parts = name.split(separator: "/")
      let collection = try #require(NSID("app.bsky.graph.\(parts[0])"))
      let key = try #require(RecordKey(String(parts[1])))
      let value = try JSONCoding.decode(DataValue.self, from: Array(record.utf8))
      #expect(user.network.live.setRecords([key: value], in: collection, of: grace))
    }
  }

  private static func words(of line: String, _ user: InProcessUser) throws -> [String] {
    try line.split(separator: " ").flatMap { word in
      guard word.hasPrefix("{") else { return [String(word)] }
      switch word.dropFirst().dropLast() {
      case "spam": return [try user.list("Spam and scams", of: "grace")]
      case "loud": return [try user.list("Loud people", of: "ivan")]
      case "pack": return ["at://\(try user.did("grace"))/\(pack)"]
      case "isDave": return ["handle is dave.test"]
      case "post": return [try user.post(of: "alice")]
      case "own": return [try user.writtenPost()]
      case "others": return (20..<60).map { user.network.live.network.account(at: $0).did.description }
      case let name: return [try user.did(String(name)).description]
      }
    }
  }

  /// The cells of a command.
  static func cells(of verb: FaultCase, under faults: Set<Fault>) async throws -> [Fault: String] {
    let (right, rows) = try await run(verb, .none, right: nil)
    var cells = [Fault.none: right.text]
    for fault in faults where fault != .none { cells[fault] = try await run(verb, fault, right: rows).0.text }
    return cells
  }
}
