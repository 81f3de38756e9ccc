// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import kith

/// How events read on a terminal.
@Suite struct LiveTableTests {
  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let account = Accounts.did(2)

  private func cells(_ event: LiveRow.Event) throws -> [String] {
    let view = AccountView(account, handle: Accounts.handle(2))
    let row = NamedLiveRow(row: LiveRow(event, view: view), own: me)
    let named = row.named(by: [other: AccountView(other, handle: Accounts.handle(1))])
    return try named.tableRow(at: Datetime(parsing: "2026-01-01T01:00:00.000Z")).cells.map(\.text)
  }

  private func change(
    _ side: HistoryListing.Side, _ kind: HistoryChange.Kind, _ cause: LossCause? = nil, of actor: DID,
    in graph: FollowGraph? = nil
  ) -> LiveRow.Event {
    let moment = Instant(microsecondsSinceEpoch: 1_767_229_445_000_000)
    let listing = HistoryListing(side, of: actor, in: graph ?? .bluesky)
    let seen = Observation(ObservationID(number: 1), .event(stream: "stream.test"), after: moment, by: moment)
    return .changed(
      HistoryChange(
        kind, HistoryEdge(account), on: listing, loss: cause.map { HistoryLoss(account, $0, Evidence()) },
        seen: seen))
  }

  @Test func aLineSaysWhoDidWhat() throws {
    let name = "\(Accounts.handle(1))"
    let events: [(LiveRow.Event, String)] = [
      (change(.followers, .gained, of: me), "follows you"),
      (change(.followers, .returned, of: me), "follows you again"),
      (change(.followers, .lost, .unfollowed, of: me), "unfollowed you"),
      (change(.followers, .lost, .blockedBy, of: me), "left: blocks you"),
      (change(.followers, .lost, .blocking, of: other), "left: blocked by \(name)"),
      (change(.followers, .lost, .deleted, of: other), "left: account deleted"),
      (change(.followers, .lost, .suspended, of: me), "left: account suspended"),
      (change(.followers, .lost, .unknown, of: me), "left"),
      (change(.followers, .gained, of: other), "follows \(name)"),
      (change(.followers, .gained, of: other, in: .tangled), "follows \(name) in tangled"),
      (change(.follows, .gained, of: me), "followed by you"),
      (change(.follows, .lost, .unfollowed, of: other), "unfollowed by \(name)"),
      (change(.blocks, .gained, of: me), "blocked by you"),
      (change(.blocks, .lost, .removed, of: me), "unblocked by you"),
      (.blocked(me, by: account, at: .distantPast), "blocks you"),
      (.renamed(account, Accounts.handle(7), at: .distantPast), "is \(Accounts.handle(7)) now"),
    ]
    for (event, words) in events { #expect(try cells(event)[2] == words) }
    #expect(
      try cells(change(.followers, .gained, of: me)) == [
        "01:04:05", "\(Accounts.handle(2))", "follows you", "",
      ])
  }
}
