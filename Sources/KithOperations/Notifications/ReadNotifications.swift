// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithPosts
public import KithRelationships

/// Lists what the signed-in account is told of, newest first, without what a block or a mute hides, and says which posts it is
/// about.
public struct ReadNotifications: KithOperation {
  public static let name = "readNotifications"

  /// How many are listed if no number is named.
  public static let usualLimit = 50

  /// Only these kinds; empty for all.
  public var kinds: [AccountNotification.Kind]
  /// Whether only those are listed that are not marked as seen.
  public var isUnread: Bool
  /// Only those since then; nil for all.
  public var since: Datetime?
  /// The most notifications.
  public var limit: Int
  /// Whether those of one kind about the same post are one row, in the place of the newest. Follows, and what is itself a
  /// post, such as a reply, keep rows of their own.
  public var isGrouped: Bool
  /// Whether all up to the newest row are marked as seen, which clears the badge on the account's phone, too. Nothing is marked
  /// if an unread one was not among the rows.
  public var marksSeen: Bool

  /// Creates the operation.
  public init(
    ofKinds kinds: [AccountNotification.Kind] = [], unread isUnread: Bool = false, since: Datetime? = nil,
    limit: Int = usualLimit, grouped isGrouped: Bool = false, markingSeen marksSeen: Bool = false
  ) {
    (self.kinds, self.isUnread, self.since) = (kinds, isUnread, since)
    (self.limit, self.isGrouped, self.marksSeen) = (limit, isGrouped, marksSeen)
  }

  /// What was listed, and what was left out.
  public struct Outcome: OutcomeOfRows {
    /// How many were listed; a row can stand for several.
    public internal(set) var count = 0
    /// How many were left out because of their accounts.
    public internal(set) var leftOut = LeftOutCounts()
    /// How many cannot be read.
    public internal(set) var unreadable = 0
    /// Why the texts of some posts that notifications are about are unknown; nil if all were read.
    public internal(set) var postsFault: RelationshipError?
    /// Only these kinds were listed; empty for all.
    public internal(set) var kinds: [AccountNotification.Kind] = []
    /// Since when they were listed; nil for all.
    public internal(set) var since: Datetime?
    /// How many the server counts as unread, of all kinds and with those that it does not list; nil if that was not
    /// asked for.
    public internal(set) var unread: Int?
    /// Up to when all are marked as seen; nil if nothing was marked.
    public internal(set) var seen: Datetime?
    /// How many unread ones were not among the rows, so nothing was marked as seen; nil if none was missing.
    public internal(set) var unseen: Int?
    /// How the rows were delivered.
    public internal(set) var rows = RowsOutcome()

