// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// The feeds of several accounts; only what their merge needs is read.
struct AuthorFeeds: Sendable {
  private typealias Pages = PagedSequence<FeedItem>.AsyncIterator

  /// How many entries are handed over at once.
  private static let batchSize = 100

  private var feeds: [Pages]
  private var merge: FeedMerge
  private let concurrency: Int
  private var coverage = FeedCoverage()

  init(_ feeds: [PagedSequence<FeedItem>], concurrency: Int, now: Instant) {
    self.feeds = feeds.map { $0.makeAsyncIterator() }
    self.concurrency = concurrency
    merge = FeedMerge(feeds.count, now: now)
  }

  /// Adds what is missing.
  func add(to coverage: inout FeedCoverage) {
    coverage.accountsGone += self.coverage.accountsGone
    coverage.accountsBlocked += self.coverage.accountsBlocked
    coverage.accountsUnread += self.coverage.accountsUnread
    coverage.unreadable += feeds.reduce(0) { $0 + $1.unreadable }
    coverage.fault = coverage.fault ?? self.coverage.fault
  }

  /// The next entries; nil at the end of all feeds.
  ///
  /// - Throws: `CancellationError`.
  mutating func next() async throws -> [FeedItem]? {
    var found: [FeedItem] = []
    while found.count < Self.batchSize {
      if let item = merge.next() {
        found.append(item)
        continue
      }
      // What is known already does not wait for the next page of another author.
      if merge.wanting.isEmpty || !found.isEmpty { break }
      try await readPages()
    }
    return found.isEmpty ? nil : found
  }

  private mutating func readPages() async throws {
    let wanted = merge.wanting.map { (feed: $0, pages: feeds[$0]) }
    let answers = try await wanted.concurrentMap(atMost: concurrency) {
      feed, pages -> (feed: Int, pages: Pages, answer: Result<[FeedItem]?, RelationshipError>) in
      var pages = pages
      do {
        let page = try await pages.nextPage()
        return (feed, pages, .success(page))
      } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        return (feed, pages, .failure(fault))
      }
    }
    for (feed, pages, answer) in answers {
      feeds[feed] = pages
      switch answer {
      case .success(let page): merge.receive(page, for: feed)
      case .failure(let error):
        merge.receive(nil, for: feed)
        switch error.code {
        case .actorNotFound: coverage.accountsGone += 1
        case .hiddenByBlock: coverage.accountsBlocked += 1
        default:
          // Entries that cannot be read are counted by themselves.
          if pages.unreadable == 0 { coverage.accountsUnread += 1 }
          coverage.fault = coverage.fault ?? error
        }
      }
    }
  }
}
