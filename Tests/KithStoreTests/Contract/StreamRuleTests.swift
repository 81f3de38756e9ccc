// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// What events make of a graph, told as a table: once, one by one, and again.
@Suite struct StreamRuleTests {
  struct Rule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [HistoryEvent]
    /// `ACCOUNT KIND TIME CAUSE`, with the side of another listing than the followers.
    let changes: [String]
    /// The followers at the end.
    let followers: Set<Int>
    /// The indices of events that only a server can explain.
    var unresolved: [Int] = []
  }

  private static let others = HistoryListing(.followers, of: Accounts.did(9))
  private static let blocks = HistoryListing(.blocks, of: Accounts.did(0))

  /// In the beginning, 1, 2 and 3 follow with the records 10, 20 and 30, and 5 with a record whose key is unknown; 1 follows
  /// another account as well; and 0 follows 7 and blocks 8.
  static let rules: [Rule] = [
    Rule(
      testDescription: "a follow and an unfollow",
      events: [.made(4, 100, at: 100), .deleted(10, by: 1, at: 110)],
      changes: ["4 gained 100", "1 lost 110 unfollowed"], followers: [2, 3, 4, 5]),
    Rule(
      testDescription: "a follow that is told twice",
      events: [.made(4, 100, at: 100), .made(4, 100, at: 101), .made(1, 10, at: 102)],
      changes: ["4 gained 100"], followers: [1, 2, 3, 4, 5]),
    Rule(
      testDescription: "an unfollow that is told twice",
      events: [.deleted(10, by: 1, at: 100), .deleted(10, by: 1, at: 101)],
      changes: ["1 lost 100 unfollowed"], followers: [2, 3, 5]),
    Rule(
      testDescription: "a follow that comes and goes",
      events: [
        .made(4, 100, at: 100), .deleted(100, by: 4, at: 110), .made(4, 120, at: 120),
        .deleted(120, by: 4, at: 130), .made(4, 140, at: 140),
      ],
      changes: [
        "4 gained 100", "4 lost 110 unfollowed", "4 returned 120", "4 lost 130 unfollowed", "4 returned 140",
      ], followers: [1, 2, 3, 4, 5]),
    Rule(
      testDescription: "a record that is restored with its key",
      events: [.deleted(10, by: 1, at: 100), .made(1, 10, at: 110)],
      changes: ["1 lost 100 unfollowed", "1 returned 110"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "a record that follows another account now",
      events: [.deleted(20, by: 2, at: 100), .made(2, 20, at: 100, on: others)],
      changes: ["2 lost 100 unfollowed", "2 gained 100 9"], followers: [1, 3, 5]),
    Rule(
      testDescription: "a record that is replaced by one that says the same",
      events: [.deleted(20, by: 2, at: 100), .made(2, 20, at: 100)],
      changes: [], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "two records, the first of which is deleted",
      events: [.made(1, 100, at: 100), .deleted(10, by: 1, at: 110)],
      changes: [], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "two records, the second of which is deleted",
      events: [.made(1, 100, at: 100), .deleted(100, by: 1, at: 110)],
      changes: [], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "two records, both of which are deleted",
      events: [.made(1, 100, at: 100), .deleted(10, by: 1, at: 110), .deleted(100, by: 1, at: 120)],
      changes: ["1 lost 120 unfollowed"], followers: [2, 3, 5]),
    Rule(
      testDescription: "a second record beside one whose key is unknown",
      events: [.made(5, 100, at: 100), .deleted(100, by: 5, at: 110), .deleted(50, by: 5, at: 120)],
      changes: [], followers: [1, 2, 3, 5], unresolved: [1, 2]),
    Rule(
      testDescription: "a second record that is deleted, where the first may be gone as well",
      events: [.made(5, 100, at: 100), .deleted(100, by: 5, at: 110)],
      changes: [], followers: [1, 2, 3, 5], unresolved: [1]),
    Rule(
      testDescription: "a record that tells the unknown key",
      events: [.made(5, 50, at: 100), .deleted(50, by: 5, at: 110)],
      changes: ["5 lost 110 unfollowed"], followers: [1, 2, 3]),
    Rule(
      testDescription: "an unfollow of others",
      events: [.deleted(100, by: 1, at: 100), .deleted(10, by: 2, at: 110), .deleted(10, by: 77, at: 120)],
      changes: [], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "the same key in another collection",
      events: [.deleted(10, by: 1, at: 100, in: .block)], changes: [], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "the same follower of two accounts",
      events: [.deleted(11, by: 1, at: 100)],
      changes: ["1 lost 100 unfollowed 9"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "what the actor deletes",
      events: [
        .deleted(70, by: 0, at: 100), .deleted(80, by: 0, at: 110, in: .block),
        .deleted(71, by: 0, at: 120),
      ],
      changes: ["7 lost 100 unfollowed follows", "8 lost 110 removed blocks"], followers: [1, 2, 3, 5],
      unresolved: [2]),
    Rule(
      testDescription: "an account that is deactivated and active again",
      events: [.hidden(1, .deactivated, at: 100), .shown(1, at: 110)],
      changes: [
        "1 lost 100 deactivated", "1 lost 100 deactivated 9", "1 returned 110", "1 returned 110 9",
      ], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "an account that was never hidden",
      events: [.shown(1, at: 100), .unblocked(2, .blocking, at: 110)], changes: [], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "an unfollow of a hidden account",
      events: [.hidden(2, .suspended, at: 100), .deleted(20, by: 2, at: 105), .shown(2, at: 110)],
      changes: ["2 lost 100 suspended"], followers: [1, 3, 5]),
    Rule(
      testDescription: "one of two records of a hidden account is deleted",
      events: [
        .made(2, 90, at: 90), .hidden(2, .suspended, at: 100), .deleted(20, by: 2, at: 105),
        .shown(2, at: 110),
        .deleted(90, by: 2, at: 120),
      ],
      changes: ["2 lost 100 suspended", "2 returned 110", "2 lost 120 unfollowed"], followers: [1, 3, 5]),
    Rule(
      testDescription: "a hidden account whose key is unknown",
      events: [.hidden(5, .deactivated, at: 100), .shown(5, at: 110)],
      changes: ["5 lost 100 deactivated", "5 returned 110"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "two reasons at once",
      events: [
        .hidden(2, .deactivated, at: 100), .blocked(2, .blockedBy, at: 105), .shown(2, at: 110),
        .unblocked(2, .blocking, at: 115), .unblocked(2, .blockedBy, at: 120),
      ],
      changes: ["2 lost 100 deactivated", "2 returned 120"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "a status that changes",
      events: [.hidden(2, .deactivated, at: 100), .hidden(2, .suspended, at: 105), .shown(2, at: 110)],
      changes: ["2 lost 100 deactivated", "2 returned 110"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "a block by a follower, which hides it from one listing",
      events: [.blocked(1, .blockedBy, at: 100), .unblocked(1, .blockedBy, at: 110)],
      changes: ["1 lost 100 blocked-by", "1 returned 110"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "a follow of an account that is blocked",
      events: [.blocked(4, .blocking, at: 100), .made(4, 105, at: 105), .unblocked(4, .blocking, at: 110)],
      changes: ["4 gained 110"], followers: [1, 2, 3, 4, 5]),
    Rule(
      testDescription: "a block that the stream told after a follow that it prevents",
      events: [.made(4, 105, at: 105), .blocked(4, .blocking, at: 100)],
      changes: ["4 gained 105", "4 lost 100 blocking"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "an account that is deleted",
      events: [.made(1, 90, at: 90), .purged(1, at: 100), .shown(1, at: 110)],
      changes: ["1 lost 100 deleted", "1 lost 100 deleted 9"], followers: [2, 3, 5]),
    Rule(
      testDescription: "an account that is deleted while it is hidden",
      events: [.hidden(2, .deactivated, at: 100), .purged(2, at: 105), .shown(2, at: 110)],
      changes: ["2 lost 100 deactivated"], followers: [1, 3, 5]),
    Rule(
      testDescription: "an account that is deleted and comes again",
      events: [.purged(2, at: 100), .made(2, 110, at: 110)],
      changes: ["2 lost 100 deleted", "2 returned 110"], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "a repository that is told again",
      events: [.made(1, 10, at: 100), .made(1, 11, at: 100, on: others), .made(5, 50, at: 100)],
      changes: [], followers: [1, 2, 3, 5]),
    Rule(
      testDescription: "what a server says of one account",
      events: [.made(1, 90, at: 90), .lost(1, .unfollowed, at: 100), .deleted(90, by: 1, at: 110)],
      changes: ["1 lost 100 unfollowed"], followers: [2, 3, 5]),
    Rule(
      testDescription: "a server says that an account is hidden",
      events: [.lost(1, .blockedBy, at: 100), .unblocked(1, .blockedBy, at: 110)],
      changes: ["1 lost 100 blocked-by", "1 returned 110"], followers: [1, 2, 3, 5]),
  ]

  private func begin(_ store: any HistoryStore) async throws -> TestReader {
    func edge(_ account: Int, _ key: Int? = nil) -> HistoryEdge {
      HistoryEdge(Accounts.did(account), rkey: key.map(RecordKey.init(number:)))
    }
    let listed: [(HistoryListing, [HistoryEdge])] = [
      (.followers, [edge(1, 10), edge(2, 20), edge(3, 30), edge(5)]), (Self.others, [edge(1, 11)]),
      (.follows, [edge(7, 70)]), (Self.blocks, [edge(8, 80)]),
    ]
    for (listing, edges) in listed {
      let writer = try await store.begin(listing, at: 50)
      _ = try await writer.add(edges)
      _ = try await writer.finish(.full, Snapshot.Counts(), note: nil, at: 60)
    }
    return try await TestReader(store, .followers, Self.others, .follows, Self.blocks)
  }

  private static func text(_ change: HistoryChange) -> String {
    let account = (0..<100).first { Accounts.did($0) == change.account } ?? -1
    let place =
      switch change.listing {
      case .followers: ""
      case others: " 9"
      default: " \(change.listing.side)"
      }
    let cause = change.loss.map { " \($0.cause.rawValue)" } ?? ""
    return "\(account) \(change.kind) \(change.before.microsecondsSinceEpoch)\(cause)\(place)"
  }

  private func check(_ store: any HistoryStore, _ rule: Rule) async throws {
    let open = try await store.intervals(of: .followers, after: nil, most: .max).filter { $0.lostIn == nil }
    #expect(Set(open.map(\.edge.account)) == dids(rule.followers))
    if let database = (store as? SQLiteHistoryStore)?.database { #expect(try await database.check() == []) }
  }

  @Test(arguments: HistoryUnderTest.all, rules)
  func followsTheRule(_ history: HistoryUnderTest, rule: Rule) async throws {
    let store = try history.makePlace().openHistory()
    let reader = try await begin(store)
    let told = try await reader.tell(rule.events)
    #expect(told.changes.map { Self.text($0.change) } == rule.changes)
    #expect(told.unresolved == rule.unresolved)
    try await check(store, rule)
    // What a server was asked then may not have been answered.
    let last = rule.events.indices.last { rule.unresolved.contains($0) }
    if let last, last == rule.events.indices.last {
      #expect(try await reader.tell(Array(rule.events[last...])).unresolved == [0])
    }
    // A stream that begins again changes nothing, wherever it begins.
    for start in rule.events.indices {
      let again = try await reader.tell(Array(rule.events[start...]))
      #expect(again.changes == [], "from \(start)")
    }
    try await check(store, rule)
  }

  /// Also if the process ended between any two events, and the last ones come again. A record that is replaced stays in one
  /// batch.
  @Test(arguments: HistoryUnderTest.all, rules)
  func followsTheRuleEventByEvent(_ history: HistoryUnderTest, rule: Rule) async throws {
    let place = history.makePlace()
    let reader = try await begin(try place.openHistory())
    var told: [HistoryChange] = []
    for (index, event) in rule.events.enumerated() {
      if event.at == rule.events.dropFirst(index + 1).first?.at { continue }
      let before = index > 0 && rule.events[index - 1].at == event.at ? [rule.events[index - 1]] : []
      let again = TestReader(try place.openHistory(), reader.id)
      told += try await again.tell(before + [event]).changes.map(\.change)
      #expect(try await again.tell(Array(rule.events[...index])).changes == [], "after \(index)")
    }
    #expect(told.map(Self.text) == rule.changes)
    try await check(try place.openHistory(), rule)
  }
}
