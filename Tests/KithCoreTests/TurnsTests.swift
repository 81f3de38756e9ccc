// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TurnsTests {
  private let turnstile = Turnstile(isOpen: false)

  @Test(arguments: [1, 3]) func soManyWorkAtOnce(limit: Int) async throws {
    let turns = Turns(atOnce: limit)
    try await withThrowingTaskGroup { group in
      for _ in 0..<6 { group.addTask { [turnstile] in try await turns.take { try await turnstile.pass {} } } }
      for number in 0..<(6 - limit) {
        await turnstile.untilArrived(limit + number)
        turnstile.release(number)
      }
      turnstile.open()
      try await group.waitForAll()
    }
    #expect(turnstile.peak == limit && turnstile.arrivals == 6)
  }

  @Test func workThatFailsEndsItsTurn() async throws {
    struct Refusal: Error {}
    let turns = Turns()
    await #expect(throws: Refusal.self) { try await turns.take { throw Refusal() } }
    #expect(await turns.take { 1 } == 1)
  }
}
