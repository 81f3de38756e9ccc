// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The accounts that block an account, directly or by a list, if an index knows them and the AppView
/// confirms them: each account once, with the record of its block.
///
/// An index knows records but not their effect: a list may be gone or not be a moderation list, and an
/// account may be gone.
struct BlockersListing: ListingSource {
  private enum Stage {
    case direct(PagedSequence<AccountView>.AsyncIterator)
    case lists(PagedSequence<ATURI>.AsyncIterator)
    case end
  }

  /// Lists whose blocks are requested before the resulting accounts are returned.
  private static let listsAtOnce = 8

  private let index: BacklinkIndex
  private let lists: PagedSequence<ATURI>?
  private let confirm: @Sendable ([AccountView]) async throws -> ([AccountView], (any Error)?)
  private var stage: Stage
  private var waiting: ArraySlice<ATURI> = []
  private var listed: Set<DID> = []
  private(set) var coverage = ListingCoverage()

  /// - Parameters:
  ///   - lists: the lists that include the account; nil to leave out blocks by lists.
  ///   - confirm: returns those that block the account according to the AppView, and the error of failed
  ///     lookups.
  init(
    _ index: BacklinkIndex, _ direct: PagedSequence<AccountView>, _ lists: PagedSequence<ATURI>?,
    confirm: @escaping @Sendable ([AccountView]) async throws -> ([AccountView], (any Error)?)
  ) {
    self.index = index
    self.lists = lists
    self.confirm = confirm
    stage = .direct(direct.makeAsyncIterator())
    coverage.isLowerBound = true
  }

  var isPaged: Bool { false }
  var cursor: String? { nil }

  mutating func next() async throws -> [AccountView]? {
    if !waiting.isEmpty {
      let some = waiting.prefix(Self.listsAtOnce)
      waiting.removeFirst(some.count)
      return try await accept(index.blockers(of: Array(some)))
    }
    switch stage {
    case .direct(var pages):
      guard let page = try await pages.nextPage() else {
        stage = lists.map { .lists($0.makeAsyncIterator()) } ?? .end
        return []
      }
      stage = .direct(pages)
      return try await accept(page)
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

  private mutating func accept(_ views: [AccountView]) async throws -> [AccountView] {
    let new = views.filter { listed.insert($0.account).inserted }
    if new.isEmpty { return [] }
    let (blockers, fault) = try await confirm(new)
    if let fault {
      coverage.fault = coverage.fault ?? fault
      coverage.undecided += new.count - blockers.count
    } else {
      coverage.unconfirmed += new.count - blockers.count
    }
    coverage.listed += blockers.count
    return blockers
  }
}
