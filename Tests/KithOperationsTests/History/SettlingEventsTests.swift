// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations

/// What is told of events that are held back for a minute.
@Suite struct SettlingEventsTests {
  private func change(
    _ kind: HistoryChange.Kind, _ number: Int = 1, side: HistoryListing.Side = .followers
  ) -> LiveRow.Event {
    let account = Accounts.did(number)
    let loss = kind == .lost ? HistoryLoss(account, .unfollowed, Evidence()) : nil
    let seen = Observation(
      ObservationID(number: 1), .event(stream: "stream.test"), after: .distantPast, by: .distantPast)
    return .changed(
      HistoryChange(
        kind, HistoryEdge(account), on: HistoryListing(side, of: Accounts.did(0)), loss: loss, seen: seen))
  }

  @Test(arguments: [
    (["gained"], "gained"), (["lost"], "lost"), (["gained", "lost"], nil), (["lost", "returned"], nil),
    (["gained", "lost", "returned"], "returned"), (["lost", "returned", "lost"], "lost"),
  ])
  func theLastOfAnAccountCountsUnlessItUndoesTheFirst(kinds: [String], told: String?) throws {
    var settling = SettlingEvents(for: .seconds(60))
    for (index, kind) in kinds.enumerated() {
      settling.add(change(try #require(HistoryChange.Kind(rawValue: kind))), at: .seconds(index))
    }
    #expect(settling.next == .seconds(60))
    #expect(settling.settled(at: .seconds(59)) == [])
    let expected = try told.map { change(try #require(HistoryChange.Kind(rawValue: $0))) }
    #expect(settling.settled(at: .seconds(60)) == [expected].compactMap(\.self))
    #expect(settling.next == nil)
  }

  @Test func accountsListingsAndOtherEventsSettleByThemselves() {
    var settling = SettlingEvents(for: .seconds(60))
    let renamed = LiveRow.Event.renamed(Accounts.did(1), Accounts.handle(1), at: .distantPast)
    settling.add(change(.gained, 1), at: .seconds(0))
    settling.add(change(.lost, 2), at: .seconds(1))
    settling.add(change(.lost, 1, side: .follows), at: .seconds(2))
    settling.add(renamed, at: .seconds(3))
    settling.add(renamed, at: .seconds(4))
    #expect(settling.settled(at: .seconds(61)) == [change(.gained, 1), change(.lost, 2)])
    // A new event of an account that has settled is held back again.
    settling.add(change(.lost, 1), at: .seconds(62))
    #expect(settling.settled(at: .seconds(64)) == [change(.lost, 1, side: .follows), renamed, renamed])
    #expect(settling.next == .seconds(122))
  }
}
