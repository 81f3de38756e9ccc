// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
internal import KithLexicons
public import KithRelationships

/// Reads the notifications of the viewer and their settings, and changes these. All of it goes through the account's own server.
///
/// Every call throws `RelationshipError` and `CancellationError`.
public struct Notifications: Sendable {
  private typealias Notification = App.Bsky.Notification

  let listings: Listings

  /// Creates a reader from the listings of a viewer.
  public init(_ listings: Listings) { self.listings = listings }

  /// The notifications, newest first. The AppView leaves out those of accounts with a block or a mute, and some replies, without
  /// saying how many.
  ///
  /// Reading marks nothing as seen.
  /// - Parameter kinds: only these; empty for all. Rare kinds may come in short pages.
  public func all(ofKinds kinds: [AccountNotification.Kind] = []) -> PagedSequence<AccountNotification> {
    typealias Method = Notification.ListNotifications
    let reasons = kinds.isEmpty ? nil : kinds.map(\.rawValue)
    return listings.sequence(
      of: Method.self, reading: ElementPage<NotificationsField, AccountNotification>.self,
      pageSize: Listings.postsPerPage,
      orElse: RelationshipError.clientNotConfigured
    ) { Method.Parameters(reasons: reasons, limit: $1, cursor: $0) }
  }

  /// How many are unread, with those that ``all(ofKinds:)`` leaves out.
  public func unreadCount() async throws -> Int {
    try await wrapping {
      try await listings.client.query(
        Notification.GetUnreadCount.self, Notification.GetUnreadCount.Parameters()
      ).count
    }
  }

  /// Marks all notifications up to a moment as seen, in every app: it also clears the badge on the account's phone.
  public func markSeen(upTo moment: Datetime) async throws {
    typealias Method = Notification.UpdateSeen
    try await wrapping {
      _ = try await listings.client.call(
        Method.self, NoParameters(), input: Method.Input(seenAt: moment), isIdempotent: true)
    }
  }

  // MARK: Settings

  /// What the account wants to be told, by the names of the kinds.
  public func settings() async throws -> [NotificationSetting] {
    typealias Method = Notification.GetPreferences
    return try await wrapping {
      try await listings.client.query(Method.self, Method.Parameters(), reading: SettingsAnswer.self).settings
    }
  }

  /// Changes some settings; the others stay as they are.
  ///
  /// - Returns: all settings.
  /// - Throws: `RelationshipError` `invalidResponse` if the server does not confirm them.
  public func change(_ settings: [NotificationSetting]) async throws -> [NotificationSetting] {
    typealias Method = Notification.PutPreferencesV2
    let input = DataValue.object(
      DataObject(settings.map { ($0.kind, $0.value) }))
    var request = XRPCRequest(method: Method.nsid, verb: .post)
    request.body = XRPCRequest.Body(bytes: try JSONCoding.encode(input), encoding: "application/json")
    let all = try await wrapping {
      // Neither what is sent nor what is answered has to be of the lexicon in settings that are not changed.
      try await listings.client.perform(request, repeatable: true, within: Method.answerBounds) {
        try JSONCoding.decode(SettingsAnswer.self, from: $0, within: $1)
      }.settings
    }
    if let lost = settings.first(where: { wanted in !all.contains { $0.says(wanted) } }) {
      throw RelationshipError.invalidResponse(
        Method.nsid, path: "preferences.\(lost.kind)", "not what was sent")
    }
    return all
  }

  // MARK: Subscriptions

  /// The accounts whose posts the account is told of, newest first.
  public func subscriptions() -> PagedSequence<AccountView> {
    typealias Method = Notification.ListActivitySubscriptions
    return listings.sequence(
      of: Method.self, reading: AccountPage<SubscriptionsField>.self,
      orElse: RelationshipError.clientNotConfigured
    ) { Method.Parameters(limit: $1, cursor: $0) }
  }

  /// Asks to be told of the posts of an account, and of its replies; neither ends it.
  ///
  /// - Throws: `RelationshipError` `invalidResponse` if the server does not confirm it.
  public func subscribe(to account: DID, posts: Bool, replies: Bool) async throws {
    typealias Method = Notification.PutActivitySubscription
    let answer = try await wrapping {
      try await listings.client.call(
        Method.self, NoParameters(),
        input: Method.Input(
          subject: account,
          activitySubscription: Notification.Defs.ActivitySubscription(post: posts, reply: replies)),
        isIdempotent: true)
    }
    let confirmed = answer.activitySubscription
    guard answer.subject == account, confirmed?.post ?? false == posts, confirmed?.reply ?? false == replies
    else {
      throw RelationshipError.invalidResponse(Method.nsid, path: "activitySubscription", "not what was sent")
    }
  }

  private func wrapping<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
    do { return try await call() } catch { throw RelationshipError.wrapping(error) ?? error }
  }
}

private enum SubscriptionsField: PageField { static let name = "subscriptions" }
private enum NotificationsField: PageField { static let name = "notifications" }

extension AccountNotification: PageElement {
  package var row: (name: Int, element: AccountNotification) { (uri.hashValue, self) }
}

/// The answer with all settings; those that are not of a known shape are left out.
private struct SettingsAnswer: Decodable {
  let preferences: [String: ReadableValue]

  var settings: [NotificationSetting] {
    preferences.compactMap { NotificationSetting(kind: $0.key, $0.value.value) }.sorted { $0.kind < $1.kind }
  }
}

extension NotificationSetting {
  fileprivate init?(kind: String, _ value: DataValue) {
    guard var rest = value.object, let isPushed = rest["push"]?.bool else { return nil }
    let audience = rest["include"]?.string.map { Audience(rawValue: $0) }
    let isListed = rest["list"]?.bool
    for (name, isRead) in [("push", true), ("include", audience != nil), ("list", isListed != nil)]
    where isRead {
      rest[name] = nil
    }
    self.init(kind: kind, audience: audience, isListed: isListed, isPushed: isPushed, rest: rest)
  }

  /// Whether it says the same as another one, whatever the server keeps with it.
  fileprivate func says(_ other: NotificationSetting) -> Bool {
    (kind, audience?.rawValue, isListed, isPushed)
      == (other.kind, other.audience?.rawValue, other.isListed, other.isPushed)
  }

  fileprivate var value: DataValue {
    var fields = rest
    fields["push"] = .bool(isPushed)
    if let audience { fields["include"] = .string(audience.rawValue) }
    if let isListed { fields["list"] = .bool(isListed) }
    return .object(fields)
  }
}
