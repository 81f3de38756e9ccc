// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// Pages of a listing's accounts, as a snapshot reads them.
struct SnapshotPages {
  private enum Source {
    case appview(PagedSequence<AccountView>.AsyncIterator)
    case records(PagedSequence<Result<RecordedEdge, MalformedRecord>>.AsyncIterator, of: EdgeKind)
    case given(Page)
    case end
  }

  /// A page with its properties.
  struct Page {
    var views: [AccountView] = []
    /// Keys of unreadable records, whose subjects are unknown.
    var malformed: Set<RecordKey> = []
    /// The number of unreadable records.
    var unreadable = 0
    /// Whether every unreadable record at least has a key.
    var isWhole = true
    /// Whether this page shows that the newest entries come first.
    var isNewestFirst = false

    var edges: [HistoryEdge] { views.map { HistoryEdge($0.account, rkey: $0.record?.recordKey) } }
  }

  private var source: Source

  /// Creates pages from accounts that were read before.
  init(given page: Page) { source = .given(page) }

  /// Reads a listing from its source: followers and mutes from an AppView, followers in another app from a backlink
  /// index, the others from the actor's repository.
  init(of listing: HistoryListing, _ listings: Listings) async throws {
    let actor = ATIdentifier.did(listing.actor)
    func records(_ kind: EdgeKind) async throws -> Source {
      guard let repository = listings.repository else { throw RelationshipError.clientNotConfigured }
      let reader = RecordReader(of: listing.actor, client: try await repository(listing.actor))
      return .records(reader.edges(of: kind).makeAsyncIterator(), of: kind)
    }
    if let graph = listing.graph, graph != .bluesky {
      let followers = ActorListing.graph(GraphListing(.followers, of: actor, in: graph))
      source =
        listing.side == .followers
        ? .appview(listings.pages(of: followers).makeAsyncIterator()) : try await records(graph.kind)
      return
    }
    source =
      switch listing.side {
      case .followers: .appview(listings.pages(of: .followers(of: actor)).makeAsyncIterator())
      case .mutes: .appview(listings.pages(of: .mutes(of: actor)).makeAsyncIterator())
      case .follows: try await records(.follow)
      case .blocks: try await records(.block)
      case .members: .given(Page())
      }
  }

  /// The next page; nil at the end.
  mutating func next() async throws -> Page? {
    switch source {
    case .appview(var iterator):
      guard let views = try await iterator.nextPage() else { return nil }
      source = .appview(iterator)
      return Page(views: views, isNewestFirst: true)
    case .records(var iterator, let kind):
      guard let rows = try await iterator.nextPage() else { return nil }
      source = .records(iterator, of: kind)
      return Page(rows, of: kind)
    case .given(let page):
      source = .end
      return page
    case .end: return nil
    }
  }
}

extension SnapshotPages.Page {
  /// Adds the key of an unreadable record.
  mutating func add(_ record: MalformedRecord) {
    unreadable += 1
    if let rkey = record.rkey { malformed.insert(rkey) } else { isWhole = false }
  }

  /// Creates a page from records of a kind.
  fileprivate init(_ rows: [Result<RecordedEdge, MalformedRecord>], of kind: EdgeKind) {
    for row in rows {
      switch row {
      case .success(let found):
        if !found.saysNothing, let account = found.edge.account {
          views.append(AccountView(account, record: found.record))
        }
      case .failure(let record): if !record.isAboutSomethingElse(in: kind) { add(record) }
      }
    }
    let keys = edges.compactMap { $0.rkey?.description }
    isNewestFirst = keys.count > 1 && zip(keys, keys.dropFirst()).allSatisfy { $0 > $1 }
  }
}
