// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

/// Notifications and their settings, and the private settings of accounts.
@Suite struct NotificationsTests {
  private typealias Notification = App.Bsky.Notification

  @Test func notificationsAreAboutFollowsAndReactionsNewestFirst() throws {
    let alice = try PDSQuestions()
    let page = try alice.ask(Notification.ListNotifications.self, .init(limit: 100)).notifications
    #expect(page.count == 100)
    #expect(page.map(\.indexedAt.instant) == page.map(\.indexedAt.instant).sorted(by: >))
    #expect(Set(page.map(\.uri)).count == page.count)
    for notification in page {
      let state = notification.author.viewer
      #expect(state?.blocking == nil && state?.blockedBy != true)
      #expect((notification.reasonSubject == nil) == (notification.reason == .follow))
    }
    #expect(alice.questions.raw("/xrpc/app.bsky.notification.listNotifications").status == 401)
    #expect(throws: XRPCFault.self) {
      try alice.ask(Notification.ListNotifications.self, .init(seenAt: Datetime(at: .epoch)))
    }
  }

  @Test func reasonsFilterAfterPaging() throws {
    let alice = try PDSQuestions()
    var (cursor, found, calls) = (String?.none, 0, 0)
    repeat {
      let page = try alice.ask(
        Notification.ListNotifications.self, .init(reasons: ["follow"], limit: 20, cursor: cursor))
      #expect(page.notifications.allSatisfy { $0.reason == .follow })
      found += page.notifications.count
      cursor = page.cursor
      calls += 1
    } while cursor != nil && calls < 60
    #expect(found > 50)
  }

  @Test func theCountOfUnreadOnesEndsWhenTheyWereSeen() throws {
    let alice = try PDSQuestions()
    let all = try alice.ask(Notification.GetUnreadCount.self, .init()).count
    let page = try alice.ask(Notification.ListNotifications.self, .init(limit: 5)).notifications
    #expect(all > 100 && page.allSatisfy { !$0.isRead })
    let third = try #require(page.dropFirst(2).first)
    _ = try alice.call(Notification.UpdateSeen.self, .init(seenAt: third.indexedAt))
    // The two newer ones, and those that a block hides from the list.
    #expect((2...6).contains(try alice.ask(Notification.GetUnreadCount.self, .init()).count))
    let later = try alice.ask(Notification.ListNotifications.self, .init(limit: 5)).notifications
    #expect(later.map(\.isRead) == [false, false, true, true, true])
  }

  @Test func settingsAreMergedAndSubscriptionsEnd() throws {
    let alice = try PDSQuestions()
    let follows = Notification.Defs.FilterablePreference(include: .follows, list: true, push: false)
    _ = try alice.call(Notification.PutPreferencesV2.self, .init(like: follows))
    let merged = try alice.ask(Notification.GetPreferences.self, .init()).preferences
    #expect(merged.like == follows && merged.follow.include == .all)
    let bob = alice.questions.did(.bob)
    _ = try alice.call(
      Notification.PutActivitySubscription.self,
      .init(subject: bob, activitySubscription: .init(post: true, reply: false)))
    #expect(
      try alice.ask(Notification.ListActivitySubscriptions.self, .init()).subscriptions.map(\.did) == [bob])
    _ = try alice.call(
      Notification.PutActivitySubscription.self,
      .init(subject: bob, activitySubscription: .init(post: false, reply: false)))
    #expect(try alice.ask(Notification.ListActivitySubscriptions.self, .init()).subscriptions.isEmpty)
  }

  @Test func privateSettingsAreReplacedAsAWhole() throws {
    let alice = try PDSQuestions()
    typealias Actor = App.Bsky.Actor
    #expect(try alice.ask(Actor.GetPreferences.self, .init()).preferences.isEmpty)
    _ = try alice.call(
      Actor.PutPreferences.self, .init(preferences: [.adultContentPref(.init(enabled: true))]))
    #expect(try alice.ask(Actor.GetPreferences.self, .init()).preferences.count == 1)
    _ = try alice.call(Actor.PutPreferences.self, .init(preferences: []))
    #expect(try alice.ask(Actor.GetPreferences.self, .init()).preferences.isEmpty)
  }
}
