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
}
