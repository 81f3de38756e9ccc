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
        try await eventually { sandbox.statistics.total >= patience }
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
