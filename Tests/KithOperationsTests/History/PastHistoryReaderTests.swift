// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations

@Suite struct PastHistoryReaderTests {
  private static let now: Instant = 1_760_000_000_000_000
  private static let (monday, tuesday) = ("2025-01-06T12:00:00.000Z", "2025-01-07T12:00:00.000Z")
  private static let key = "3k2yihcrp6f2c"

  private static func counts(at moment: String, followers: Int = 2) -> String {
    #"{"kind":"counts","actor":"\#(Accounts.did(0))","at":"\#(moment)","followers":\#(followers),"follows":1,"#
      + #""posts":3}"#
  }

  private static func snapshot(_ side: String, at moment: String, counted: Int? = nil) -> String {
    #"{"kind":"snapshot","actor":"\#(Accounts.did(0))","side":"\#(side)","at":"\#(moment)""#
      + (counted.map { #","counted":\#($0)}"# } ?? "}")
  }

  /// - Parameter names: further fields.
  private static func listed(_ number: Int, key: String = key, names: String = "") -> String {
    #"{"kind":"listed","account":"\#(Accounts.did(number))","key":"\#(key)"\#(names)}"#
  }

  /// - Parameter names: further fields.
  private static func named(_ number: Int, _ names: String = #","handle":"x.test""#) -> String {
    #"{"kind":"named","account":"\#(Accounts.did(number))"\#(names)}"#
  }

  private static func lost(_ number: Int, _ evidence: String = "r:no-follow P:active") -> String {
    #"{"kind":"lost","account":"\#(Accounts.did(number))","evidence":"\#(evidence)"}"#
  }

  /// Two followers; one of them leaves.
  private static let sound = [
    counts(at: monday), snapshot("followers", at: monday, counted: 2), listed(1), listed(2),
    snapshot("blocks", at: monday), listed(3), counts(at: tuesday, followers: 1),
    snapshot("followers", at: tuesday, counted: 1), lost(1),
  ]

  private func history(
    _ lines: [String], inPiecesOf size: Int = .max, mostLines: Int = PastHistoryReader.mostLines
  ) throws -> PastHistory {
    var reader = PastHistoryReader(file: "past", until: Self.now, mostLines: mostLines)
    var rest = Array((lines.joined(separator: "\n") + "\n").utf8)[...]
    while !rest.isEmpty {
      try reader.received(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return try reader.ended()
  }

  @Test(arguments: [Int.max, 7]) func observationsAreReadInOrder(size: Int) throws {
    let past = try history(Self.sound, inPiecesOf: size)
    let key = try RecordKey(parsing: Self.key)
    let (monday, tuesday) = (try Datetime(parsing: Self.monday), try Datetime(parsing: Self.tuesday))
    let followers = HistoryListing(.followers, of: Accounts.did(0))
    var expected = PastHistory()
    expected.snapshots = [
      .init(followers, at: monday.instant, counted: 2),
      .init(HistoryListing(.blocks, of: Accounts.did(0)), at: monday.instant, counted: nil),
      .init(followers, at: tuesday.instant, counted: 1),
    ]
    expected.snapshots[0].listed = [1, 2].map { HistoryEdge(Accounts.did($0), rkey: key) }
    expected.snapshots[1].listed = [HistoryEdge(Accounts.did(3), rkey: key)]
    let evidence = Evidence([.init(.relationship, .noFollow), .init(.profiles, .active)])
    expected.snapshots[2].losses = [HistoryLoss(Accounts.did(1), .unfollowed, evidence)]
    expected.counts[Accounts.did(0)] = [
      Sample(at: monday.instant, AccountView.Counts(followers: 2, follows: 1, posts: 3)),
      Sample(at: tuesday.instant, AccountView.Counts(followers: 1, follows: 1, posts: 3)),
    ]
    #expect(past == expected)
    #expect(past.actors == [Accounts.did(0)])
  }

  @Test(arguments: [
    ("followers", "r:blocked-by=at://did:plc:a/app.bsky.graph.block/1", LossCause?.none),
    ("followers", "r:no-follow p:not-found d:deleted", .deleted),
    ("followers", "r:follows p:deactivated", .deactivated),
    ("followers", "r:follows p:taken-down", .suspended),
    ("followers", "r:follows P:active", nil),
    ("followers", "r:follows r:blocked-by", .blockedBy),
    ("followers", "r:follows r:blocking P:active", .blocking),
    ("follows", "l:no-record", .unfollowed), ("blocks", "l:no-record", .removed),
    ("follows", "r:no-follow P:active", nil), ("blocks", "P:active", nil), ("followers", "", nil),
    ("followers", "r:no-follow x:active", nil), ("followers", "r:no-follow P:gone", nil),
  ])
  func theCauseOfALossIsConcludedFromItsEvidence(side: String, evidence: String, cause: LossCause?) throws {
    let lines = [
      Self.snapshot(side, at: Self.monday), Self.listed(1), Self.snapshot(side, at: Self.tuesday),
      Self.lost(1, evidence),
    ]
    if let cause {
      let losses = try history(lines).snapshots.map { $0.losses.map(\.cause) }
      #expect(losses == [[], [cause]])
    } else {
      let error = #expect(throws: InputError.self) { try history(lines) }
      #expect(error?.place == "past:4")
    }
  }

  @Test(arguments: [
    "{", "[]", "nonsense", "{}", #"{"kind":1}"#, #"{"kind":"liked"}"#,
    #"{"kind":"listed","account":"bob.test","key":"1"}"#,
    // Fields that are missing.
    #"{"kind":"counts"}"#, #"{"kind":"snapshot"}"#, #"{"kind":"listed"}"#, #"{"kind":"lost"}"#,
    snapshot("followers", at: tuesday).replacing(#""at""#, with: #""when""#),
    counts(at: "2025-01-08T12:00:00.000Z").replacing(#""posts""#, with: #""likes""#),
    // Values that cannot be.
    snapshot("mutes", at: tuesday), snapshot("members", at: tuesday), snapshot("friends", at: tuesday),
    counts(at: "2025-01-08T12:00:00.000Z", followers: -1), snapshot("follows", at: tuesday, counted: -1),
    snapshot("follows", at: "today"),
    // Names that cannot be, or are not whole.
    listed(4, names: #","handle":"bob""#), listed(4, names: #","handle":1"#),
    listed(4, names: #","handle":"b.test","displayName":1"#), listed(4, names: #","displayName":"B""#),
    named(2, ""), named(2, #","displayName":"B""#), #"{"kind":"named","handle":"b.test"}"#,
    // Out of order.
    snapshot("follows", at: monday), counts(at: monday), snapshot("follows", at: "2026-01-07T12:00:00.000Z"),
    // Twice.
    counts(at: tuesday), snapshot("followers", at: tuesday), listed(2), lost(1), listed(1, key: "2"),
    // Not there, or no longer.
    lost(4), lost(3), named(1), named(3), named(4),
    // Too long.
    #"{"kind":"snapshot","actor":"\#(String(repeating: "x", count: 9_000))"}"#,
  ])
  func anObservationThatCannotBeIsNamedByItsLine(line: String) throws {
    _ = try history(Self.sound)
    let error = #expect(throws: InputError.self) { try history(Self.sound + [line, Self.lost(2)]) }
    #expect(error?.place == "past:10" && error?.noun == "observation")
  }

  @Test(arguments: [listed(1), lost(1), named(1)]) func anAccountNeedsASnapshot(line: String) {
    let error = #expect(throws: InputError.self) { try history([Self.counts(at: Self.monday), line]) }
    #expect(error?.place == "past:2")
  }

  @Test func namesAreReadInOrder() throws {
    let lines = [
      Self.counts(at: Self.monday).replacing(#""at""#, with: #""handle":"alice.test","at""#),
      Self.snapshot("followers", at: Self.monday), Self.listed(1),
      Self.listed(2, names: #","handle":"b.test","displayName":"\u001b[2JB \"b\"""#),
      Self.listed(3, names: #","handle":"c.test""#), Self.snapshot("followers", at: Self.tuesday),
      Self.named(2, #","handle":"d.test","displayName":null"#),
    ]
    let past = try history(lines)
    #expect(
      past.names == [
        AccountView(Accounts.did(0), handle: Handle("alice.test")),
        AccountView(Accounts.did(2), handle: Handle("b.test"), displayName: "\u{1b}[2JB \"b\""),
        AccountView(Accounts.did(3), handle: Handle("c.test")),
        AccountView(Accounts.did(2), handle: Handle("d.test")),
      ])
    #expect(past.snapshots.map(\.listed.count) == [3, 0])
  }

  @Test func anAccountMayReturnOrHaveAnotherKey() throws {
    let lines =
      Self.sound + [
        Self.snapshot("followers", at: "2025-01-08T12:00:00.000Z"), Self.listed(1, key: "2"),
        Self.listed(2, key: "2"),
      ]
    let accounts = try history(lines).snapshots.last?.listed.map(\.account)
    #expect(accounts == [Accounts.did(1), Accounts.did(2)])
  }

  @Test func aHistoryThatIsTooLongIsRefused() throws {
    #expect(try history(Self.sound, mostLines: 9).snapshots.count == 3)
    let error = #expect(throws: InputError.self) { try history(Self.sound, mostLines: 8) }
    #expect(error?.place == "past:9")
  }
}
