// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension CostPlan {
  /// Where the entries of a feed come from.
  package enum FeedPages: Sendable {
    case timeline, list, author, authors
  }

  /// Posts have cards, and the posts that they answer or quote.
  private static let bytesPerPost = 4_000

  /// Adds the cost of a feed's newest entries, if none of them is left out.
  ///
  /// - Parameter accounts: how many accounts are merged, at most; nil if that is not known.
  package mutating func addFeed(_ pages: FeedPages, entries: Int, accounts: Int? = nil) {
    let method: NSID
    switch pages {
    case .timeline: method = App.Bsky.Feed.GetTimeline.nsid
    case .list: method = App.Bsky.Feed.GetListFeed.nsid
    case .author: method = App.Bsky.Feed.GetAuthorFeed.nsid
    case .authors:
      add(
        "\(App.Bsky.Feed.GetAuthorFeed.nsid)", calls: accounts,
        payload: (accounts ?? 0) * Self.firstPosts * Self.bytesPerPost, assuming: .facts)
      return
    }
    add(
      "\(method)", calls: Self.batches(entries, of: Listings.postsPerPage),
      payload: entries * Self.bytesPerPost,
      inTurn: true, assuming: .facts)
  }

  /// How many posts of each of several accounts are read at first: most accounts have fewer on a page of their merge.
  package static let firstPosts = 15
}
