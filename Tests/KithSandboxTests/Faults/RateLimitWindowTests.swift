// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct RateLimitWindowTests {
  @Test func refusesAnswersOverTheLimitUntilTheWindowEnds() {
    var window = RateLimitWindow(SandboxRateLimit(answers: 2, seconds: 10))
    let start: Instant = 1_000_000_500
    let standings = [0, 1, 9_999_999, 10_000_000, 10_000_001].map { window.arrived(at: start + $0) }
    #expect(standings.map(\.isRefused) == [false, false, true, false, false])
    #expect(standings.map(\.remaining) == [1, 0, 0, 1, 0])
    #expect(standings.map { $0.end - start } == [10, 10, 10, 20, 20].map { .seconds($0) })
  }

  @Test func beginsAWindowWithARequest() {
    var window = RateLimitWindow(SandboxRateLimit(answers: 1, seconds: 1))
    #expect(window.arrived(at: 0).end == 1_000_000)
    #expect(window.arrived(at: 5_300_000).end == 6_300_000)
  }

  @Test func allowsAtLeastOneAnswerPerSecond() {
    #expect(SandboxRateLimit(answers: 0, seconds: -3) == SandboxRateLimit(answers: 1, seconds: 1))
  }
}
