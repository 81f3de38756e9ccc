// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithSandbox
import TestSupport
import Testing

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
