// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithClient

@Suite struct HostLimiterStateTests {
  private var traffic = HostLimiterState()
  private let patience = Duration.seconds(600)
  private let dead = TransportError(.cannotConnect, host: "host.test")

  /// Admits calls that need not wait.
  private mutating func enter(_ count: Int, at now: Duration = .zero) throws -> [HostLimiterState.Permit] {
    try (0..<count).map { _ in
      guard case .admit(let permit) = traffic.enter(patience: patience, at: now) else {
        throw TestFault("a call was not let in")
      }
      return permit
    }
  }

  private struct TestFault: Error {
    init(_ words: String) {}
  }

  @Test mutating func letsEightInAndTheOthersInTheirOrder() throws {
    let permits = try enter(8)
    for ticket in UInt64(1)...3 {
      #expect(traffic.enter(patience: patience, at: .zero) == .wait)
      traffic.wait(ticket, patience: patience, at: .zero)
    }
    var admitted: [HostLimiterState.Ticket] = []
    for permit in permits.prefix(3) {
      for case .admit(let ticket, _) in traffic.ended(permit, .answered(nil), at: .milliseconds(20)) {
        admitted.append(ticket)
      }
    }
    #expect(admitted == [1, 2, 3])
    #expect(traffic.inFlight == 8)
  }

  @Test mutating func doesNotOvertakeWaiters() throws {
    let permits = try enter(8)
    traffic.wait(1, patience: patience, at: .zero)
    traffic.wait(2, patience: patience, at: .zero)
    _ = traffic.ended(permits[0], .answered(nil), at: .milliseconds(1))
    #expect(traffic.enter(patience: patience, at: .milliseconds(1)) == .wait)
  }

  @Test mutating func refusesAtOnceWhoWouldHaveToWaitTooLong() throws {
    let permits = try enter(2)
    let refusal = RateLimit(limit: 10, remaining: 0, untilReset: .seconds(900))
    _ = traffic.ended(permits[0], .answered(refusal), at: .zero)
    #expect(traffic.enter(patience: patience, at: .zero) == .refused(.rateLimited(wait: .seconds(901))))
    #expect(traffic.enter(patience: .seconds(901), at: .zero) == .wait)
  }

  @Test mutating func refusesThoseInTheQueueWhenTheWaitBecomesTooLong() throws {
    let permits = try enter(8)
    traffic.wait(1, patience: .seconds(60), at: .zero)
    traffic.wait(2, patience: patience, at: .zero)
    let limit = RateLimit(limit: 10, retryAfter: .seconds(300))
    let actions = traffic.ended(permits[0], .refused(limit), at: .zero)
    #expect(actions == [.refuse(1, .rateLimited(wait: .seconds(301)))])
    #expect(traffic.wakeUp(at: .zero) == .seconds(301))
  }

  @Test mutating func needsNoTimerWhileNoCallWaitsForATime() throws {
    let permits = try enter(8)
    #expect(traffic.wakeUp(at: .zero) == nil)
    traffic.wait(1, patience: patience, at: .zero)
    #expect(traffic.wakeUp(at: .zero) == nil)
    _ = traffic.ended(permits[0], .refused(RateLimit(retryAfter: .seconds(5))), at: .zero)
    #expect(traffic.wakeUp(at: .zero) != nil)
    let didLeave = traffic.leave(1)
    #expect(didLeave)
    #expect(traffic.wakeUp(at: .zero) == nil)
  }

  @Test mutating func failsAllThatWaitAndComeWhenAHostIsDead() throws {
    let permits = try enter(8)
    for ticket in UInt64(1)...3 { traffic.wait(ticket, patience: patience, at: .zero) }
    var actions: [HostLimiterState.Action] = []
    for permit in permits.prefix(1) { actions += traffic.ended(permit, .broken(dead), at: .seconds(1)) }
    #expect(actions.count == 1)
    let refusals = traffic.gaveUp(.transport(dead), mark: 0, at: .seconds(2))
    let refusal = TrafficRefusal.resting(cause: .transport(dead), ago: .zero, wait: .seconds(3))
    #expect(refusals == [.refuse(2, refusal), .refuse(3, refusal)])
    guard case .refused(.resting(_, let ago, let wait)) = traffic.enter(patience: patience, at: .seconds(4))
    else { throw TestFault("it was let in") }
    #expect(ago == .seconds(2) && wait == .seconds(1))
  }

