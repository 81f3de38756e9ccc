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
