// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithPosts

/// Measures what Kith itself takes to merge the feeds of 500 accounts: reading a page of 15 posts of each, and their merge.
enum FeedBench {
  private static let feeds = 500
  private static let posts = 15

  /// - Returns: whether all posts came out in order.
  static func run() throws -> Bool {
    var pages: [[FeedItem]] = []
    var bytes = 0
    let read = try ContinuousClock().measure {
      for feed in 0..<feeds {
        let page = "{\"feed\":[\((0..<posts).map { item(feed, $0) }.joined(separator: ","))]}"
        bytes += page.utf8.count
        pages.append(try JSONCoding.decode(Page.self, from: Array(page.utf8)).feed)
      }
    }
    var merge = FeedMerge(feeds, now: Instant(secondsSinceEpoch: 2_000_000_000))
    var moments: [Instant] = []
    let merged = ContinuousClock().measure {
      for (feed, page) in pages.enumerated() { merge.receive(page, for: feed) }
      while true {
        if let item = merge.next() {
          moments.append(item.moment.instant)
        } else if merge.wanting.isEmpty {
          break
        } else {
          for feed in merge.wanting { merge.receive(nil, for: feed) }
        }
      }
    }
    print("merge of \(feeds) author feeds, \(posts) posts each")
    print("  read \(bytes / 1_024) KiB                \(read)")
    print("  merge                        \(merged)")
    return moments.count == feeds * posts && zip(moments, moments.dropFirst()).allSatisfy { $0 >= $1 }
  }

  private struct Page: Decodable { let feed: [FeedItem] }

  private static func item(_ feed: Int, _ post: Int) -> String {
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
    let did =
      "did:plc:aaaaaaaaaaaaaaaaaaaa"
      + String([feed / 1_024, feed / 32 % 32, feed % 32, 0].map { digits[$0] })
    let date = Datetime(at: Instant(secondsSinceEpoch: 1_700_000_000 - Int64(post * 7_919 + feed * 31)))
    return """
      {"post":{"uri":"at://\(did)/app.bsky.feed.post/p\(post)",
      "cid":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
      "author":{"did":"\(did)","handle":"user\(feed).test","displayName":"User","viewer":{"muted":false,"blockedBy":false}},
      "record":{"$type":"app.bsky.feed.post","text":"A post about something, as long as most","createdAt":"\(date)"},
      "indexedAt":"\(date)","likeCount":3}}
      """
  }
}
