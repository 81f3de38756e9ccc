// SPDX-License-Identifier: Apache-2.0

import KithCore

/// A method that Kith has no type for: the feeds that an account has made.
///
/// `try await appview.query(GetActorFeeds.self, .init(actor: .did(alice)))` is paced, retried and bounded as all calls are.
/// See the lexicon of `app.bsky.feed.getActorFeeds`.
public enum GetActorFeeds: XRPCQuery {
  public static let nsid = NSID(generated: "app.bsky.feed.getActorFeeds")

  public struct Parameters: XRPCParameters {
    public var actor: ATIdentifier
    public var cursor: String?

    public init(actor: ATIdentifier, cursor: String? = nil) { (self.actor, self.cursor) = (actor, cursor) }

    public init(reading query: XRPCQueryReader) throws(ValidationError) {
      (actor, cursor) = (try query.required("actor"), try query.optional("cursor"))
    }

    public var queryItems: [XRPCQueryItem] {
      var items: [XRPCQueryItem] = []
      items.append("actor", actor)
      items.append("cursor", cursor)
      return items
    }
  }

  public struct Output: XRPCPayload, Codable {
    public var feeds: [Feed]
    public var cursor: String?
  }

  public struct Feed: Hashable, Codable, Sendable {
    public var uri: ATURI
    public var did: DID
    public var displayName: String
  }
}
