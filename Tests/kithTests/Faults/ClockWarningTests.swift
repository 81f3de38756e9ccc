// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import SandboxSupport
@testable import kith

/// Changes by a machine whose clock differs from that of the server.
@Suite struct ClockWarningTests {
  @Test(arguments: [Fault.clockAhead, .clockBehind, .none])
  func aChangeWarnsIfTheClocksDifferMuch(fault: Fault) async throws {
    let user = try InProcessUser()
    user.network.begin(.none)
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    user.network.begin(fault)
    user.network.date()
    func isWarned(_ words: String...) async throws -> Bool {
      let run = try await user.kith(words)
      #expect(run.status == .success, "\(run.talk)")
      return try KithMessage.all(in: run.talk).contains { $0.code == "clockDiffers" && $0.level == "warning" }
    }
    #expect(try await isWarned("follow", "dave.test", "--dry-run") == (fault != .none))
    #expect(try await isWarned("follow", "dave.test") == (fault != .none))
    // Nothing is written, and nothing is dated.
    #expect(try await isWarned("follow", "dave.test") == false)
    #expect(try await isWarned("mute", "erin.test", "-q") == false)
  }

  /// By a clock that is 40 days ahead, a block for 30 days and a request for 30 days have ended; by the server's, they have not.
  @Test func nothingEndsBeforeTheTimeOfTheServer() async throws {
    let user = try InProcessUser()
    user.network.begin(.none)
    user.network.date()
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    for words in [
      ["block", "judy.test", "--for", "30d"],
      ["friends", "request", "dave.test", "--kind", "follow", "--expires", "30d"],
    ] {
      let run = try await user.kith(words)
      #expect(run.status == .success, "\(run.talk)")
    }
    func codes(_ words: String..., changing count: Int) async throws -> [String] {
      let run = try await user.kith(words)
      #expect(run.status == .success && run.rows.count == count, "\(run.talk) \(run.rows)")
      return try KithMessage.all(in: run.talk).map(\.code)
    }
    user.network.setClock(wrongBy: .seconds(40 * 86_400))
    let due = try await codes("jobs", "due", changing: 1)
    #expect(due.contains("clockDiffers") && due.contains("jobEndsLater"))
    let synced = try await codes("friends", "sync", "--yes", changing: 0)
    #expect(synced.contains("clockDiffers") && synced.contains("friendsSynced"))
    // The clock is right, and 31 days have passed.
    user.network.setClock(wrongBy: .zero)
    try await user.network.clock.sleep(for: .seconds(31 * 86_400))
    #expect(try await !codes("jobs", "due", changing: 1).contains("clockDiffers"))
    #expect(try await !codes("friends", "sync", "--yes", changing: 1).contains("clockDiffers"))
    #expect(try await codes("jobs", "due", changing: 0).contains("nothingDue"))
  }
}
