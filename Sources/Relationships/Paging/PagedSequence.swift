// SPDX-License-Identifier: Apache-2.0

/// What a server lists, page by page as it is wanted: the next page is asked for when the last one is used up.
///
/// Short and empty pages are gone over (Q11), and what stood on the page before is left out, for the pages of some
/// servers overlap. Cursors that lead nowhere are a fault of the server, thrown behind what came before. A listing says
/// what else it throws; `CancellationError` when the task is cancelled.
public struct PagedSequence<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = any Error

  /// A page as a server gave it.
  struct Page: Sendable {
    /// What it lists, each with what tells it from the others: a hash of its name.
    let rows: [(name: Int, element: Element)]
    let cursor: String?
    /// How many there are on all pages, where the server tells.
    var total: Int?
  }

  /// How a listing is read.
  struct Source: Sendable {
    /// Where the first page begins; nil for the start of the listing.
    var start: String?
    /// Where a listing is known to be short, fewer than of any.
    var mostPages = PaginationGuard.mostPages
    /// Whether an empty page is the end, with a cursor or without (Q18); else only a missing cursor is (Q11).
    var endsWithEmptyPage = false
    /// Asks for the page behind a cursor, and behind so many entries.
    let page: @Sendable (_ cursor: String?, _ count: Int) async throws -> Page
    /// Puts into the words of the listing that its cursors lead nowhere.
    let fault: @Sendable (PaginationGuard.Fault) -> any Error
  }

  private let source: Source

  init(_ source: Source) { self.source = source }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private let source: Source
    private var trail: PaginationGuard
    /// Where the next page begins; nil before the first one, and at the end.
    private(set) var cursor: String?
    /// Whether the last page was read: what follows is nil, or a fault.
    private(set) var isAtEnd = false
    /// How many the server says there are, in its last answer.
    private(set) var total: Int?
    private var fault: (any Error)?
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

    /// All of the next page; nil at the end. Not beside ``next()``, which has begun a page.
    mutating func nextPage() async throws -> [Element]? {
      if let fault { throw fault }
      if isAtEnd { return nil }
      let answer = try await source.page(cursor, count)
      count += answer.rows.count
      total = answer.total ?? total
      if source.endsWithEmptyPage, answer.rows.isEmpty {
        isAtEnd = true
        return nil
      }
      let names = answer.rows.map(\.name)
      switch trail.received(names, cursor: answer.cursor) {
      case .next(let next): cursor = next
      case .end: (isAtEnd, cursor) = (true, nil)
      // The page itself is good: only the way on from it is not.
      case .fault(let reason): fault = source.fault(reason)
      }
      defer { former = Set(names) }
      return answer.rows.compactMap { former.contains($0.name) ? nil : $0.element }
    }
  }
}