  @Test mutating func letsTheOthersWaitForTheProbe() throws {
    let first = try enter(1)
    _ = traffic.ended(first[0], .broken(dead), at: .zero)
    _ = traffic.gaveUp(.transport(dead), mark: 0, at: .zero)
    let probe = try enter(1, at: .seconds(3))
    #expect(probe[0].isProbe)
    #expect(traffic.enter(patience: patience, at: .seconds(3)) == .wait)
    traffic.wait(1, patience: patience, at: .seconds(3))
    var again = traffic
    #expect(again.ended(probe[0], .answered(nil), at: .seconds(4)).count == 1)
    #expect(again.inFlight == 1)
    let refusals = traffic.ended(probe[0], .broken(dead), at: .seconds(4))
    #expect(
      refusals == [.refuse(1, .resting(cause: .transport(dead), ago: .zero, wait: .seconds(6)))])
  }

  /// A waiter leaves just when a hold has ended, which cancels the timer.
  @Test mutating func wakesTheOthersWhenOneLeavesAtTheEndOfAHold() throws {
    let permits = try enter(1)
    _ = traffic.ended(permits[0], .refused(RateLimit(retryAfter: .seconds(20))), at: .zero)
    traffic.wait(1, patience: patience, at: .zero)
    traffic.wait(2, patience: patience, at: .zero)
    #expect(traffic.wakeUp(at: .zero) == .seconds(21))
    _ = traffic.leave(1)
    #expect(traffic.wakeUp(at: .seconds(30)) == .seconds(30))
    #expect(traffic.pump(at: .seconds(30)).count == 1)
  }

  /// Random calls, responses, failures, cancellations and pauses, checked against a simple model.
  @Test(arguments: 0..<40) mutating func losesNoWaiterAndNoPermit(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func chance(_ of: UInt64) -> Bool { random.next() % of == 0 }
    var now = Duration.zero
    var inside: [HostLimiterState.Permit] = []
    var waiting: [HostLimiterState.Ticket] = []
    var next: HostLimiterState.Ticket = 0
    func take(_ actions: [HostLimiterState.Action]) {
      for action in actions {
        switch action {
        case .admit(let ticket, let permit):
          #expect(waiting.first == ticket, "first come, first served")
          waiting.removeAll { $0 == ticket }
          inside.append(permit)
        case .refuse(let ticket, _):
          #expect(waiting.contains(ticket))
          waiting.removeAll { $0 == ticket }
        }
      }
    }
    for _ in 0..<3_000 {
      now += .milliseconds(Int(random.next() % 50))
      let before = inside.count
      switch random.next() % 8 {
      case 0, 1, 2:
        switch traffic.enter(patience: .seconds(30), at: now) {
        case .admit(let permit):
          #expect(waiting.isEmpty)
          inside.append(permit)
        case .wait:
          next += 1
          waiting.append(next)
          traffic.wait(next, patience: .seconds(30), at: now)
        case .refused: break
        }
      case 3, 4, 5:
        guard !inside.isEmpty else { break }
        let permit = inside.remove(at: Int(random.next() % UInt64(inside.count)))
        let outcome = outcome(random.next(), random.next())
        take(traffic.ended(permit, outcome, at: now))
      case 6:
        guard !waiting.isEmpty else { break }
        let ticket = waiting.remove(at: Int(random.next() % UInt64(waiting.count)))
        let didLeave = traffic.leave(ticket)
        #expect(didLeave)
      default:
        if chance(20) { take(traffic.gaveUp(.transport(dead), mark: traffic.circuit.goodAnswers, at: now)) }
        if chance(10), let due = traffic.wakeUp(at: now) { now = max(now, due) }
        take(traffic.pump(at: now))
      }
      #expect(traffic.inFlight == inside.count)
      #expect(traffic.waiting == waiting.count)
      #expect(inside.count <= max(before, traffic.window.size))
      #expect(inside.count(where: \.isProbe) <= 1 || traffic.circuit.goodAnswers > 0)
    }
    // All calls end: every waiter is admitted or refused in the end.
    for _ in 0..<10_000 where !inside.isEmpty || !waiting.isEmpty {
      if inside.isEmpty {
        now = max(now, traffic.wakeUp(at: now) ?? now)
        take(traffic.pump(at: now))
      } else {
        take(traffic.ended(inside.removeFirst(), .answered(nil), at: now))
      }
    }
    #expect(inside.isEmpty && waiting.isEmpty && traffic.inFlight == 0)
  }

  private func outcome(_ kind: UInt64, _ value: UInt64) -> HostLimiterState.Outcome {
    switch kind % 12 {
    case 0: .refused(RateLimit(retryAfter: .seconds(Int(value % 40))))
    case 1: .refused(nil)
    case 2: .failed(status: 503, nil)
    case 3: .broken(dead)
    case 4: .broken(TransportError(.timedOut, host: "host.test"))
    case 5: .abandoned
    case 6:
      .answered(RateLimit(limit: 100, remaining: Int(value % 20), untilReset: .seconds(Int(value % 60))))
    default: .answered(nil)
    }
  }
}

extension RateLimit {
  init(limit: Int? = nil, remaining: Int? = nil, untilReset: Duration? = nil, retryAfter: Duration? = nil) {
    self.init()
    self.limit = limit
    self.remaining = remaining
    self.untilReset = untilReset
    self.retryAfter = retryAfter
  }
}
