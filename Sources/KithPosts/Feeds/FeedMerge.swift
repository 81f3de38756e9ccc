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

  private let now: Instant
  /// The entries that are known but not handed out yet, newest first.
  private var feeds: [ArraySlice<FeedItem>]
  private var heads = Heap<Head>()
  /// The feeds whose next entries are not known. While there are any, it is not known either which entry is the newest.
  package private(set) var wanting: [Int]

  /// - Parameters:
  ///   - count: how many feeds there are.
  ///   - now: entries that claim a later moment count as of now.
  package init(_ count: Int, now: Instant) {
    self.now = now
    feeds = Array(repeating: [], count: count)
    wanting = Array(0..<count)
  }

  /// Receives the next page of a feed; nil at its end. An empty page does not end it.
  package mutating func receive(_ page: [FeedItem]?, for feed: Int) {
    guard let page else {
      wanting.removeAll { $0 == feed }
      return
    }
    if page.isEmpty { return }
    wanting.removeAll { $0 == feed }
    // A page may be in another order than that of the dates in its records.
    feeds[feed] =
      page.enumerated().sorted { one, other in
        let (left, right) = (moment(of: one.element), moment(of: other.element))
        return left == right ? one.offset < other.offset : left > right
      }.map(\.element)[...]
    push(feed)
  }

  /// The newest entry; nil while pages are wanting, and at the end of all feeds.
  package mutating func next() -> FeedItem? {
    guard wanting.isEmpty, let head = heads.popMax(), let item = feeds[head.feed].popFirst() else {
      return nil
    }
    if feeds[head.feed].isEmpty { wanting.append(head.feed) } else { push(head.feed) }
    return item
  }

  private mutating func push(_ feed: Int) {
    guard let first = feeds[feed].first else { return }
    heads.insert(Head(moment: moment(of: first), feed: feed))
  }

  private func moment(of item: FeedItem) -> Instant { min(item.moment.instant, now) }
}
