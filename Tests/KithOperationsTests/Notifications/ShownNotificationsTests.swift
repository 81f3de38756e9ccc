// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithPosts

/// Up to when notifications may be marked as seen.
@Suite struct ShownNotificationsTests {
  private func notification(at moment: Datetime, isRead: Bool = false) throws -> AccountNotification {
    try JSONCoding.decode(
      AccountNotification.self,
      from: Array(
        """
        {"uri":"at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.like/3a","reason":"like","record":{},
        "author":{"did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa","handle":"a.test"},"isRead":\(isRead),
        "indexedAt":"\(moment)"}
        """.utf8))
  }

  /// A server could date one in the year 9999, which would hide all that are still to come.
  @Test func neverAMomentThatIsStillToCome() throws {
    let now: Instant = 1_800_000_000_000_000
    let (past, future) = (Datetime(at: now - 60_000_000), try #require(Datetime("9999-12-31T00:00:00Z")))
    var shown = ShownNotifications(since: now)
    #expect(shown.moment == nil)
    shown.add(try notification(at: future))
    #expect(shown.moment == Datetime(at: now))
    shown.add(try notification(at: past))
    shown.add(try notification(at: Datetime(at: now - 120_000_000), isRead: true))
    #expect(shown.moment == past && shown.unread == 2)
  }
}
