// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithClient

@Suite struct RetryScheduleTests {
  private let policy = RetryPolicy(
    attempts: 6, firstDelay: .milliseconds(200), longestDelay: .seconds(1), budget: .seconds(30))

  @Test func doublesTheCeilingUpToTheLongestDelay() {
    var schedule = RetrySchedule(policy: policy)
    let delays = (0..<5).map { _ in schedule.failed(demanded: .zero, elapsed: .zero, random: 1) }
    #expect(
      delays == [200, 400, 800, 1000, 1000].map { RetrySchedule.Action.retry(after: .milliseconds($0)) })
  }

  @Test func drawsFromNothingUpToTheCeiling() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      var schedule = RetrySchedule(policy: policy)
      let random = Double.random(in: 0...1, using: &generator)
      guard case .retry(let delay) = schedule.failed(demanded: .zero, elapsed: .zero, random: random) else {
        Issue.record("it gave up at once")
        return
      }
      #expect(delay >= .zero && delay <= .milliseconds(200))
    }
    var first = RetrySchedule(policy: policy)
    #expect(first.failed(demanded: .zero, elapsed: .zero, random: 0) == .retry(after: .zero))
  }

  @Test(arguments: [(0, 0), (1, 0), (2, 1), (4, 3)]) func makesSoManyAttempts(attempts: Int, retries: Int) {
    var schedule = RetrySchedule(policy: RetryPolicy(attempts: attempts))
    var waits = 0
    while case .retry = schedule.failed(demanded: .zero, elapsed: .zero, random: 0), waits < 100 {
      waits += 1
    }
    #expect(waits == retries)
  }

  @Test func neverShortensAWaitThatTheServerAsksFor() {
    for random in [0, 0.5, 1] {
      var schedule = RetrySchedule(policy: policy)
      guard case .retry(let delay) = schedule.failed(demanded: .seconds(7), elapsed: .zero, random: random)
      else {
        Issue.record("it gave up although the budget allows the wait")
        return
      }
      #expect(delay >= .seconds(7))
    }
  }

  /// Calls that were refused together get the same wait; without jitter they would be refused together again.
  @Test func spreadsCallsWithTheSameWait() {
    var early = RetrySchedule(policy: policy)
    var late = RetrySchedule(policy: policy)
    #expect(
      early.failed(demanded: .seconds(7), elapsed: .zero, random: 0.1)
        != late.failed(demanded: .seconds(7), elapsed: .zero, random: 0.9))
  }

  @Test func givesUpWhenTheWaitWouldLeaveLessThanASecondOfTheBudget() {
    var schedule = RetrySchedule(policy: policy)
    #expect(schedule.failed(demanded: .milliseconds(29_001), elapsed: .zero, random: 0) == .giveUp)
    var late = RetrySchedule(policy: policy)
    #expect(late.failed(demanded: .seconds(2), elapsed: .seconds(28), random: 0) == .giveUp)
    var tooLate = RetrySchedule(policy: policy)
    #expect(tooLate.failed(demanded: .zero, elapsed: .milliseconds(29_001), random: 0) == .giveUp)
    var justInTime = RetrySchedule(policy: policy)
    #expect(
      justInTime.failed(demanded: .seconds(1), elapsed: .seconds(28), random: 0) == .retry(after: .seconds(1))
    )
  }

  @Test func addsAtMostTheBudgetToAWait() {
    var schedule = RetrySchedule(policy: policy)
    #expect(
      schedule.failed(demanded: .seconds(2), elapsed: .milliseconds(26_900), random: 1)
        == .retry(after: .milliseconds(2_100)))
  }

  @Test func survivesHundredsOfAttempts() {
    var schedule = RetrySchedule(policy: RetryPolicy(attempts: .max))
    for _ in 0..<500 {
      #expect(schedule.failed(demanded: .zero, elapsed: .zero, random: 1) != .giveUp)
    }
  }
}
