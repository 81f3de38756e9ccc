// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct RateLimitBucketsTests {
  private static let signIn = NSID(generated: "com.atproto.server.createSession")
  private static let create = NSID(generated: "com.atproto.repo.createRecord")
  private static let delete = NSID(generated: "com.atproto.repo.deleteRecord")
  private static let profiles = NSID(generated: "app.bsky.actor.getProfiles")

  private var traffic = HostLimiterState()
  private let patience = Duration.seconds(600)

  private func limit(_ calls: Int, per window: Duration, left: Int) -> RateLimit {
    var limit = RateLimit(limit: calls, remaining: left, untilReset: window)
    limit.window = window
    return limit
  }

  private mutating func enter(_ method: NSID) -> HostLimiterState.Admission {
    traffic.enter(method, patience: patience, at: .zero)
  }

  /// Makes a call whose response reports what a limit still allows; false if it had to wait.
  @discardableResult
  private mutating func call(_ method: NSID, _ told: RateLimit?) -> Bool {
    guard case .admit(let permit) = enter(method) else { return false }
    _ = traffic.ended(permit, .answered(told), at: .zero)
    return true
  }

  @Test mutating func holdsSignInsOnlyWhenTheirLimitIsUsedUp() {
    call(Self.profiles, limit(3_000, per: .seconds(300), left: 2_000))
    call(Self.signIn, limit(30, per: .seconds(300), left: 0))
    #expect(enter(Self.signIn) == .wait)
    let others = [Self.profiles, Self.create, Self.profiles].map { call($0, nil) }
    #expect(others == [true, true, true])
  }

  @Test mutating func showsTheAllowanceOfTheHostAndNotThatOfAMethod() {
    call(Self.create, limit(3_000, per: .seconds(300), left: 2_000))
    call(Self.profiles, limit(3_000, per: .seconds(300), left: 1_999))
    call(Self.signIn, limit(30, per: .seconds(300), left: 0))
    let state = HostState(traffic, at: .zero)
    #expect(state.limit == 3_000)
    #expect(state.remaining == 1_999)
    #expect(state.heldFor == nil)
  }

  @Test mutating func holdsAllMethodsThatShareALimit() {
    call(Self.delete, limit(5_000, per: .seconds(3_600), left: 400))
    call(Self.create, limit(5_000, per: .seconds(3_600), left: 0))
    #expect(enter(Self.delete) == .refused(.rateLimited(wait: .seconds(3_601))))
    #expect(enter(Self.create) == .refused(.rateLimited(wait: .seconds(3_601))))
    let isLetIn = call(Self.profiles, nil)
    #expect(isLetIn)
  }

  @Test mutating func keepsAMethodToBothOfItsLimits() {
    call(Self.create, limit(3_000, per: .seconds(300), left: 0))
    call(Self.create, limit(5_000, per: .seconds(3_600), left: 4_000))
    #expect(enter(Self.create) == .wait)
  }

  @Test mutating func letsThoseOfAnotherMethodPassWhoAreBehindInTheQueue() {
    call(Self.signIn, limit(30, per: .seconds(300), left: 0))
    traffic.wait(1, for: Self.signIn, patience: patience, at: .zero)
    traffic.wait(2, for: Self.profiles, patience: patience, at: .zero)
    let admitted = traffic.pump(at: .zero).map { action -> HostLimiterState.Ticket in
      switch action {
      case .admit(let ticket, _), .refuse(let ticket, _): ticket
      }
    }
    #expect(admitted == [2])
    #expect(traffic.wakeUp(at: .zero) == .seconds(301))
    #expect(traffic.pump(at: .seconds(301)).count == 1)
  }

  @Test mutating func callsThoseOfSeveralMethodsInTheOrderInWhichTheyCame() {
    for (ticket, method) in [(1, Self.delete), (2, Self.create), (3, Self.delete)] {
      traffic.wait(HostLimiterState.Ticket(ticket), for: method, patience: patience, at: .zero)
    }
    let admitted = traffic.pump(at: .zero).compactMap { action -> HostLimiterState.Ticket? in
      if case .admit(let ticket, _) = action { ticket } else { nil }
    }
    #expect(admitted == [1, 2, 3])
  }

  @Test mutating func holdsAllMethodsAfterARefusalThatNamesNoLimit() {
    guard case .admit(let permit) = enter(Self.create) else {
      Issue.record("the first call had to wait")
      return
    }
    _ = traffic.ended(permit, .refused(RateLimit(retryAfter: .seconds(20))), at: .zero)
    #expect(enter(Self.profiles) == .wait)
  }

  @Test mutating func limitsTheNumberOfRememberedLimits() {
    for size in 5_001...6_000 {
      let isLetIn = call(Self.profiles, limit(size, per: .seconds(300), left: size))
      #expect(isLetIn)
    }
    #expect(traffic.allowances.count <= 16)
  }
}
