// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Follows the cursors of a listing, and sees when they lead nowhere (Q11).
///
/// Short and empty pages are normal, and only a missing cursor is the end. A cursor that came before would
/// go round for ever, and so would empty pages without number and the same pages under new cursors: all are
/// faults of the server.
struct PaginationGuard {
  /// What comes after a page.
  enum Step: Equatable {
    case next(String)
    case end
    case fault(Fault)
  }

  /// Why the cursors lead nowhere.
  enum Fault: Equatable {
    case longCursor(bytes: Int)
    case endless(pages: Int)
    /// This cursor, cut after 64 bytes, came before.
    case repeatedCursor(String)
    case emptyPages(Int)
    case repeatedPages(Int)
  }

  /// Servers refill a page up to ten times before they send an empty one, so that this many in a row hide
  /// hundreds of thousands of accounts: more than any real listing does.
  static let mostEmptyPages = 1_000

  /// Pages of one listing: at 100 a page, more accounts than the network has.
  static let mostPages = 1_000_000
  /// Pages of the follows, blocks or list items of one account, which may have to be held: a million of them.
  static let mostPagesOfEdges = 10_000
  /// Pages of the lists or starter packs of one account; people have dozens.
  static let mostPagesOfLists = 1_000
  /// Bytes of a cursor; real ones have some dozens.
  static let longestCursor = 2_048

  /// Pages in a row that hold the very accounts of pages before them; a real listing has none.
  static let mostRepeatedPages = 10

  // By their hashes: a cursor may have two kilobytes, and a hostile listing a million pages. That two of so many
  // share one by chance has a probability of 3e-8.
  private let mostPages: Int
  private var cursors: Set<Int> = []
  private var pages: Set<Int> = []
  private var emptyPages = 0
  private var repeatedPages = 0

  /// - Parameter mostPages: where a listing is known to be short, fewer than of any.
  init(mostPages: Int = Self.mostPages) { self.mostPages = mostPages }

  /// - Parameter page: what tells a page from others: whom or what it holds, in its order.
  mutating func received(_ page: [some Hashable], cursor: String?) -> Step {
    guard let cursor, !cursor.isEmpty else { return .end }
    guard cursor.utf8.count <= Self.longestCursor else {
      return .fault(.longCursor(bytes: cursor.utf8.count))
    }
    guard cursors.count < mostPages else {
      return .fault(.endless(pages: cursors.count))
    }
    guard cursors.insert(cursor.hashValue).inserted else {
      return .fault(.repeatedCursor(cursor.shortened(toBytes: 64)))
    }
    emptyPages = page.isEmpty ? emptyPages + 1 : 0
    guard emptyPages < Self.mostEmptyPages else { return .fault(.emptyPages(emptyPages)) }
    if !page.isEmpty { repeatedPages = pages.insert(page.hashValue).inserted ? 0 : repeatedPages + 1 }
    guard repeatedPages < Self.mostRepeatedPages else {
      return .fault(.repeatedPages(repeatedPages))
    }
    return .next(cursor)
  }
}

extension PaginationGuard.Fault: CustomStringConvertible {
  var description: String {
    switch self {
    case .longCursor(let bytes): "the cursor is \(bytes) bytes long"
    case .endless(let pages): "\(pages) pages have not been the end"
    case .repeatedCursor(let cursor): "the cursor \(cursor) came before, the pages would never end"
    case .emptyPages(let pages): "\(pages) pages in a row are empty"
    case .repeatedPages(let pages): "\(pages) pages in a row came before, they would never end"
    }
  }
}
