// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@testable import KithDashboard

struct IdleLimitTests {
  @Test func endsHalfAnHourAfterTheLastSign() {
    var limit = IdleLimit(at: .seconds(100))
    #expect(limit.left(at: .seconds(100)) == .seconds(1_800))
    limit.sign(at: .seconds(700))
    #expect(limit.left(at: .seconds(1_900)) == .seconds(600))
    #expect(limit.left(at: .seconds(2_500)) == .zero)
    #expect(limit.left(at: .seconds(9_000)) == .zero)
  }

  @Test func doesNotEndWhileAJobRuns() {
    var limit = IdleLimit(at: .zero)
    limit.jobBegan()
    limit.jobBegan()
    #expect(limit.left(at: .seconds(90_000)) == nil)
    limit.jobEnded(at: .seconds(90_000))
    #expect(limit.left(at: .seconds(99_000)) == nil)
    limit.jobEnded(at: .seconds(99_000))
    #expect(limit.left(at: .seconds(99_600)) == .seconds(1_200))
  }
}
