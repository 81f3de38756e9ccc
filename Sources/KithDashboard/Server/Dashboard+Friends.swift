// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages

extension Dashboard {
  /// Friend requests, and friends.
  static func addFriends(to routes: inout LocalRoutes<Action>) {
    routes.add("GET", "/{account}/\(FriendTab.inbox.rawValue)") { _, visit in try InboxPage(visit).response }
    routes.add("GET", "/{account}/\(FriendTab.inbox.rawValue)/waiting") { _, visit in
      try await RequestsCard(visit).response()
    }
    routes.add("GET", "/{account}/\(FriendTab.sent.rawValue)") { _, visit in try SentPage(visit).response }
    routes.add("GET", "/{account}/\(FriendTab.friends.rawValue)") { _, visit in
      try FriendsPage(visit).response
    }
  }
}
