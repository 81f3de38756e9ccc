// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport

@testable import KithPosts

/// Answers with posts, as an AppView writes them.
enum FeedSamples {
  /// The account that the client is signed in as.
  static let viewer = Accounts.did(0)
  /// The present of the tests, in seconds since 1970.
  static let now: Int64 = 1_900_000_000

  static func uri(_ author: Int, _ number: Int) -> String {
    "at://\(Accounts.did(author))/app.bsky.feed.post/p\(number)"
  }

  static func date(_ seconds: Int64) -> String {
    Datetime(at: Instant(secondsSinceEpoch: seconds)).description
  }

  /// A date of some microseconds since ``now``.
  static func exactDate(_ microseconds: Int64) -> String {
    let rest = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
    let digits = String(1_000_000 + rest).dropFirst()
    return date(now + (microseconds - rest) / 1_000_000).prefix(19) + ".\(digits)Z"
  }

  /// A basic profile; its viewer state says that there is no relationship, unless it is another one or none at all.
  static func profile(_ account: Int, viewer: String? = #"{"muted":false,"blockedBy":false}"#) -> String {
    let state = viewer.map { #","viewer":\#($0)"# } ?? ""
    return #"{"did":"\#(Accounts.did(account))","handle":"\#(Accounts.handle(account))"\#(state)}"#
  }

  static let blocking =
    #"{"muted":false,"blockedBy":false,"blocking":"at://\#(viewer)/app.bsky.graph.block/b"}"#
  static let blockedBy = #"{"muted":false,"blockedBy":true}"#
  static let muted = #"{"muted":true,"blockedBy":false}"#

  static func post(
    _ author: Int, _ number: Int, at seconds: Int64, indexed: Int64? = nil, as profile: String? = nil,
    dated microseconds: Int64? = nil, record: String = "", more: String = ""
  ) -> String {
    let created = microseconds.map { exactDate($0) } ?? date(seconds)
    return """
      {"uri":"\(uri(author, number))","cid":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
      "author":\(profile ?? self.profile(author)),
      "record":{"$type":"app.bsky.feed.post","text":"post \(number)","createdAt":"\(created)"\(record)},
      "indexedAt":"\(date(indexed ?? (microseconds == nil ? seconds : now)))"\(more)}
      """
  }

  static func item(_ post: String, _ more: String = "") -> String { #"{"post":\#(post)\#(more)}"# }

  static func page(_ items: [String], cursor: String? = nil) -> TransportResponse {
    let next = cursor.map { #","cursor":"\#($0)""# } ?? ""
    return TransportResponse(#"{"feed":[\#(items.joined(separator: ","))]\#(next)}"#)
  }

  static func decode(_ item: String) throws -> FeedItem {
    try JSONCoding.decode(FeedItem.self, from: Array(item.utf8))
  }

  /// Feeds of a service that answers so; signed in unless said otherwise.
  static func feeds(
    signedIn: Bool = true, _ answer: @escaping @Sendable (RequestQuery) -> TransportResponse
  ) throws -> (feeds: Feeds, transport: ScriptedTransport) {
    let transport = ScriptedTransport { answer(RequestQuery($0)) }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never),
      time: ManualClock().timeSource(wallAtZero: Instant(secondsSinceEpoch: now)))
    return (Feeds(Listings(client, as: signedIn ? viewer : nil)), transport)
  }
}

extension FeedReader {
  /// All texts until the end, or the first ones.
  mutating func texts(_ most: Int = .max, by part: Int = 100) async throws -> [String] {
    var found: [String] = []
    while found.count < most, let items = try await next(most: min(part, most - found.count)) {
      found += items.map(\.post.summary.text)
    }
    return found
  }
}
