// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Notifications of a served network: reading them changes nothing unless that is asked for.
@Suite struct ReadNotificationsTests {
  /// Tests that change neither network nor time share it.
  private static let network = FaultyNetwork(.reference, accounts: 400)

  /// The usual limit does not apply here.
  private static let all = ReadNotifications(limit: 2_000)

  private func read(_ reading: ReadNotifications, by user: ServedUser) async throws -> [AccountNotification] {
    let run = try await user.run(reading)
    #expect(run.outcome.rows.interruption == nil && run.outcome.seen == nil)
    return run.rows.map(\.notification)
  }

  @Test func readingMarksNothingAsSeen() async throws {
    let alice = try await ServedUser(on: Self.network)
    let few = ReadNotifications(unread: true, limit: 5)
    let first = try await read(few, by: alice)
    #expect(first.map(\.isRead) == Array(repeating: false, count: 5))
    #expect(try await read(few, by: alice) == first)
  }

  /// What a limit, a kind, a date or an account leaves out would be marked as seen without having been shown.
  @Test func nothingIsMarkedAsSeenIfAnUnreadOneIsNotListed() async throws {
    let alice = try await ServedUser(on: Self.network)
    let unread = ReadNotifications(unread: true, limit: 2_000)
    let before = try await read(unread, by: alice)
    let start = Datetime(at: Self.network.time.instant - .days(20))
    for reading in [
      ReadNotifications(limit: 3, markingSeen: true),
      ReadNotifications(ofKinds: [.init(rawValue: "follow")], markingSeen: true),
      ReadNotifications(unread: true, limit: 1, markingSeen: true),
      ReadNotifications(since: start, markingSeen: true),
    ] {
      let run = try await alice.run(reading)
      #expect(run.rows.count < before.count && run.outcome.seen == nil, "\(reading)")
      #expect(run.outcome.unseen ?? 0 > 0, "\(reading)")
    }
    #expect(try await read(unread, by: alice) == before)
  }

  @Test func whatIsListedIsMarkedAsSeenIfThatIsAsked() async throws {
    let alice = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    let marked = try await alice.run(ReadNotifications(limit: 2_000, markingSeen: true))
    let newest = try #require(marked.rows.first?.notification.at)
    #expect(marked.outcome.seen == newest && marked.outcome.unseen == nil)
    #expect(try await read(ReadNotifications(unread: true), by: alice) == [])
    #expect(try await read(ReadNotifications(limit: 3), by: alice).map(\.isRead) == [true, true, true])
    // Nothing is listed, so nothing is marked.
    let nothing = try await alice.run(ReadNotifications(unread: true, markingSeen: true)).outcome
    #expect(nothing.seen == nil && nothing.unseen == nil)
  }

  /// Servers ignore parameters that they do not know.
  @Test func otherKindsThatTheServerListsAreNotRows() async throws {
    let alice = try await ServedUser(on: Self.network)
    let ignoring = RewritingNetwork(network: Self.network) { request, answer in
      guard request.method.hasSuffix("listNotifications"),
        var all = answer["notifications"] as? [RewritingNetwork.Fields]
      else { return }
      for place in all.indices where place % 3 == 0 { all[place]["reason"] = "wave" }
      answer["notifications"] = all
    }
    let reading = ReadNotifications(ofKinds: [.init(rawValue: "like")], limit: 40)
    let usual = try await alice.run(reading)
    let run = try await alice.run(reading, over: ignoring)
    #expect(usual.rows.count == 40 && run.rows.count == 40, "what is left out does not count for the limit")
    #expect(run.rows.allSatisfy { $0.notification.kind.rawValue == "like" })
    let all = try await alice.run(ReadNotifications(limit: 20), over: ignoring)
    #expect(all.rows.contains { $0.notification.kind.rawValue == "wave" })
  }

  @Test func kindsAndDatesNarrowTheList() async throws {
    let alice = try await ServedUser(on: Self.network)
    let all = try await read(Self.all, by: alice)
    #expect(Set(all.map(\.kind.rawValue)).isSuperset(of: ["like", "follow"]))
    let kinds = ["follow", "quote"].map { AccountNotification.Kind(rawValue: $0) }
    let some = try await read(ReadNotifications(ofKinds: kinds, limit: 2_000), by: alice)
    #expect(some == all.filter { kinds.contains($0.kind) })
    let start = Datetime(at: Self.network.time.instant - .days(20))
    let late = try await read(ReadNotifications(since: start, limit: 2_000), by: alice)
    #expect(late == all.filter { $0.at.instant >= start.instant } && !late.isEmpty && late.count < all.count)
  }

  @Test func eachReactionSaysWhichPostItIsAbout() async throws {
    let alice = try await ServedUser(on: Self.network)
    let run = try await alice.run(Self.all)
    let reactions = run.rows.filter { ["like", "repost"].contains($0.notification.kind.rawValue) }
    #expect(!reactions.isEmpty && run.outcome.postsFault == nil && run.outcome.count == run.rows.count)
    for row in reactions {
      let post = try #require(row.notification.subject)
      #expect(row.post?.uri == post && row.post?.summary.text.isEmpty == false && row.page == post.postPage)
    }
    // Each post is read once.
    let posts = Set(run.rows.compactMap(\.notification.post))
    #expect(run.calls["app.bsky.feed.getPosts", default: 0] <= run.rows.count / 50 + posts.count / 25 + 1)
    let replies = run.rows.filter { $0.notification.kind.rawValue == "reply" }
    #expect(replies.allSatisfy { $0.page == $0.notification.uri.postPage && $0.post != nil })
  }

