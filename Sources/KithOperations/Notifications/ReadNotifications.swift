// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithPosts
import KithRelationships

/// Lists what the signed-in account is told of, newest first, without what a block or a mute hides.
public struct ReadNotifications: KithOperation {
  /// How many are listed if no number is named.
  public static let usualLimit = 50

  /// Only these kinds; empty for all.
  public var kinds: [AccountNotification.Kind]
  /// Whether only those are listed that are not marked as seen.
  public var isUnread: Bool
  /// Only those since then; nil for all.
  public var since: Datetime?
  /// The most rows.
  public var limit: Int
  /// Whether all up to the newest row are marked as seen, which clears the badge on the account's phone, too. Nothing is marked
  /// if an unread one was not among the rows.
  public var marksSeen: Bool

  /// Creates the operation.
  public init(
    ofKinds kinds: [AccountNotification.Kind] = [], unread isUnread: Bool = false, since: Datetime? = nil,
    limit: Int = usualLimit, markingSeen marksSeen: Bool = false
  ) {
    (self.kinds, self.isUnread, self.since) = (kinds, isUnread, since)
    (self.limit, self.marksSeen) = (limit, marksSeen)
  }

  /// What was listed, and what was left out.
  public struct Outcome: Sendable {
    /// How many were left out because of their accounts.
    public internal(set) var leftOut = LeftOutCounts()
    /// How many cannot be read.
    public internal(set) var unreadable = 0
    /// How many the server counts as unread, with those that it does not list; nil if that was not asked for.
    public internal(set) var unread: Int?
    /// Up to when all are marked as seen; nil if nothing was marked.
    public internal(set) var seen: Datetime?
    /// How many unread ones were not among the rows, so nothing was marked as seen; nil if none was missing.
    public internal(set) var unseen: Int?
    /// How the rows were delivered.
    public internal(set) var rows = RowsOutcome()
  }

  /// - Throws: `SessionError` if no account is signed in; `RelationshipError`, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<NotificationRow>) async throws -> Outcome {
    let account = try await workspace.account()
    let notifications = workspace.notifications(of: account)
    var relationships = ViewerRelationships(
      of: account.did, by: account.appview, concurrency: workspace.concurrency)
    var outcome = Outcome()
    if isUnread { outcome.unread = try await notifications.unreadCount() }
    var pages = notifications.all(ofKinds: kinds).makeAsyncIterator()
    var shown = ShownNotifications(since: workspace.time.instant)
    outcome.rows = await report.deliver { rows in
      reading: while rows.count < limit {
        guard let page = try await pages.nextPage() else {
          shown.hasReachedRead = true
          break
        }
        try await relationships.learn(about: page.map(\.author))
        await workspace.names().remember(page.map(\.author))
        for notification in page {
          // The newest comes first, so all after it are older, and read.
          if notification.isRead { shown.hasReachedRead = true }
          if isUnread && notification.isRead { break reading }
          if let since, notification.at.instant < since.instant { break reading }
          if rows.count == limit { break reading }
          if let reason = relationships.reason(against: notification.author) {
            outcome.leftOut.add(reason)
            if !notification.isRead { shown.unreadLeftOut += 1 }
          } else {
            shown.add(notification)
            try await rows.append(
              NotificationRow(
                notification: notification,
                relationship: relationships.relationship(with: notification.author)))
          }
        }
        try await rows.flush()
      }
    }
    outcome.unreadable = pages.unreadable
    outcome.rows = outcome.rows.doubted(relationships.fault)
    if marksSeen, outcome.rows.interruption == nil {
      var isComplete = shown.hasReachedRead && shown.unreadLeftOut == 0
      if !isComplete || !kinds.isEmpty || outcome.unreadable > 0 {
        // Only the server knows what was passed over.
        let missing = try await notifications.unreadCount() - shown.unread
        isComplete = missing <= 0 && shown.unreadLeftOut == 0
        if !isComplete { outcome.unseen = max(missing, shown.unreadLeftOut) }
      }
      if isComplete, let moment = shown.moment {
        try await notifications.markSeen(upTo: moment)
        await workspace.remember("notifications seen", by: account.did, changed: true)
        outcome.seen = moment
      }
    }
    return outcome
  }
}

/// Which notifications were rows, to decide up to when all may be marked as seen.
struct ShownNotifications {
  /// When reading began.
  let since: Instant
  /// Whether all unread ones were looked at: those after the first read one are read, too.
  var hasReachedRead = false
  /// How many unread ones were rows.
  private(set) var unread = 0
  /// How many unread ones were left out because of their accounts.
  var unreadLeftOut = 0
  /// The newest row that is not dated later than the reading began.
  private var newest: Datetime?
  private var isEmpty = true

  init(since: Instant) { self.since = since }

  mutating func add(_ notification: AccountNotification) {
    isEmpty = false
    if !notification.isRead { unread += 1 }
    let at = notification.at
    guard at.instant <= since, newest.map({ $0.instant < at.instant }) ?? true else { return }
    newest = at
  }

  /// Up to when all may be marked as seen; nil if there are no rows. Never later than the reading began: a server could date
  /// one to hide those that are still to come.
  var moment: Datetime? { isEmpty ? nil : newest ?? Datetime(at: since) }
}

