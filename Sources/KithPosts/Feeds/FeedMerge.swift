// SPDX-License-Identifier: Apache-2.0

internal import HeapModule
package import KithCore

/// Merges feeds, the newest entry first: a state machine, which says whose next page it needs.
package struct FeedMerge {
  private struct Head: Comparable {
    let moment: Instant
    let feed: Int

    /// The newest is the largest; of the same moment, that of the first feed.
    static func < (one: Head, other: Head) -> Bool {
      (one.moment, other.feed) < (other.moment, one.feed)
    }
  }

  /// What is known of a feed.
  private struct Feed {
    /// The entries that are known but not handed out yet, newest first.
    var waiting: ArraySlice<FeedItem> = []
    /// Entries that are older than this wait for the next page, which may have newer ones. Nil at the end of the feed.
    var frontier: Instant? = .distantFuture
  }

  private let now: Instant
  private var feeds: [Feed]
  private var heads = Heap<Head>()
  /// The feeds whose next entries are not known. While there are any, it is not known either which entry is the newest.
  package private(set) var wanting: [Int]

  /// - Parameters:
  ///   - count: how many feeds there are.
  ///   - now: entries that claim a later moment count as of now.
  package init(_ count: Int, now: Instant) {
    self.now = now
    feeds = Array(repeating: Feed(), count: count)
    wanting = Array(0..<count)
  }

  /// Receives the next page of a feed; nil at its end. An empty page does not end it.
  ///
  /// The AppView orders a page by dates of its own, and may put a post with an old date among new ones. So an entry waits for the
  /// next page while it is older than both entries at the end of the last one.
  package mutating func receive(_ page: [FeedItem]?, for feed: Int) {
    if let page {
      if page.isEmpty { return }
      feeds[feed].frontier = page.suffix(2).map { $0.moment(before: now) }.max()
      feeds[feed].waiting = sorted(feeds[feed].waiting + page)
    } else {
      feeds[feed].frontier = nil
    }
    wanting.removeAll { $0 == feed }
    push(feed)
  }

  /// The newest entry; nil while pages are wanting, and at the end of all feeds.
  package mutating func next() -> FeedItem? {
    guard wanting.isEmpty, let head = heads.popMax(), let item = feeds[head.feed].waiting.popFirst() else {
      return nil
    }
    push(head.feed)
    return item
  }

  private func sorted(_ items: ArraySlice<FeedItem>) -> ArraySlice<FeedItem> {
    items.enumerated().sorted { one, other in
      let (left, right) = (one.element.moment(before: now), other.element.moment(before: now))
      return left == right ? one.offset < other.offset : left > right
    }.map(\.element)[...]
  }

  /// Makes the first entry of a feed known, or asks for its next page.
  private mutating func push(_ feed: Int) {
    let (first, frontier) = (feeds[feed].waiting.first?.moment(before: now), feeds[feed].frontier)
    if let first, frontier.map({ first >= $0 }) ?? true {
      heads.insert(Head(moment: first, feed: feed))
    } else if frontier != nil {
      wanting.append(feed)
    }
  }
}
