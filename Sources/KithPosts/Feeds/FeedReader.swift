// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// What a feed leaves out.
public struct FeedCoverage: Sendable {
  /// Entries left out because of one of their accounts.
  public package(set) var leftOut = LeftOutCounts()
  /// Entries that cannot be read.
  public internal(set) var unreadable = 0
  /// Accounts of a merged feed that the AppView does not show.
  public internal(set) var accountsGone = 0
  /// Accounts of a merged feed with a block in either direction.
  public internal(set) var accountsBlocked = 0
  /// Accounts of a merged feed that could not be read, at all or from some page on.
  public internal(set) var accountsUnread = 0
  /// Why entries may be missing; nil if nothing has failed.
  public internal(set) var fault: (any Error)?

  /// Nothing is left out.
  public init() {}

  /// What two readers leave out.
  package static func + (one: FeedCoverage, other: FeedCoverage) -> FeedCoverage {
    var sum = one
    sum.leftOut = one.leftOut + other.leftOut
    sum.unreadable += other.unreadable
    sum.accountsGone += other.accountsGone
    sum.accountsBlocked += other.accountsBlocked
    sum.accountsUnread += other.accountsUnread
    sum.fault = one.fault ?? other.fault
    return sum
  }
}

/// Reads a feed, newest first, without what a block or a mute hides.
public struct FeedReader: Sendable {
  /// How the entries come in.
  enum Pages: Sendable {
    case server(PagedSequence<FeedItem>.AsyncIterator)
    case merge(AuthorFeeds)
  }

  private let source: FeedSource
  private let now: Instant
  private let skipped: FeedItem.Kinds
  private var pages: Pages
  /// How the viewer and the accounts of the entries are related.
  package private(set) var relationships: ViewerRelationships
  /// Entries of the page that are not judged yet.
  private var waiting: ArraySlice<FeedItem> = []
  /// The cursor that the page was requested with.
  private var page: String?
  /// The place after the last entry.
  private var place: FeedCursor.Place?
  /// The place after the last entry of this page; nil at its beginning.
  private var placeOnPage: FeedCursor.Place?
  /// Entries before this place are not handed out again.
  private var start: FeedCursor.Place?
  private var isAtEnd = false
  private var left = FeedCoverage()
  /// How many pages were read.
  package private(set) var pageCount = 0

  init(
    _ source: FeedSource, _ pages: Pages, skipping skipped: FeedItem.Kinds,
    knowing relationships: ViewerRelationships,
    from cursor: FeedCursor?, now: Instant
  ) {
    (self.source, self.pages, self.skipped) = (source, pages, skipped)
    (self.relationships, self.now) = (relationships, now)
    (page, place, placeOnPage, start) = (cursor?.page, cursor?.place, cursor?.place, cursor?.place)
  }

  /// What was left out so far.
  public var coverage: FeedCoverage {
    var coverage = left
    switch pages {
    case .server(let pages): coverage.unreadable += pages.unreadable
    case .merge(let feeds): feeds.add(to: &coverage)
    }
    coverage.fault = coverage.fault ?? relationships.fault
    return coverage
  }

  /// Where the feed continues after the last entry that was handed out; nil at its end, and before its first entry.
  public var cursor: FeedCursor? {
    if isAtEnd { return nil }
    switch pages {
    case .merge: return cursor(in: source.kind)
    case .server(let pages):
      if !waiting.isEmpty {
        return page == nil && placeOnPage == nil
          ? nil : FeedCursor(source.kind, page: page, after: placeOnPage)
      }
      if pages.isAtEnd { return nil }
      return pages.cursor.map { FeedCursor(source.kind, page: $0, after: nil) }
    }
  }

  /// Where another source that has the same entries continues after the last one; nil for its beginning.
  package func cursor(in kind: FeedSource.Kind) -> FeedCursor? {
    place.map { FeedCursor(kind, page: nil, after: .init(moment: $0.moment, count: $0.count)) }
  }

  /// Whether all entries of the page that was read last were looked at.
  package var isPageDone: Bool { waiting.isEmpty }

