// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing

@testable import KithClient

@Suite struct RateLimitBucketTests {
  private var allowance = RateLimitBucket()

  private func read(
    limit: Int = 3_000, remaining: Int? = nil, reset: Int? = nil, retryAfter: Int? = nil
  ) throws -> RateLimit {
    var fields = ["RateLimit-Limit": "\(limit)", "RateLimit-Policy": "\(limit);w=300"]
    fields["RateLimit-Remaining"] = remaining.map { "\($0)" }
    fields["RateLimit-Reset"] = reset.map { "\($0)" }
    fields["Retry-After"] = retryAfter.map { "\($0)" }
    return try #require(RateLimit(HTTPFields(named: fields), at: 0))
  }

  private mutating func answer(_ read: RateLimit?, at now: Duration = .zero) {
    allowance.answered(read, began: now, at: now)
  }

  @Test func holdsNoCallWhileNothingIsKnown() {
    #expect(allowance.hold(inFlight: 7, at: .zero) == nil)
    #expect(allowance.remaining(at: .zero) == nil)
  }

  @Test mutating func letsAHundredCallsGoAtFullSpeed() throws {
    answer(try read(remaining: 100, reset: 200))
    #expect(allowance.hold(inFlight: 7, at: .zero) == nil)
  }

  /// Q25: the reset is in whole seconds, rounded down, so the hold ends a second later.
  @Test mutating func stopsAtTheReserveUntilTheReset() throws {
    answer(try read(remaining: 39, reset: 200))
    #expect(allowance.hold(inFlight: 6, at: .zero) == nil)
    #expect(allowance.hold(inFlight: 7, at: .zero) == .seconds(201))
    #expect(allowance.hold(inFlight: 7, at: .seconds(201)) == nil)
  }

  @Test mutating func spendsTheReserveOneByOneButForItsLastQuarter() throws {
    answer(try read(remaining: 9, reset: 200))
    #expect(allowance.hold(inFlight: 0, at: .zero) == nil)
    #expect(allowance.hold(inFlight: 1, at: .zero) == .seconds(201))
    answer(try read(remaining: 8, reset: 200))
    #expect(allowance.hold(inFlight: 0, at: .zero) == .seconds(201))
  }

  @Test mutating func keepsNoReserveOfASmallLimit() throws {
    answer(try read(limit: 10, remaining: 1, reset: 60))
    #expect(allowance.hold(inFlight: 0, at: .zero) == nil)
    answer(try read(limit: 10, remaining: 0, reset: 60))
    #expect(allowance.hold(inFlight: 0, at: .zero) == .seconds(61))
  }

  /// The headers of one refusal contradict each other: the next call goes when the server asks for it.
  @Test mutating func aLaterResetDoesNotOutlastRetryAfter() throws {
    allowance.refused(try read(limit: 10, remaining: 0, reset: 600, retryAfter: 2), began: .zero, at: .zero)
    #expect(allowance.hold(inFlight: 0, at: .seconds(1)) != nil)
    #expect(allowance.hold(inFlight: 0, at: .seconds(3)) == nil)
  }

  @Test mutating func believesTheLeastOfOneWindow() throws {
    answer(try read(remaining: 500, reset: 200))
    answer(try read(remaining: 507, reset: 201))
    #expect(allowance.remaining(at: .zero) == 500)
  }

  @Test mutating func startsAgainWithTheNextWindow() throws {
    answer(try read(remaining: 0, reset: 200))
    answer(try read(remaining: 2_999, reset: 500), at: .seconds(10))
    #expect(allowance.remaining(at: .seconds(10)) == 2_999)
    // Delayed responses from the previous window.
    answer(try read(remaining: 1, reset: 190), at: .seconds(10))
    #expect(allowance.remaining(at: .seconds(10)) == 2_999)
  }

  @Test mutating func takesOffWhatWasNotAnsweredFor() throws {
    answer(try read(remaining: 50, reset: 200))
    allowance.spendOne()
    answer(nil)
    #expect(allowance.remaining(at: .zero) == 48)
  }

  @Test mutating func holdsCallsUntilTheTimeOfARefusal() throws {
    allowance.refused(try read(retryAfter: 300), began: .zero, at: .seconds(1))
    let until = try #require(allowance.hold(inFlight: 0, at: .seconds(1)))
    #expect(until >= .seconds(301) && until <= .seconds(302))
    #expect(allowance.hold(inFlight: 0, at: until) == nil)
  }

  @Test mutating func waitsLongerAfterEachRefusalThatNamesNoTime() {
    var waits: [Duration] = []
    var now = Duration.zero
    for _ in 0..<9 {
      allowance.refused(nil, began: now, at: now)
      waits.append(allowance.blockedUntil - now)
      now = allowance.blockedUntil
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    answer(nil, at: now)
    allowance.refused(nil, began: now, at: now)
    #expect(allowance.blockedUntil - now == .seconds(1))
  }

  @Test mutating func takesRefusalsOfOneRoundForOne() {
    for number in 0..<8 { allowance.refused(nil, began: .zero, at: .milliseconds(10 + number)) }
    #expect(allowance.blockedUntil < .milliseconds(1_100))
  }

  @Test mutating func boundsWhatAHostileServerAsksFor() throws {
    answer(try read(remaining: 0, reset: Int(Int32.max)))
    allowance.refused(try read(retryAfter: Int(Int32.max)), began: .zero, at: .zero)
    #expect(try #require(allowance.hold(inFlight: 0, at: .zero)) <= RateLimit.longestWait + .seconds(1))
  }
}