  /// Ten likes of one post are one thing to read; a person who follows, and a reply, are things of their own.
  @Test func reactionsToOnePostAreOneRowIfThatIsAsked() async throws {
    let alice = try await ServedUser(on: Self.network)
    let all = try await read(Self.all, by: alice)
    let run = try await alice.run(ReadNotifications(limit: 2_000, grouped: true))
    #expect(run.outcome.count == all.count && run.rows.count < all.count)
    for kind in Set(all.map(\.kind)) {
      let (single, rows) = (all.filter { $0.kind == kind }, run.rows.filter { $0.notification.kind == kind })
      guard ["like", "repost"].contains(kind.rawValue) else {
        #expect(rows.map(\.notification) == single)
        continue
      }
      let groups = Dictionary(grouping: single) { "\($0.subject?.description ?? "") \($0.isRead)" }
      #expect(rows.count == groups.count)
      for row in rows {
        let group = try #require(
          groups["\(row.notification.subject?.description ?? "") \(row.notification.isRead)"])
        #expect(group.first == row.notification)
        let authors = ([row.notification.author] + row.others).map(\.account)
        #expect(Set(authors).count == authors.count && Set(authors) == Set(group.map(\.author.account)))
      }
    }
  }

  @Test func notificationsAreListedWhereTheirPostsCannotBeRead() async throws {
    // Retries take time, in which others react.
    let network = FaultyNetwork(.reference, accounts: 400)
    let alice = try await ServedUser(on: network)
    let page = ReadNotifications(limit: 30)
    let before = try await read(page, by: alice)
    let failing = FailingMethods(network: network, methods: ["app.bsky.feed.getPosts"])
    let run = try await alice.run(page, over: failing)
    #expect(run.rows.map(\.notification) == before)
    #expect(run.outcome.postsFault != nil && run.outcome.rows.interruption == nil)
    #expect(run.rows.allSatisfy { $0.post == nil })
  }

  @Test func mutedAndBlockedAccountsAreLeftOut() async throws {
    let alice = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    let author = try #require(
      try await read(ReadNotifications(), by: alice).first { $0.author.handle != nil }?.author.account)
    for change in [ChangeIntent.mute(author, .everything), .block(author)] {
      try await alice.change(change)
      let authors = try await read(Self.all, by: alice).map(\.author.account)
      #expect(!authors.contains(author) && !authors.isEmpty, "\(change)")
    }
  }

  @Test func settingsChangeOnlyWhatIsNamed() async throws {
    let alice = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    func settings(
      _ change: ChangeNotificationSettings = ChangeNotificationSettings()
    ) async throws -> [String: NotificationSetting] {
      let rows = try await alice.run(change).rows
      return Dictionary(rows.map { ($0.setting.kind, $0.setting) }) { first, _ in first }
    }
    let before = try await settings()
    let changed = try await settings(
      ChangeNotificationSettings(of: ["like", "reply"], audience: .follows, pushed: false))
    #expect(Set(changed.keys) == ["like", "reply"])
    #expect(changed.values.allSatisfy { !$0.isPushed && $0.audience == .follows })
    #expect(try await settings() == before.merging(changed) { $1 })
    // A wrong setting changes nothing.
    for wrong in [
      ChangeNotificationSettings(of: ["like", "verified"], audience: .all),
      ChangeNotificationSettings(of: ["like", "nope"], pushed: true),
    ] {
      let failure = await OperationError.thrown { try await settings(wrong) }
      #expect(failure?.code == .noSuchSetting)
    }
    #expect(try await settings() == before.merging(changed) { $1 })
  }

  @Test func subscriptionsAreMadeListedAndEnded() async throws {
    let alice = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    func subscribed(_ change: SubscribeToPosts = SubscribeToPosts()) async throws -> Set<String> {
      Set(try await alice.run(change).rows.compactMap { $0.view.handle?.description })
    }
    let (bob, carol) = (try alice.actor("bob"), try alice.actor("carol"))
    #expect(try await subscribed().isEmpty)
    #expect(try await subscribed(SubscribeToPosts(to: [bob, carol])) == ["bob.test", "carol.test"])
    #expect(try await subscribed() == ["bob.test", "carol.test"])
    let ended = try await alice.run(SubscribeToPosts(to: [bob], .none)).rows
    #expect(ended.map(\.subscription) == [SubscriptionRow.Subscription.none])
    #expect(try await subscribed() == ["carol.test"])
    // One that is not there stops the others before anything is changed.
    let nobody = ATIdentifier.handle(try Handle(parsing: "nobody.test"))
    let wrong = SubscribeToPosts(to: [try alice.actor("dave"), nobody])
    let failure = await FailureKind.thrown { try await subscribed(wrong) }
    #expect(failure == .notFound)
    #expect(try await subscribed() == ["carol.test"])
  }
}
