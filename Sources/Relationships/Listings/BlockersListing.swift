// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Who blocks an account, directly and by lists, as far as an index knows and the AppView agrees: each account once, with
/// the record that does so.
///
/// An index knows records and not what they come to: a list may be gone, or no moderation list, and so may an account.
struct BlockersListing: ListingSource {
  private enum Stage {
    case direct(PagedSequence<AccountView>.AsyncIterator)
    case lists(PagedSequence<ATURI>.AsyncIterator)
    case end
  }

  /// Lists whose blocks are asked for before the accounts that they bring are handed on.
  private static let listsAtOnce = 8

  private let index: BacklinkIndex
  private let lists: PagedSequence<ATURI>?
  private let confirm: @Sendable ([AccountView]) async throws -> ([AccountView], (any Error)?)
  private var stage: Stage
  private var waiting: ArraySlice<ATURI> = []
  private var listed: Set<DID> = []
  private(set) var coverage = ListingCoverage()

  /// - Parameters:
  ///   - lists: those that the account is on; nil where blocks by lists do not count.
  ///   - confirm: finds those who block it by the AppView, and why that was not learned of others.
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
      return try await take(index.blockers(of: Array(some)))
    }
    switch stage {
    case .direct(var pages):
      guard let page = try await pages.nextPage() else {
        stage = lists.map { .lists($0.makeAsyncIterator()) } ?? .end
        return []
      }
      stage = .direct(pages)
      return try await take(page)
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

  private mutating func take(_ views: [AccountView]) async throws -> [AccountView] {
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
