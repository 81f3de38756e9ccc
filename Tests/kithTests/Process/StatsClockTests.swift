// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// `kith stats` as a process of its own, whose clock goes on while it works.
@Suite struct StatsClockTests {
  private struct Card: Decodable {
    let key: String
  }

  @Test func theNumbersOfNowAreNotOfThePast() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("stats --metric cards")
    #expect(run.status == 0, "\(run.talk)")
    #expect(try run.rows(Card.self).contains { $0.key == "mutuals" })
  }
}
