// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ATProtoClient

@Suite struct RepeaterTests {
  private struct Passing: Error { var demanded = Duration.zero }
  private struct Other: Error {}

  private func repeater(
    _ clock: ManualClock, _ policy: RetryPolicy = RetryPolicy(), random: Double = 1
  ) -> Repeater {
    Repeater(policy: policy, time: clock.timeSource(), random: { random })
  }

  @Test func repeatsUntilItSucceeds() async throws {
    let clock = ManualClock(.skipping)
    var attempts = 0
    var told: [Duration] = []
    let answer = try await repeater(clock).run {
      attempts += 1
      if attempts < 3 { throw Passing() }
      return attempts
    } wait: { (failure: Passing) in
      failure.demanded
    } onRetry: { _, delay in
      told.append(delay)
    }
    #expect(answer == 3)
    #expect(clock.slept == [.milliseconds(200), .milliseconds(400)])
    #expect(told == clock.slept)
  }

  @Test func throwsTheLastFailureWhenItsAttemptsAreUsedUp() async {
    let clock = ManualClock(.skipping)
    var attempts = 0
    await #expect(throws: Passing.self) {
      try await repeater(clock).run {
        attempts += 1
        throw Passing()
      } wait: { (_: Passing) in
        .zero
      } onRetry: { _, _ in
      }
    }
    #expect(attempts == 4)
  }

  @Test func leavesAloneWhatCannotPass() async {
    let clock = ManualClock(.skipping)
    var attempts = 0
    await #expect(throws: Passing.self) {
      try await repeater(clock).run {
        attempts += 1
        throw Passing()
      } wait: { (_: Passing) in
        nil
      } onRetry: { _, _ in
      }
    }
    #expect(attempts == 1)
    #expect(clock.slept.isEmpty)
  }

  @Test func passesOtherErrorsOnUntouched() async {
    var attempts = 0
    await #expect(throws: Other.self) {
      try await repeater(ManualClock(.skipping)).run {
        attempts += 1
        throw Other()
      } wait: { (_: Passing) in
        .zero
      } onRetry: { _, _ in
      }
    }
    #expect(attempts == 1)
  }

  @Test func countsTheTimeOfTheAttemptsThemselvesToTheBudget() async {
    let clock = ManualClock(.skipping)
    var attempts = 0
    await #expect(throws: Passing.self) {
      try await repeater(clock).run {
        attempts += 1
        clock.advance(by: .seconds(16))
        throw Passing()
      } wait: { (_: Passing) in
        .zero
      } onRetry: { _, _ in
      }
    }
    #expect(attempts == 2)
  }

  @Test func stopsWaitingWhenItIsCancelled() async {
    let clock = ManualClock()
    let repeater = repeater(clock)
    let task = Task {
      try await repeater.run {
        throw Passing(demanded: .seconds(5))
      } wait: { (failure: Passing) in
        failure.demanded
      } onRetry: { _, _ in
      }
    }
    await clock.untilAsleep(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }
}
