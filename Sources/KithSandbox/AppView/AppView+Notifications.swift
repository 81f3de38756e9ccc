// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  private typealias Defs = App.Bsky.Notification.ListNotifications

  /// What one account is told of.
  private struct Event {
    let author: Int
    let moment: Instant
    let uri: ATURI
    let reason: App.Bsky.Notification.ListNotifications.Notification.Reason
    var subject: ATURI?
    let record: DataValue

    init(
      author: Int, moment: Instant, uri: ATURI,
      reason: App.Bsky.Notification.ListNotifications.Notification.Reason, subject: ATURI? = nil,
      record: DataValue
    ) {
      (self.author, self.uri, self.reason, self.subject, self.record) = (author, uri, reason, subject, record)
      // The precision of datetimes, so that what was seen at a time is read.
      self.moment = Instant(microsecondsSinceEpoch: moment.microsecondsSinceEpoch / 1_000 * 1_000)
    }
  }

  /// How many of the viewer's latest posts have notifications about them.
  private static let postsWithNotifications = 30
  private static let mostNotifications = 1_000

  /// `app.bsky.notification.listNotifications`, newest first. Accounts with a block or a mute are left out after paging, and
  /// so are other reasons than those asked for: pages may be short.
  func notifications(
    _ parameters: App.Bsky.Notification.ListNotifications.Parameters
  ) throws(XRPCFault) -> App.Bsky.Notification.ListNotifications.Output {
    if parameters.seenAt != nil { throw .invalidRequest("The seenAt parameter is unsupported") }
    let viewer = try requiredViewer()
    let events = events(of: viewer)
    let reasons = Set(parameters.reasons ?? [])
    let page = try page(Array(events.indices), limit: parameters.limit, cursor: parameters.cursor) { place in
      let event = events[place]
      return isNotifying(event.author) && (reasons.isEmpty || reasons.contains(event.reason.rawValue))
    }
    let seen = notices.seenAt(by: viewer)
    return App.Bsky.Notification.ListNotifications.Output(
      cursor: page.cursor?.text,
      notifications: page.elements.map { place in
        let event = events[place]
        return Defs.Notification(
          uri: event.uri, cid: event.record.contentID, author: view(of: event.author), reason: event.reason,
          reasonSubject: event.subject, record: event.record,
          isRead: seen.map { event.moment <= $0 } ?? false,
          indexedAt: Datetime(at: event.moment), labels: [])
      }, priority: false, seenAt: seen.map { Datetime(at: $0) })
  }

  /// `app.bsky.notification.getUnreadCount`: counts what ``notifications(_:)`` leaves out as well.
  func unreadCount(
    _ parameters: App.Bsky.Notification.GetUnreadCount.Parameters
  ) throws(XRPCFault) -> App.Bsky.Notification.GetUnreadCount.Output {
    let viewer = try requiredViewer()
    let seen = notices.seenAt(by: viewer)
    return App.Bsky.Notification.GetUnreadCount.Output(
      count: events(of: viewer).count { event in seen.map { event.moment > $0 } ?? true })
  }

  /// `app.bsky.notification.getPreferences`.
  func notificationPreferences(
    _: App.Bsky.Notification.GetPreferences.Parameters
  ) throws(XRPCFault) -> App.Bsky.Notification.GetPreferences.Output {
    App.Bsky.Notification.GetPreferences.Output(preferences: notices.preferences(of: try requiredViewer()))
  }

  /// `app.bsky.notification.listActivitySubscriptions`, newest first.
  func activitySubscriptions(
    _ parameters: App.Bsky.Notification.ListActivitySubscriptions.Parameters
  ) throws(XRPCFault) -> App.Bsky.Notification.ListActivitySubscriptions.Output {
    let page = try page(
      notices.subscriptions(of: try requiredViewer()), limit: parameters.limit, cursor: parameters.cursor,
      where: isNotifying)
    return App.Bsky.Notification.ListActivitySubscriptions.Output(
      cursor: page.cursor?.text, subscriptions: page.elements.map(view(of:)))
  }

  private func isNotifying(_ account: Int) -> Bool {
    isListed(account) && viewerState(of: account)?.muted != true
  }

  // MARK: Events

  private func events(of viewer: Int) -> [Event] {
    let own = items(of: viewer, before: now, limit: Self.postsWithNotifications) { $0.kind != .repost }
    let pages = PostPages(self)
    pages.prepare(own)
    pages.prepareReplies(to: own)
    var events = follows(of: viewer)
    for post in own {
      let subject = posts.uri(of: post)
      events += pages.likes(of: post).map { reaction(.like, "like", $0, to: subject, post.cid) }
      events += pages.reposts(of: post).map { reaction(.repost, "repost", $0, to: subject, post.cid) }
      events += pages.quotes(of: post).map { event(.quote, $0, about: subject) }
      events += pages.replies(to: post).filter { $0.author != viewer }.map {
        event(.reply, $0, about: subject)
      }
    }
    // A post that answers or quotes the viewer and mentions it, too, makes one notification.
    let mentions = graph.writtenPosts.posts(mentioning: network.dids[viewer])
      .filter { $0.author != viewer && $0.moment < now }.map { event(.mention, $0) }
    let mentioning = Set(mentions.map(\.uri))
    events = events.filter { !mentioning.contains($0.uri) } + mentions
    events.sort { ($0.moment, $0.author) > ($1.moment, $1.author) }
    return Array(events.prefix(Self.mostNotifications))
  }

  private func follows(of viewer: Int) -> [Event] {
    graph.follows.edges(to: viewer).prefix(Self.mostNotifications).compactMap { edge in
      let author = graph.follows.row(of: Int(edge))
      guard let uri = graph.follow(from: author, to: viewer), let moment = uri.recordKey?.tid?.instant else {
        return nil
      }
      return Event(
        author: author, moment: moment, uri: uri, reason: .follow,
        record: [
          "$type": .string(App.Bsky.Graph.Follow.nsid.description),
          "subject": .string(network.dids[viewer].description),
          "createdAt": .string(Datetime(at: moment).description),
        ])
    }
  }

  private func event(
    _ reason: App.Bsky.Notification.ListNotifications.Notification.Reason, _ post: Post,
    about subject: ATURI? = nil
  ) -> Event {
    Event(
      author: post.author, moment: post.moment, uri: posts.uri(of: post), reason: reason, subject: subject,
      record: posts.content(of: post))
  }

  private func reaction(
    _ reason: App.Bsky.Notification.ListNotifications.Notification.Reason, _ name: String,
    _ reaction: Audience.Reaction, to subject: ATURI, _ cid: CID
  ) -> Event {
    if let written = reaction.written {
      return Event(
        author: reaction.account, moment: reaction.moment, uri: written.record, reason: reason,
        subject: subject, record: written.value)
    }
    let collection = "app.bsky.feed.\(name)"
    let key = RecordKey(tid: TID(at: reaction.moment, clockID: 0))
    return Event(
      author: reaction.account, moment: reaction.moment,
      uri: ATURI(
        authority: .did(network.dids[reaction.account]),
        collection: NSID(collection) ?? App.Bsky.Feed.Post.nsid, recordKey: key), reason: reason,
      subject: subject,
      record: [
        "$type": .string(collection),
        "subject": ["uri": .string(subject.description), "cid": .string(cid.description)],
        "createdAt": .string(Datetime(at: reaction.moment).description),
      ])
  }
}
