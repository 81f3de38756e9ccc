// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithPosts

/// Tells new notifications from those that were there before. A value without a clock.
///
/// A notification is the same as another one if its record and its kind are: one record may bring two, such as a verification that
/// is given and withdrawn. Whether it was read may change, and servers give any times. The time of one only says where the listing
/// began: what the server sorts below that is old.
struct KnownNotifications {
  /// The most that are remembered after the last time they were listed; twice what is read at once.
  private static let most = 20_000

  /// The last in the listing at the beginning; nil if all of it was known.
  private let floor: Instant?
  private var recent: Set<AccountNotification.Identity> = []
  /// Those that were not listed for long; the next ones replace them.
  private var former: Set<AccountNotification.Identity> = []

  /// - Parameters:
  ///   - page: the beginning of the listing.
  ///   - isWhole: whether that is all of it.
  init(_ page: [AccountNotification] = [], isWhole: Bool = true) {
    floor = isWhole ? nil : page.last?.at.instant
    insert(page)
  }

  func contains(_ notification: AccountNotification.Identity) -> Bool {
    recent.contains(notification) || former.contains(notification)
  }

  /// Whether there was one about a record.
  func contains(_ record: ATURI) -> Bool {
    recent.contains { $0.record == record } || former.contains { $0.record == record }
  }

  private mutating func insert(_ notifications: some Sequence<AccountNotification>) {
    for notification in notifications { recent.insert(notification.identity) }
    if recent.count > Self.most { (former, recent) = (recent, []) }
  }

  /// Whether nothing new can follow a page of the listing.
  func ends(_ page: [AccountNotification]) -> Bool {
    guard let last = page.last else { return false }
    return contains(last.identity) || isOld(last) { $0 < $1 }
  }

  /// The new ones of a listing from its beginning, each once, and remembers them.
  mutating func takeNew(_ listed: [AccountNotification]) -> [AccountNotification] {
    let lastKnown = listed.lastIndex { contains($0.identity) } ?? 0
    var (new, again) = ([AccountNotification](), [AccountNotification]())
    var seen: Set<AccountNotification.Identity> = []
    for (index, notification) in listed.enumerated() where seen.insert(notification.identity).inserted {
      if contains(notification.identity) {
        again.append(notification)
      } else if index < lastKnown || !isOld(notification, <=) {
        new.append(notification)
      }
    }
    insert(again + new)
    return new
  }

  private func isOld(_ notification: AccountNotification, _ isBelow: (Instant, Instant) -> Bool) -> Bool {
    floor.map { isBelow(notification.at.instant, $0) } ?? false
  }
}

extension AccountNotification {
  /// What makes it the same as another one.
  struct Identity: Sendable, Hashable {
    let record: ATURI
    let kind: Kind
  }

  var identity: Identity { Identity(record: uri, kind: kind) }
}
