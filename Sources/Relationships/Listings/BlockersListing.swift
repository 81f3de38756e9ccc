// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Who blocks an account, directly and by lists, as far as an index knows: each account once, with the record that does
/// so.
struct BlockersListing: ListingSource {
  private enum Stage {
    case direct(PagedSequence<AccountView>.AsyncIterator)
    case lists(PagedSequence<ATURI>.AsyncIterator)
    case end
  }

  /// Lists whose blocks are asked for before the accounts that they bring are handed on.
  private static let listsAtOnce = 64

  private let index: BacklinkIndex
  private let lists: PagedSequence<ATURI>?
  private var stage: Stage
  private var waiting: ArraySlice<ATURI> = []
  private var listed: Set<DID> = []
  private(set) var coverage = ListingCoverage()

  /// - Parameter lists: those that the account is on; nil where blocks by lists do not count.
  init(_ index: BacklinkIndex, _ direct: PagedSequence<AccountView>, _ lists: PagedSequence<ATURI>?) {
    self.index = index
    self.lists = lists
    stage = .direct(direct.makeAsyncIterator())
    coverage.isLowerBound = true
  }

  var isPaged: Bool { false }
  var cursor: String? { nil }

  mutating func next() async throws -> [AccountView]? {
    if !waiting.isEmpty {
      let some = waiting.prefix(Self.listsAtOnce)
      waiting.removeFirst(some.count)
      return take(try await index.blockers(of: Array(some)))
    }
    switch stage {
    case .direct(var pages):
      guard let page = try await pages.nextPage() else {
        stage = lists.map { .lists($0.makeAsyncIterator()) } ?? .end
        return []
      }
      stage = .direct(pages)
      return take(page)
    case .lists(var pages):
      guard let page = try await pages.nextPage() else {
        stage = .end
        return nil
      }
      stage = .lists(pages)
      waiting = page[...]
      return []
    case .end: return nil
    }
  }

  private mutating func take(_ views: [AccountView]) -> [AccountView] {
    let new = views.filter { listed.insert($0.account).inserted }
    coverage.listed += new.count
    return new
  }
}
