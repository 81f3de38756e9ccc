// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithSandbox
import TestSupport
import Testing

/// Snapshots that are killed at any moment.
@Suite struct SnapshotKillLongTests {
  struct Row: Decodable { let side: String?, state: String?, gained: Int?, lost: Int?, listed: Int? }

  /// `kill -9` after any call, fifty times: a snapshot is complete or has no effect, and causes no losses.
  @Test(arguments: [1, 2]) func aKilledSnapshotCausesNoLosses(seed: UInt64) async throws {
    let user = try await SignedInRun(at: try await SandboxRun(accounts: 1_000))
    var random = SeededGenerator(seed: seed)
    #expect(try await user.kith("snapshot alice.test").status == 0)
    var killed = 0
    for _ in 0..<25 {
      let patience = Int.random(in: 0...9, using: &random)
      let sandbox = user.run.sandbox
      sandbox.resetStatistics()
      let run = try await KithRun(
        ["snapshot", "alice.test", "--full"], environment: user.environment, input: ""
      ) { victim in
        while sandbox.statistics.total < patience {
          try Task.checkCancellation()
          await Task.yield()
        }
        victim.send(SIGKILL)
      }
      if run.status != 0 { killed += 1 }
    }
    #expect(killed > 10)
    let last = try await user.kith("snapshot alice.test --full")
    #expect(try last.rows(Row.self).allSatisfy { $0.lost == 0 && $0.gained == 0 }, "\(last.talk)")
    let states = try await user.kith("history alice.test --snapshots").rows(Row.self)
    #expect(states.allSatisfy { ["complete", "interrupted"].contains($0.state) })
    #expect(states.contains { $0.state == "interrupted" })
    #expect(try await user.kith("history alice.test").output == "")
    #expect(try await user.kith("db check").status == 0)
  }
}

/// Several processes that write the same history.
@Suite struct SnapshotRivalTests {
  private typealias Row = SnapshotKillLongTests.Row

  @Test func concurrentSnapshotsRunInTurnOrAreRefused() async throws {
    let user = try await SignedInRun()
    let lines = ["snapshot alice.test", "snapshot bob.test", "snapshot grace.test", "snapshot alice.test"]
    let runs = try await withThrowingTaskGroup(of: KithRun.self) { group in
      for line in lines { group.addTask { try await user.kith(line) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // The second snapshot of alice runs after the first or is refused.
    #expect(runs.allSatisfy { [0, 75].contains($0.status) }, "\(runs.map(\.talk))")
    #expect(runs.count { $0.status == 0 } >= 3)
    for actor in ["alice.test", "bob.test", "grace.test"] {
      let rows = try await user.kith("history \(actor) --snapshots").rows(Row.self)
      #expect(rows.count { $0.state == "complete" } >= 2)
      #expect(rows.allSatisfy { $0.state == "complete" && $0.lost == 0 })
    }
    #expect(try await user.kith("db check").status == 0)
  }
}
