// SPDX-License-Identifier: Apache-2.0

/// A paginated listing: the next page is requested when the current one is used up.
///
/// An entry that cannot be read costs only itself: it is counted, and after the last entry, the listing fails
/// once, because it is incomplete.
///
/// Short and empty pages are skipped (Q11), and entries of the previous page are left out, because the
/// pages of some servers overlap. Invalid cursors are server faults, thrown after the entries before them.
/// Each listing documents its other errors; `CancellationError` when the task is cancelled.
public struct PagedSequence<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = any Error

  /// A page as returned by a server.
  struct Page: Sendable {
    /// The entries, each with a hash of its identity.
    let rows: [(name: Int, element: Element)]
    let cursor: String?
    /// The total on all pages, if the server returns it.
    var total: Int?
    /// What is wrong with the entries that cannot be read.
    var unreadable: [DecodingError] = []
  }

  /// The parameters of a listing.
  struct Source: Sendable {
    /// The cursor of the first page; nil for the start of the listing.
    var start: String?
    /// The page limit; lower for listings that are known to be short.
    var mostPages = PaginationGuard.mostPages
    /// Whether an empty page is the end, with or without a cursor (Q18); otherwise only a missing cursor is
    /// (Q11).
    var endsWithEmptyPage = false
    /// Requests the page for a cursor; `count` is the number of entries so far.
    let page: @Sendable (_ cursor: String?, _ count: Int) async throws -> Page
    /// Creates the listing's error for a pagination fault.
    let fault: @Sendable (PaginationGuard.Fault) -> any Error
    /// Creates the listing's error for entries that cannot be read, from the first of them.
    var unreadable: @Sendable (_ count: Int, _ first: DecodingError) -> any Error = { $1 }
  }

  private let source: Source

  init(_ source: Source) { self.source = source }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }

  /// Requests the next page when the current one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private let source: Source
    private var trail: PaginationGuard
    /// The cursor of the next page; nil before the first one, and at the end.
    package private(set) var cursor: String?
    /// Whether the last page was read; only nil or an error can follow.
    package private(set) var isAtEnd = false
    /// The total according to the server's last answer.
    private(set) var total: Int?
    private var fault: (any Error)?
    /// The number of entries that cannot be read, and what is wrong with the first of them.
    package private(set) var unreadable = 0
    private var firstUnreadable: DecodingError?
    private var count = 0
    private var former: Set<Int> = []
    private var page: [Element] = []
    private var position = 0

    fileprivate init(_ source: Source) {
      self.source = source
      cursor = source.start
      trail = PaginationGuard(mostPages: source.mostPages)
    }

    public mutating func next() async throws -> Element? {
      while position == page.count {
        guard let next = try await nextPage() else { return nil }
        (page, position) = (next, 0)
      }
      defer { position += 1 }
      return page[position]
    }

    /// The whole next page; nil at the end. Do not mix with ``next()``, which splits pages.
    package mutating func nextPage() async throws -> [Element]? {
      if let fault { throw fault }
      if isAtEnd {
        // Thrown once, so that a caller can end what it has read.
        guard let first = firstUnreadable.take() else { return nil }
        throw source.unreadable(unreadable, first)
      }
      let answer = try await source.page(cursor, count)
      count += answer.rows.count + answer.unreadable.count
      unreadable += answer.unreadable.count
      firstUnreadable = firstUnreadable ?? answer.unreadable.first
      total = answer.total ?? total
      if source.endsWithEmptyPage, answer.rows.isEmpty {
        isAtEnd = true
        return nil
      }
      let names = answer.rows.map(\.name)
      switch trail.received(names, cursor: answer.cursor) {
      case .next(let next): cursor = next
      case .end: (isAtEnd, cursor) = (true, nil)
      // The page itself is valid; only its cursor is not.
      case .fault(let reason): fault = source.fault(reason)
      }
      defer { former = Set(names) }
      return answer.rows.compactMap { former.contains($0.name) ? nil : $0.element }
    }
  }
}
