// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct ConcurrentMapTests {
  private struct Refusal: Error {}

  @Test func outcomesStandInTheOrderOfTheElements() async throws {
    let turnstile = Turnstile(isOpen: false)
    let map = Task {
      try await (0..<5).concurrentMap(atMost: 2) { number in try await turnstile.pass { number } }
    }
    await turnstile.untilArrived(2)
    #expect(turnstile.inside == 2)
    for number in [1, 0, 2, 4, 3] { turnstile.release(number) }
    #expect(try await map.value == [0, 1, 2, 3, 4])
    #expect(turnstile.peak == 2)
  }

  @Test func anErrorEndsTheRest() async throws {
    let turnstile = Turnstile(isOpen: false)
    let map = Task {
      try await (0..<5).concurrentMap(atMost: 2) { number in
        if number == 1 { throw Refusal() }
        try await turnstile.pass {}
      }
    }
    await #expect(throws: Refusal.self) { try await map.value }
    #expect(turnstile.arrivals <= 1)
  }

  @Test func nothingIsDoneForNothing() async throws {
    #expect(try await [Int]().concurrentMap(atMost: 0) { $0 }.isEmpty)
    #expect(try await [1].concurrentMap(atMost: .max) { $0 } == [1])
  }

  @Test(arguments: [(0, 0), (1, 1), (3, 1), (4, 2), (6, 2)])
  func partsAreFullButTheLast(count: Int, expected: Int) {
    let parts = Array(0..<count).parts(of: 3)
    #expect(parts.count == (expected))
    #expect(parts.flatMap(\.self) == Array(0..<count))
    #expect(parts.dropLast().allSatisfy { $0.count == 3 })
  }
}
