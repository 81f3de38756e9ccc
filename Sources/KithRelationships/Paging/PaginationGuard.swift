// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Checks the cursors of a listing for endless pagination (Q11).
///
/// Short and empty pages are normal, and only a missing cursor is the end. A repeated cursor would loop
/// forever, and so would an unlimited number of empty pages or the same pages with new cursors: all of
/// these are server faults.
package struct PaginationGuard {
  /// What follows a page.
  package enum Step: Equatable {
    case next(String)
    case end
    case fault(Fault)
  }

  /// Why pagination cannot continue.
  package enum Fault: Equatable {
    case longCursor(bytes: Int)
    case endless(pages: Int)
    /// This cursor, truncated to 64 bytes, was received before.
    case repeatedCursor(String)
    case emptyPages(Int)
    case repeatedPages(Int)
  }

  /// Servers refill a page up to ten times before they send an empty one, so this many in a row hide
  /// a hundred thousand accounts: more than in any real listing.
  static let mostEmptyPages = 100

  /// Pages per listing of an AppView: at 100 entries each, more accounts than the network has. They are not kept.
  package static let mostPages = 1_000_000
  /// Pages of a collection in a repository, such as one account's follows, blocks or list items, which may be held in memory: a
  /// million entries. Its server may be a stranger's.
  static let mostPagesOfEdges = 10_000
  /// Pages of one account's lists or starter packs; people have dozens.
  static let mostPagesOfLists = 1_000
  /// Pages of one account's friend requests or acceptances, which are held in memory; people have hundreds.
  static let mostPagesOfFriends = 200
  /// Bytes of a cursor; real ones have a few dozen.
  static let longestCursor = 2_048

  /// Consecutive pages with the same accounts as earlier pages; a real listing has none.
  static let mostRepeatedPages = 10

  // Hashes, because a cursor may have two kilobytes and a hostile listing a million pages. The probability
  // of any collision among these is 3e-8.
  private let mostPages: Int
  private var cursors: Set<Int> = []
  private var pages: Set<Int> = []
  private var emptyPages = 0
  private var repeatedPages = 0

  /// Creates a value for a listing.
  ///
  /// - Parameter mostPages: The page limit; lower for listings that are known to be short.
  package init(mostPages: Int = Self.mostPages) { self.mostPages = mostPages }

  /// Returns what follows a page.
  ///
  /// - Parameter page: The identities of its entries, in order.
  package mutating func received(_ page: [some Hashable], cursor: String?) -> Step {
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
  package var description: String {
    switch self {
    case .longCursor(let bytes): "the cursor is \(bytes) bytes long"
    case .endless(let pages): "no end after \(pages) pages"
    case .repeatedCursor(let cursor): "repeated cursor \(cursor), pagination would never end"
    case .emptyPages(let pages): "\(pages) consecutive empty pages"
    case .repeatedPages(let pages): "\(pages) consecutive repeated pages, pagination would never end"
    }
  }
}
