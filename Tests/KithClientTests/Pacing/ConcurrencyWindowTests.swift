// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithClient

@Suite struct ConcurrencyWindowTests {
  private var window = ConcurrencyWindow(ceiling: 8)
  private var now = Duration.zero

  /// Records this many good responses, one after the other, with the latency that the function returns.
  private mutating func answer(_ count: Int, _ latency: (Int) -> Int) {
    for number in 0..<count {
      let began = now
      now += .milliseconds(latency(number))
      window.answered(began: began, at: now)
    }
  }

  @Test func startsAtTheCeiling() {
    #expect(window.size == 8)
    #expect(ConcurrencyWindow(ceiling: 3).size == 3)
    #expect(ConcurrencyWindow(ceiling: 0).size == 1)
    #expect(ConcurrencyWindow(ceiling: -7).size == 1)
  }

  @Test mutating func halvesDownToOneAndNoFurther() {
    var sizes: [Int] = []
    for second in 1...6 {
      window.strained(began: .seconds(second), at: .seconds(second) + .milliseconds(20))
      sizes.append(window.size)
    }
    #expect(sizes == [4, 2, 1, 1, 1, 1])
  }

  @Test mutating func halvesOnceForAllThatWereUnderWay() {
    for number in 0..<8 { window.strained(began: .seconds(1), at: .seconds(2) + .milliseconds(number)) }
    #expect(window.size == 4)
  }

  @Test mutating func climbsByOneForEachWindowOfAnswers() {
    for second in 1...3 { window.strained(began: .seconds(second), at: .seconds(second)) }
    now = .seconds(10)
    var sizes: [Int] = []
    for _ in 0..<40 {
      answer(1) { _ in 20 }
      sizes.append(window.size)
    }
    #expect(sizes.firstIndex(of: 2) == 0)
    #expect(sizes.firstIndex(of: 3) == 2)
    #expect(sizes.firstIndex(of: 4) == 5)
    #expect(sizes.firstIndex(of: 8) == 27)
    #expect(sizes.last == 8)
  }

  @Test mutating func halvesWhenEveryCallBecomesSlow() {
    answer(80) { _ in 20 }
    answer(16) { _ in 2_000 }
    #expect(window.size == 4)
  }

  @Test mutating func toleratesJitter() {
    var random = SeededGenerator(seed: 1)
    answer(4_000) { _ in 20 + Int(random.next() % 20) }
    answer(4_000) { _ in random.next() % 3 == 0 ? 900 : 20 }
    #expect(window.size == 8)
  }

  @Test mutating func toleratesOneSlowBatchWhereverItFalls() {
    for offset in 0..<8 {
      answer(80 + offset) { _ in 20 }
      answer(8) { _ in 5_000 }
      #expect(window.size == 8)
      answer(8) { _ in 20 }
    }
  }

  /// Other methods are naturally slower: latency that stays high does not count as strain for long.
  @Test mutating func takesLastingSlownessAsTheMeasure() {
    answer(80) { _ in 20 }
    answer(800) { _ in 1_000 }
    #expect(window.size == 8)
  }

  @Test mutating func halvesAgainWhileItGetsSlowerStill() {
    answer(80) { _ in 20 }
    answer(16) { _ in 2_000 }
    answer(24) { _ in 30_000 }
    #expect(window.size < 4)
  }
}
