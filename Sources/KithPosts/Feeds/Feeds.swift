// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons
public import KithRelationships

/// Reads feeds and threads of an AppView.
public struct Feeds: Sendable {
  let listings: Listings
  let concurrency: Int

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - listings: those of the viewer, or of a client that is not signed in.
  ///   - concurrency: how many accounts are read at once.
  public init(_ listings: Listings, concurrency: Int = 16) {
    (self.listings, self.concurrency) = (listings, max(1, concurrency))
  }

  /// Reads a feed, newest first; the first call is made when the first entry is requested.
  ///
  /// Posts and replies of an account are read together and told apart here, because the AppView's own filters depend on where its
  /// pages end.
  ///
  /// - Parameters:
  ///   - skipped: kinds of entries that are left out.
  ///   - cursor: where an earlier feed ended, of a source of the same kind.
  ///   - pageSize: how many entries a call asks for, up to 50; of merged feeds only after the first page.
  public func read(
    _ source: FeedSource, skipping skipped: FeedItem.Kinds = [], from cursor: FeedCursor? = nil,
    pageSize: Int = 50
  ) -> FeedReader {
    let pageSize = min(max(1, pageSize), Listings.postsPerPage)
    let now = listings.client.time.instant
    let pages: FeedReader.Pages =
      switch source {
      case .timeline: .server(timeline(from: cursor?.page, pageSize).makeAsyncIterator())
      case .list(let list): .server(feed(of: list, from: cursor?.page, pageSize).makeAsyncIterator())
      case .author(let actor):
        .server(feed(of: actor, from: cursor?.page, pageSize, firstPage: pageSize).makeAsyncIterator())
      case .authors(let accounts):
        .merge(
          AuthorFeeds(
            accounts.map { feed(of: .did($0), from: nil, pageSize, firstPage: CostPlan.firstPosts) },
            concurrency: concurrency, now: now))
      }
    return FeedReader(
      source, pages, skipping: skipped, knowing: relationships, from: cursor, now: now)
  }

  var relationships: ViewerRelationships {
    ViewerRelationships(
      of: listings.viewer, by: listings.client, concurrency: concurrency, correctedBy: listings)
  }

  private func timeline(from cursor: String?, _ pageSize: Int) -> PagedSequence<FeedItem> {
    typealias Method = App.Bsky.Feed.GetTimeline
    return listings.sequence(
      of: Method.self, reading: FeedPage.self, from: cursor, pageSize: pageSize,
      orElse: RelationshipError.invalidResponse(Method.nsid, path: "", "not found")
    ) { Method.Parameters(limit: $1, cursor: $0) }
  }

  private func feed(of list: ATURI, from cursor: String?, _ pageSize: Int) -> PagedSequence<FeedItem> {
    typealias Method = App.Bsky.Feed.GetListFeed
    return listings.sequence(
      of: Method.self, reading: FeedPage.self, from: cursor, pageSize: pageSize,
      orElse: .listNotFound(list)
    ) { Method.Parameters(list: list, limit: $1, cursor: $0) }
  }

  private func feed(
    of actor: ATIdentifier, from cursor: String?, _ pageSize: Int, firstPage: Int
  ) -> PagedSequence<FeedItem> {
    typealias Method = App.Bsky.Feed.GetAuthorFeed
    return listings.sequence(
      of: Method.self, reading: FeedPage.self, from: cursor, pageSize: pageSize,
      orElse: .actorNotFound(actor)
    ) { cursor, limit in
      Method.Parameters(
        actor: actor, limit: cursor == nil ? min(limit, firstPage) : limit, cursor: cursor,
        filter: .postsWithReplies)
    }
  }
}

private enum FeedField: PageField { static let name = "feed" }

/// A page of `getTimeline`, `getListFeed` or `getAuthorFeed`.
private typealias FeedPage = ElementPage<FeedField, FeedItem>

extension FeedItem: PageElement {
  package var row: (name: Int, element: FeedItem) {
    var identity = Hasher()
    identity.combine(post.uri)
    identity.combine(repost?.by.account)
    return (identity.finalize(), self)
  }
}