extension Workspace {
  /// The notifications of a signed-in account.
  func notifications(of account: AuthorizedAccount) -> Notifications {
    Notifications(listings(by: account.appview, as: account.did, usingCache: true))
  }
}

/// Shows or changes what the signed-in account wants to be told.
public struct ChangeNotificationSettings: KithOperation {
  /// The kinds to change, as the lexicon names them; empty for all that there are.
  public var kinds: [String]
  /// Whose events count; nil to leave it.
  public var audience: NotificationSetting.Audience?
  /// Whether the list shows them; nil to leave it.
  public var isListed: Bool?
  /// Whether they are sent to the account's devices; nil to leave it.
  public var isPushed: Bool?

  /// Creates the operation; without a change it shows the settings.
  public init(
    of kinds: [String] = [], audience: NotificationSetting.Audience? = nil, listed isListed: Bool? = nil,
    pushed isPushed: Bool? = nil
  ) {
    (self.kinds, self.audience, self.isListed, self.isPushed) = (kinds, audience, isListed, isPushed)
  }

  /// - Returns: how the rows ended; a row for each setting that was asked for.
  /// - Throws: `SessionError` if no account is signed in; ``OperationError`` `noSuchSetting` for a kind, or for a choice that a
  ///   kind does not have; `RelationshipError`, `CancellationError`. Nothing is changed then.
  public func run(
    in workspace: Workspace, _ report: Reporter<NotificationSettingRow>
  ) async throws -> RowsOutcome {
    let account = try await workspace.account()
    let notifications = workspace.notifications(of: account)
    var settings = try await notifications.settings()
    if let unknown = kinds.first(where: { kind in !settings.contains { $0.kind == kind } }) {
      throw OperationError.noNotificationSetting(unknown, known: settings.map(\.kind))
    }
    settings = settings.filter { kinds.isEmpty || kinds.contains($0.kind) }
    if audience != nil || isListed != nil || isPushed != nil {
      let wanted = try settings.compactMap { try changed($0) }
      if !wanted.isEmpty {
        let all = try await notifications.change(wanted)
        settings = all.filter { new in settings.contains { $0.kind == new.kind } }
      }
      await workspace.remember("notifications settings", by: account.did, changed: !wanted.isEmpty)
    }
    return await report.deliver(settings.map { NotificationSettingRow(setting: $0) })
  }

  /// The setting as it is wanted; nil if it is so already.
  private func changed(_ setting: NotificationSetting) throws(OperationError) -> NotificationSetting? {
    var changed = setting
    if let audience {
      guard setting.audience != nil else { throw .noChoice(of: "include", for: setting.kind) }
      changed.audience = audience
    }
    if let isListed {
      guard setting.isListed != nil else { throw .noChoice(of: "list", for: setting.kind) }
      changed.isListed = isListed
    }
    changed.isPushed = isPushed ?? setting.isPushed
    return changed == setting ? nil : changed
  }
}

/// Subscribes the signed-in account to the posts of others, or lists such subscriptions.
public struct SubscribeToPosts: KithOperation {
  /// What the account is told of.
  public enum Subscription: Sendable, Hashable {
    case posts, postsAndReplies
    /// Nothing: the subscription ends.
    case none
  }

  /// The accounts; empty to list the subscriptions.
  public var actors: [ATIdentifier]
  /// What the account is told of.
  public var subscription: Subscription

  /// Creates the operation.
  public init(to actors: [ATIdentifier] = [], _ subscription: Subscription = .posts) {
    (self.actors, self.subscription) = (actors, subscription)
  }

  /// - Returns: how the rows ended; a row for each account that is subscribed to, or whose subscription was changed.
  /// - Throws: `SessionError` if no account is signed in; `IdentityError` if one of the accounts does not exist, before anything
  ///   is changed; `RelationshipError`, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<AccountViewRow>) async throws -> RowsOutcome {
    let account = try await workspace.account()
    let notifications = workspace.notifications(of: account)
    if actors.isEmpty {
      return await report.deliver { rows in
        for try await view in notifications.subscriptions() {
          try await rows.append(AccountViewRow(view: view))
        }
      }
    }
    var accounts: [DID] = []
    for actor in actors { accounts.append(try await workspace.identities.did(of: actor)) }
    let views = try await workspace.names().views(of: Set(accounts), asking: true)
    // A run that ends early may have changed some of them.
    await workspace.remember("notifications subscribe", by: account.did, changed: true)
    return await report.deliver { rows in
      for account in accounts {
        try await notifications.subscribe(
          to: account, posts: subscription != .none, replies: subscription == .postsAndReplies)
        try await rows.append(AccountViewRow(view: views[account] ?? AccountView(account)))
        try await rows.flush()
      }
    }
  }
}

extension OperationError {
  package static func noNotificationSetting(_ kind: String, known: [String]) -> OperationError {
    OperationError(
      .noSuchSetting, .usage,
      "there is no kind of notification \"\(kind)\"; use one of \(known.joined(separator: ", "))",
      ["kind": .string(kind), "known": .array(known.map { .string($0) })])
  }

  package static func noChoice(of choice: String, for kind: String) -> OperationError {
    OperationError(
      .noSuchSetting, .usage, "\(kind) has no choice of \(choice); nothing was changed",
      ["kind": .string(kind), "choice": .string(choice)])
  }
}