    /// Notifications that were to be marked as seen, but are not, because unread ones were not among the rows.
    public var ending: Ending { unseen == nil ? Ending(rows) : .declined }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "notifications": .integer(count),
        "leftOutBlocked": .integer(leftOut.blocked),
        "leftOutMuted": .integer(leftOut.muted),
        "leftOutUnknown": .integer(leftOut.unknown),
        "unreadable": .integer(unreadable),
        "postsFault": .cause(postsFault),
        "unread": .number(unread),
        "seen": .text(seen),
        "unseen": .number(unseen),
      ])
    }
  }

  /// - Throws: `SessionError` if no account is signed in; `RelationshipError`, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<NotificationRow>) async throws -> Outcome {
    let account = try await workspace.account()
    let notifications = workspace.notifications(of: account)
    let unread = isUnread ? try await notifications.unreadCount() : nil
    var reading = NotificationReading(self, of: notifications, by: account, in: workspace)
    let rows = await report.deliver { rows in
      var waiting: [NotificationRow] = []
      var failure: (any Error)?
      do {
        while let page = try await reading.nextPage() {
          if isGrouped {
            waiting += page
          } else {
            for row in page { try await rows.append(row) }
            try await rows.flush()
          }
        }
      } catch {
        failure = error
      }
      for row in NotificationRow.grouped(waiting) { try await rows.append(row) }
      if let failure { throw failure }
    }
    var outcome = reading.outcome
    (outcome.kinds, outcome.since, outcome.unread) = (kinds, since, unread)
    outcome.rows = rows.marked(interruptedBy: reading.fault)
    if marksSeen, outcome.rows.interruption == nil {
      try await markSeen(reading.shown, notifications, &outcome)
      if outcome.seen != nil {
        await workspace.remember("notifications seen", by: account.did, changed: true)
      }
    }
    return outcome
  }

  private func markSeen(
    _ shown: ShownNotifications, _ notifications: Notifications, _ outcome: inout Outcome
  ) async throws {
    var isComplete = shown.hasReachedRead && shown.unreadLeftOut == 0
    if !isComplete || !kinds.isEmpty || outcome.unreadable > 0 {
      // Only the server knows what was passed over.
      let missing = try await notifications.unreadCount() - shown.unread
      isComplete = missing <= 0 && shown.unreadLeftOut == 0
      if !isComplete { outcome.unseen = max(missing, shown.unreadLeftOut) }
    }
    guard isComplete, let moment = shown.moment else { return }
    try await notifications.markSeen(upTo: moment)
    outcome.seen = moment
  }
}

/// Which notifications were rows, to decide up to when all may be marked as seen.
struct ShownNotifications {
  /// When reading began.
  let since: Instant
  /// Whether all unread ones were looked at: those after the first read one are read, too.
  var hasReachedRead = false
  /// How many were rows, or parts of rows.
  private(set) var count = 0
  /// How many of these are unread.
  private(set) var unread = 0
  /// How many unread ones were left out because of their accounts.
  var unreadLeftOut = 0
  /// The newest row that is not dated later than the reading began.
  private var newest: Datetime?

  init(since: Instant) { self.since = since }

  mutating func add(_ notification: AccountNotification) {
    count += 1
    if !notification.isRead { unread += 1 }
    let at = notification.at
    guard at.instant <= since, newest.map({ $0.instant < at.instant }) ?? true else { return }
    newest = at
  }

  /// Up to when all may be marked as seen; nil if there are no rows. Never later than the reading began: a server could date
  /// one to hide those that are still to come.
  var moment: Datetime? { count == 0 ? nil : newest ?? Datetime(at: since) }
}

extension Workspace {
  /// The notifications of a signed-in account.
  func notifications(of account: AuthorizedAccount) -> Notifications {
    Notifications(listings(by: account.appview, as: account.did, usingCache: true))
  }
}

/// Shows or changes what the signed-in account wants to be told.
public struct ChangeNotificationSettings: KithOperation {
  public static let name = "changeNotificationSettings"

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
  public static let name = "subscribeToPosts"

  public typealias Subscription = SubscriptionRow.Subscription

  /// The accounts; empty to list the subscriptions.
  public var actors: [ATIdentifier]
  /// What the account is told of.
  public var subscription: Subscription

  /// Creates the operation.
  public init(to actors: [ATIdentifier] = [], _ subscription: Subscription = .posts) {
    (self.actors, self.subscription) = (actors, subscription)
  }

  /// - Returns: how the rows ended; a row for each account that is subscribed to, or whose subscription was asked for or ended.
  /// - Throws: `SessionError` if no account is signed in; `IdentityError` if one of the accounts does not exist, before anything
  ///   is changed; `RelationshipError`, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<SubscriptionRow>) async throws -> RowsOutcome {
    let account = try await workspace.account()
    let notifications = workspace.notifications(of: account)
    if actors.isEmpty {
      return await report.deliver { rows in
        for try await view in notifications.subscriptions() {
          try await rows.append(SubscriptionRow(view: view, subscription: nil))
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
        try await rows.append(
          SubscriptionRow(view: views[account] ?? AccountView(account), subscription: subscription))
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
