// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithPosts

/// Notifications and their settings, as servers write them.
@Suite struct NotificationTests {
  typealias Samples = FeedSamples

  private func notifications(
    _ answer: @escaping @Sendable (RequestQuery) -> TransportResponse
  ) throws -> (Notifications, ScriptedTransport) {
    let (feeds, transport) = try Samples.feeds(answer)
    return (Notifications(feeds.listings), transport)
  }

  private static func item(_ number: Int, _ kind: String, _ more: String = "") -> String {
    """
    {"uri":"at://\(Accounts.did(number))/app.bsky.feed.like/l\(number)","cid":"x","author":\(Samples.profile(number)),
    "reason":"\(kind)","record":{"text":"hello"},"isRead":false,"indexedAt":"\(Samples.date(50))"\(more)}
    """
  }

  @Test func kindsThatNobodyKnowsYetAreListed() async throws {
    let subject = #","reasonSubject":"\#(Samples.uri(0, 1))""#
    let (reader, transport) = try notifications { _ in
      TransportResponse(
        #"{"notifications":[\#(Self.item(1, "like", subject)),\#(Self.item(2, "wave")),{"uri":7}]}"#)
    }
    var found: [AccountNotification] = []
    let error = await #expect(throws: RelationshipError.self) {
      for try await one in reader.all(ofKinds: [.init(rawValue: "like"), .init(rawValue: "wave")]) {
        found.append(one)
      }
    }
    #expect(error?.code == .invalidResponse, "the third cannot be read")
    #expect(found.map(\.kind.rawValue) == ["like", "wave"])
    #expect(found.first?.subject?.description == Samples.uri(0, 1) && found.first?.text == "hello")
    let query = RequestQuery(try #require(transport.requests.first))
    #expect(query["reasons"] == ["like", "wave"] && query["seenAt"].isEmpty)
  }

  /// A like of a repost names the repost as its reason, and the post in its record.
  @Test func thePostOfANotificationIsThatOfItsRecord() throws {
    let (repost, post) = ("at://\(Accounts.did(0))/app.bsky.feed.repost/r1", Samples.uri(2, 7))
    func notification(_ record: String, about subject: String) throws -> AccountNotification {
      let text = Self.item(1, "like-via-repost", #","reasonSubject":"\#(subject)""#)
        .replacing(#"{"text":"hello"}"#, with: record)
      return try JSONCoding.decode(AccountNotification.self, from: Array(text.utf8))
    }
    let viaRepost = try notification(#"{"subject":{"uri":"\#(post)","cid":"x"}}"#, about: repost)
    #expect(viaRepost.post?.description == post && viaRepost.subject?.description == repost)
    #expect(try notification(#"{"subject":7}"#, about: post).post?.description == post)
    #expect(try notification(#"{"subject":"\#(Accounts.did(0))"}"#, about: repost).post == nil)
  }

  private static func settings(like: String) -> TransportResponse {
    let one = #"{"include":"all","list":true,"push":true}"#
    let kinds = ["follow", "likeViaRepost", "mention", "quote", "reply", "repost", "repostViaRepost"]
      .map { #""\#($0)":\#(one)"# }
    let plain = ["starterpackJoined", "subscribedPost", "unverified", "verified"]
      .map { #""\#($0)":{"list":true,"push":true}"# }
    let chat = #""chat":{"include":"accepted","push":true}"#
    let all = (kinds + plain + [chat, #""like":\#(like)"#]).joined(separator: ",")
    return TransportResponse(#"{"preferences":{\#(all)}}"#)
  }

  @Test func aChangeThatTheServerDoesNotConfirmIsAnError() async throws {
    for (answer, isConfirmed) in [
      (#"{"include":"follows","list":true,"push":false}"#, true),
      (#"{"include":"all","list":true,"push":true}"#, false),
    ] {
      let (reader, _) = try notifications { _ in Self.settings(like: answer) }
      var like = try #require(try await reader.settings().first { $0.kind == "like" })
      (like.audience, like.isPushed) = (.follows, false)
      let wanted = like
      if isConfirmed {
        #expect(try await reader.change([wanted]).contains(wanted))
      } else {
        let error = await #expect(throws: RelationshipError.self) { try await reader.change([wanted]) }
        #expect(error?.code == .invalidResponse)
      }
    }
  }

  /// Servers get new audiences and fields.
  @Test func whatIsNotKnownOfASettingIsSentBackAsItIs() async throws {
    let odd = #"{"include":"mutuals","list":true,"push":true,"quiet":{"from":22}}"#
    let (reader, transport) = try notifications { request in
      Self.settings(
        like: request.method.hasSuffix("putPreferencesV2")
          ? odd.replacing(#""push":true"#, with: #""push":false"#) : odd)
    }
    let settings = try await reader.settings()
    var like = try #require(settings.first { $0.kind == "like" })
    #expect(settings.count == 13 && like.audience?.rawValue == "mutuals")
    like.isPushed = false
    let all = try await reader.change([like])
    #expect(all.first { $0.kind == "like" } == like)
    let sent = try #require(transport.requests.last?.body)
    #expect(
      try JSONCoding.decode(DataValue.self, from: sent)["like"]
        == ["include": "mutuals", "list": true, "push": false, "quiet": ["from": 22]])
    like.audience = .all
    _ = await #expect(throws: RelationshipError.self) { try await reader.change([like]) }
  }

  /// A part of one setting that cannot be read hides neither the setting nor the others.
  @Test func anUnreadablePartOfASettingHidesNothingElse() async throws {
    for like in [#"{"include":7.5,"list":true,"push":true}"#, #"{"include":{},"list":"x","push":true}"#] {
      let (reader, _) = try notifications { _ in Self.settings(like: like) }
      let settings = try await reader.settings()
      #expect(settings.count == 13 && settings.first { $0.kind == "like" }?.audience == nil)
    }
    let (reader, _) = try notifications { _ in Self.settings(like: #"{"push":"often"}"#) }
    #expect(try await reader.settings().count == 12)
  }

  @Test func aSubscriptionThatTheServerDoesNotConfirmIsAnError() async throws {
    let did = Accounts.did(3)
    for answer in [
      #"{"subject":"\#(did)"}"#, #"{"subject":"\#(did)","activitySubscription":{"post":true,"reply":true}}"#,
      #"{"subject":"\#(Accounts.did(4))","activitySubscription":{"post":true,"reply":false}}"#,
    ] {
      let (reader, _) = try notifications { _ in TransportResponse(answer) }
      let error = await #expect(throws: RelationshipError.self) {
        try await reader.subscribe(to: did, posts: true, replies: false)
      }
      #expect(error?.code == .invalidResponse)
    }
    let (reader, _) = try notifications { _ in TransportResponse(#"{"subject":"\#(did)"}"#) }
    try await reader.subscribe(to: did, posts: false, replies: false)
  }
}
