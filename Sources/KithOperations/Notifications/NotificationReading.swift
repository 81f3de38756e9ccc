// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithPosts
import KithRelationships

/// Reads the notifications that are listed, page by page, with the posts that they are about.
struct NotificationReading {
  private let operation: ReadNotifications
  private let workspace: Workspace
  private var pages: PagedSequence<AccountNotification>.AsyncIterator
  private var relationships: ViewerRelationships
  private var posts: SubjectPosts
  private var hasEnded = false
  private(set) var outcome = ReadNotifications.Outcome()
  private(set) var shown: ShownNotifications

  init(
    _ operation: ReadNotifications, of notifications: Notifications, by account: AuthorizedAccount,
    in workspace: Workspace
  ) {
    self.operation = operation
    self.workspace = workspace
    pages = notifications.all(ofKinds: operation.kinds).makeAsyncIterator()
    relationships = ViewerRelationships(
      of: account.did, by: account.appview, concurrency: workspace.concurrency,
      correctedBy: workspace.listings(by: account.appview, as: account.did, usingCache: true))
    posts = SubjectPosts(PostViews(client: account.appview))
    shown = ShownNotifications(since: workspace.time.instant)
  }

  /// Why it is unknown how some accounts are related to the viewer; nil if it is known of all.
  var fault: (any Error)? { relationships.fault }

  /// Whether the last page was read. What follows then can only be the error that entries cannot be read.
  var isAtEnd: Bool { pages.isAtEnd }

  /// The rows of the next page, which may be none; nil after the last one.
  mutating func nextPage() async throws -> [NotificationRow]? {
    if hasEnded || shown.count == operation.limit { return nil }
    guard let page = try await pages.nextPage() else {
      shown.hasReachedRead = true
      hasEnded = true
      return nil
    }
    outcome.unreadable = pages.unreadable
    return try await rows(of: page)
  }

  /// The rows of notifications, the newest first.
  ///
  /// - Throws: `CancellationError`.
  mutating func rows(of page: [AccountNotification]) async throws -> [NotificationRow] {
    try await relationships.learn(about: page.map(\.author))
    await workspace.names().remember(page.map(\.author))
    var listed: [AccountNotification] = []
    for notification in page {
      if !goesOn(at: notification) { break }
      if isListed(notification) { listed.append(notification) }
    }
    try await posts.learn(about: listed, &relationships)
    outcome.postsFault = posts.fault
    return listed.map { notification in
      NotificationRow(
        notification: notification, post: posts.post(of: notification),
        relationship: relationships.relationship(with: notification.author))
    }
  }

  /// Whether a notification and those after it can still be listed. The newest comes first, so all after it are older, and after
  /// one that is read, all are read.
  private mutating func goesOn(at notification: AccountNotification) -> Bool {
    if notification.isRead { shown.hasReachedRead = true }
    if operation.isUnread && notification.isRead { hasEnded = true }
    if let since = operation.since, notification.at.instant < since.instant { hasEnded = true }
    if shown.count == operation.limit { hasEnded = true }
    return !hasEnded
  }

  /// Whether a notification is listed; counts it in any case. Servers that do not know the filter of kinds list others as well.
  private mutating func isListed(_ notification: AccountNotification) -> Bool {
    guard operation.kinds.isEmpty || operation.kinds.contains(notification.kind) else { return false }
    if let reason = relationships.reason(against: notification.author) {
      outcome.leftOut.add(reason)
      if !notification.isRead { shown.unreadLeftOut += 1 }
      return false
    }
    shown.add(notification)
    outcome.count += 1
    return true
  }
}

/// The posts that notifications are about, 25 a call.
private struct SubjectPosts {
  private let views: PostViews
  /// What was learned; nil for a post that is gone, or that a block or a mute hides.
  private var known: [ATURI: Post?] = [:]
  /// The first failure; no further calls are made after it, because the notifications are worth more than these texts.
  private(set) var fault: RelationshipError?

  init(_ views: PostViews) { self.views = views }

  /// - Throws: `CancellationError`.
  mutating func learn(
    about notifications: [AccountNotification], _ relationships: inout ViewerRelationships
  ) async throws {
    let missing = Set(notifications.compactMap(\.post)).filter { known[$0] == nil }
    if missing.isEmpty || fault != nil { return }
    do {
      let found = try await views.posts(missing)
      try await relationships.learn(about: found.values.map(\.author))
      for uri in missing {
        known[uri] = .some(found[uri].flatMap { relationships.reason(against: $0.author) == nil ? $0 : nil })
      }
    } catch {
      guard let failure = RelationshipError.wrapping(error) else { throw error }
      fault = failure
    }
  }

  func post(of notification: AccountNotification) -> Post? { notification.post.flatMap { known[$0] ?? nil } }
}