  /// The next entries, at most this many, and none if all of them are left out; nil at the end. It reads one page at most.
  ///
  /// - Throws: `RelationshipError`, such as `actorNotFound`, `listNotFound` or `hiddenByBlock`; `CancellationError`. A failure of
  ///   some of several accounts is in ``coverage`` instead.
  public mutating func next(most: Int) async throws -> [FeedItem]? {
    if waiting.isEmpty, try await readPage() == false {
      isAtEnd = true
      return nil
    }
    try await relationships.learn(about: waiting.prefix(max(most, 1)).flatMap(\.accounts))
    var found: [FeedItem] = []
    for _ in 0..<max(most, 1) {
      guard let item = waiting.popFirst() else { break }
      guard isWanted(item) else { continue }
      pass(item)
      if let reason = reason(against: item) {
        left.leftOut.add(reason)
      } else {
        found.append(item)
      }
    }
    return found
  }

  /// Reads a page, without what was handed out before; false at the end.
  private mutating func readPage() async throws -> Bool {
    let items: [FeedItem]?
    switch pages {
    case .server(var iterator):
      page = iterator.cursor
      items = try await iterator.nextPage()
      pages = .server(iterator)
    case .merge(var feeds):
      items = try await feeds.next()
      pages = .merge(feeds)
    }
    guard let items else { return false }
    pageCount += 1
    // While the place to start from is not found, it stays the one to continue from.
    if start == nil { placeOnPage = nil }
    waiting = rest(of: items)
    return true
  }

  /// Counts an entry as handed out.
  private mutating func pass(_ item: FeedItem) {
    let moment = item.moment(before: now)
    place = place ?? .init(moment: moment, count: 0)
    place?.pass(item, at: moment)
    placeOnPage = placeOnPage ?? .init(moment: moment, count: 0)
    placeOnPage?.pass(item, at: moment)
  }

  /// The entries of a page that were not handed out before this reader began.
  private mutating func rest(of items: [FeedItem]) -> ArraySlice<FeedItem> {
    guard let start else { return items[...] }
    if let last = items.lastIndex(where: { start.marks.contains($0.mark) }) {
      self.start = nil
      return items[(last + 1)...]
    }
    // The entries before the place are gone, or the feed has grown by more than a page.
    if !start.marks.isEmpty, let last = items.last, last.moment(before: now) > start.moment { return [] }
    return items[...].drop { isBeforeStart($0) }
  }

  /// Whether an entry was handed out before this reader began, judged by its moment.
  private mutating func isBeforeStart(_ item: FeedItem) -> Bool {
    guard let place = start else { return false }
    let moment = item.moment(before: now)
    if moment > place.moment { return true }
    if moment == place.moment, place.count > 0 {
      if isWanted(item) { start?.count -= 1 }
      return true
    }
    start = nil
    return false
  }

  /// Whether an entry belongs to what was asked for.
  private func isWanted(_ item: FeedItem) -> Bool {
    if !skipped.isDisjoint(with: item.kinds) { return false }
    if case .timeline(let accounts?) = source { return accounts.contains(item.sender.account) }
    return true
  }

  /// Why an entry is left out; nil if it is not.
  private func reason(against item: FeedItem) -> LeftOut? {
    let reasons = Set(item.accounts.compactMap { relationships.reason(against: $0) })
    if reasons.contains(.blocked) { return .blocked }
    let isHidden = relationships.hasViewer && (item.isBelowBlock || item.post.quote?.content == .blocked)
    if isHidden { return .blocked }
    if reasons.contains(.muted) { return .muted }
    if let repost = item.repost, relationships.isMuted(.reposts, of: repost.by) { return .muted }
    if item.post.quote != nil, relationships.isMuted(.quotes, of: item.post.author) { return .muted }
    return reasons.first
  }
}

extension FeedItem {
  /// Kinds of entries that a reader may not want.
  public struct Kinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Posts that answer others.
    public static let replies = Kinds(rawValue: 1)
    /// Posts of others that are passed on.
    public static let reposts = Kinds(rawValue: 2)
  }

  /// What it is. A repost of a reply is only a repost.
  var kinds: Kinds { repost != nil ? .reposts : post.summary.isReply ? .replies : [] }
}
