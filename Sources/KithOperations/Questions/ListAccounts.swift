// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships

/// Lists accounts: followers, follows, members of a list, and what predicates make of them.
public struct ListAccounts: EstimatedOperation {
  public static let name = "listAccounts"

  /// The sort key of rows.
  public enum Key: String, Sendable, CaseIterable {
    case handle
    case name
    /// Most followed first.
    case followers
    /// Latest first.
    case followedAt = "followed-at"
  }

  /// The listing and its filter.
  public var query: ListingQuery
  /// The details of rows beyond names.
  public var details: Listings.Details
  /// The most rows; nil for all.
  public var limit: Int?
  /// Where an earlier listing ended; nil for the beginning. A continued listing reads no repository.
  public var cursor: ListingCursor?
  /// The order of the rows, after all are read; nil for that of the listing.
  public var sort: Key?

  public init(
    _ query: ListingQuery, details: Listings.Details = [], limit: Int? = nil,
    from cursor: ListingCursor? = nil,
    sortedBy sort: Key? = nil
  ) {
    self.query = query
    self.details = details
    self.limit = limit
    self.cursor = cursor
    self.sort = sort
  }

  /// How a listing ended.
  public struct Outcome: OutcomeOfRows {
    /// How the rows ended.
    public let rows: RowsOutcome
    /// Who has listed them: the AppView, with what it leaves out from repositories, or the daemon of the user.
    public let source: RelationshipInfo.Source
    /// What was listed, and what could not be.
    public let report: ListingReport
    /// Whether the listing was read to its end, so the totals are known.
    public let isAtEnd: Bool
    /// Where it can continue; nil if it was read to its end or cannot be continued.
    public let cursor: ListingCursor?

    /// Accounts that may be missing because of an error make a listing incomplete.
    public var ending: Ending {
      let doubts = [report.coverage.doubt].compactMap(\.self)
      return Ending(rows, failure: FailureKind(worstOf: doubts, otherwise: .unavailable))
    }
    public var fields: [OutputField] {
      let head: KeyValuePairs<String, OutputValue> = [
        "rows": .integer(rows.count), "source": .string(source.rawValue), "isAtEnd": .bool(isAtEnd),
        "cursor": .text(cursor),
      ]
      return [OutputField](head) + report.fields
    }
  }

  /// - Throws: if the listing needs an account that is not signed in.
  public func run(in workspace: Workspace, _ report: Reporter<AccountViewRow>) async throws -> Outcome {
    let allDetails = try await allDetails(workspace)
    // The status of an account has to be current.
    let usesCache = !details.contains(.status) && query.predicate?.needs.contains(.status) != true
    var byDaemon: AccountListing?
    if limit == nil, cursor == nil, query.candidates == nil {
      byDaemon = try await workspace.accountsByDaemon(query, with: allDetails, usingCache: usesCache)
    }
    let accounts =
      if let byDaemon {
        byDaemon
      } else {
        try await workspace.accounts(
          query, with: allDetails, from: cursor, most: sort == nil ? limit : nil, usingCache: usesCache)
      }
    var views = accounts.makeAsyncIterator()
    let own = try? await workspace.accountIfAny()
    var standing: [DID: TimedEdge] = [:]
    if let own, own.isNamed(query.listing.actor) {
      standing = try await workspace.timedEdges(of: query.listing, for: own)
    }
    let rows = await report.deliver { rows in
      for view in try await sorted(&views) {
        try await rows.append(row(view, &standing))
      }
      while sort == nil, rows.count < limit ?? .max, let view = try await views.next() {
        try await rows.append(row(view, &standing))
        if views.mustWait { try await rows.flush() }
      }
      guard case .mutes = query.listing, query.predicate == nil, cursor == nil else { return }
      for mute in try await workspace.partialMutes(among: standing) where rows.count < limit ?? .max {
        try await rows.append(AccountViewRow(view: mute.view, standing: mute.standing))
      }
    }
    return Outcome(
      rows: rows, source: byDaemon == nil ? .appview : .daemon,
      report: ListingReport(
        query.listing, views.coverage,
        owner: (try? await workspace.accountIfAny())?.handle(in: query.listing),
        areGiven: query.candidates != nil), isAtEnd: views.isAtEnd, cursor: views.cursor)
  }

  private func row(_ view: AccountView, _ standing: inout [DID: TimedEdge]) -> AccountViewRow {
    AccountViewRow(
      view: view, standing: standing.isEmpty ? nil : standing.removeValue(forKey: view.account),
      graph: query.listing.graph,
      asksRelationship: details.contains(.relationship))
  }

  /// All accounts in the requested order; none without one.
  private func sorted(_ accounts: inout AccountListing.AsyncIterator) async throws -> [AccountView] {
    guard let sort else { return [] }
    var views: [AccountView] = []
    while let view = try await accounts.next() { views.append(view) }
    return Array(views.sorted(by: sort).prefix(limit ?? .max))
  }

  /// The details of rows: also dates for the account's own follows, whose repository contains them, and names
  /// for blockers, which no AppView lists.
  private func allDetails(_ workspace: Workspace) async throws -> Listings.Details {
    if case .blockers = query.listing { return details.union(.names) }
    guard case .follows(let actor) = query.listing, cursor == nil,
      try await workspace.accountIfAny()?.isNamed(actor) == true
    else { return details }
    return details.union(query.listing.detailsOfOwner)
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    let needs = (query.predicate?.needs ?? AccountPredicate.Needs()).with(try await allDetails(workspace))
    let client = try await workspace.owner(of: query.listing)?.appview ?? workspace.appview
    let count = try await NetworkCounts(client: client).entries(of: [query.listing])[0]
    var plan = CostPlan(concurrency: workspace.concurrency)
    plan.addListing(query.listing, entries: count, needs: needs, hasIndex: workspace.index != nil)
    plan.targets = count
    return plan
  }
}

extension [AccountView] {
  /// Sorts by a key, stably; accounts without the key come last.
  fileprivate func sorted(by key: ListAccounts.Key) -> [AccountView] {
    func order<Value>(_ value: (AccountView) -> Value?, _ isBefore: (Value, Value) -> Bool) -> [AccountView] {
      map { ($0, value($0)) }.sorted { one, other in
        guard let left = one.1 else { return false }
        return other.1.map { isBefore(left, $0) } ?? true
      }.map(\.0)
    }
    return switch key {
    case .handle: order({ $0.handle?.description }, <)
    case .name: order({ $0.displayName.map { $0.lowercased() } }, <)
    case .followers: order({ $0.counts?.followers }, >)
    case .followedAt: order({ $0.since?.instant }, >)
    }
  }
}
