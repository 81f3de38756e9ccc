// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithPosts

/// Which notifications of a listing are new.
@Suite struct KnownNotificationsTests {
  /// - Parameter listing: pairs of a name and a time, such as `"b7 a5"`, the newest first.
  private func listing(_ listing: String) throws -> [AccountNotification] {
    try listing.split(separator: " ").map { entry in
      let time = Datetime(at: Instant(secondsSinceEpoch: Int64(entry.dropFirst()) ?? 0))
      return try JSONCoding.decode(
        AccountNotification.self,
        from: Array(
          """
          {"uri":"at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.like/\(entry.prefix(1))","reason":"like",
          "record":{},"author":{"did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa","handle":"a.test"},"isRead":false,
          "indexedAt":"\(time)"}
          """.utf8))
    }
  }

  private func names(_ notifications: [AccountNotification]) -> String {
    notifications.map { $0.uri.recordKey?.description ?? "?" }.joined()
  }

  /// The new ones of listings that come one after the other.
  private func new(_ first: String, isWhole: Bool = false, _ next: String...) throws -> [String] {
    var known = KnownNotifications(try listing(first), isWhole: isWhole)
    return try next.map { names(known.takeNew(try listing($0))) }
  }

  @Test func eachIsNewOnce() throws {
    #expect(try new("b5 a4", "c6 b5 a4", "c6 b5 a4", "e7 d7 c6 b5") == ["c", "", "ed"])
    #expect(try new("b5 a4", "c6 b5 c6 a4") == ["c"])
    // One that an answer lacks comes back.
    #expect(try new("b5 a4", "c6 b5 a4", "b5 a4", "c6 b5 a4") == ["c", "", ""])
  }

  @Test func whatMovesUpFromBelowIsOld() throws {
    #expect(try new("c6 b5", "c6 a4", "a4", "z3") == ["", "", ""])
    #expect(try new("c6 b5", "d7 a4") == ["d"], "all that were known are gone")
  }

  @Test func allIsNewWhereAllWasKnown() throws {
    #expect(try new("c6", isWhole: true, "c6 a1") == ["a"])
    #expect(try new("", isWhole: true, "b5 a4") == ["ba"])
  }

  @Test func orderCountsWhereTimesDoNotTell() throws {
    #expect(try new("b5 a5", "c5 b5 a5", "c5 b5 a5 z5") == ["c", ""])
    #expect(try new("b5 a4", "b5 c1 a4") == ["c"], "dated back, but above what is known")
    #expect(try new("b9999999 a9999999", "c5 b9999999 a9999999") == ["c"])
  }

  @Test func aPageEndsTheReadingAtWhatIsKnown() throws {
    let known = KnownNotifications(try listing("c6 b5"), isWhole: false)
    #expect(try ["d7 c6", "d7 a4"].allSatisfy { known.ends(try listing($0)) })
    #expect(try !["e8 d7", "e8 d5", ""].contains { known.ends(try listing($0)) })
  }
}
