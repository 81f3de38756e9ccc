// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// Finds people: by a text, as the AppView suggests them, or in the graph of an account.
///
/// Accounts with a block in either direction are left out and counted, if a server shows them at all.
public struct FindPeople: EstimatedOperation {
  public static let name = "findPeople"

  /// Where people are looked for.
  public enum Source: Sendable, Hashable {
    /// Accounts whose handle, name or description match a text.
    case search(String)
    /// What the AppView suggests to the signed-in account, or to everybody.
    case suggested
    /// What the AppView calls similar to an account.
    case similar(to: ATIdentifier)
    /// The accounts with the most followers among those that the account follows.
    case popular
    /// The newest followers of the account.
    case recent
    /// Accounts two steps away that it does not follow yet, by how many of its follows follow them.
    case nearby
    /// As ``nearby``, ranked by what the paths say, with the lists that both are on.
    case recommended
  }

  /// How many rows there are if no number is named.
  public static let usualLimit = 25
  /// How many follows are looked at if no number is named.
  public static let usualReach = NeighbourhoodReader.usualReach
  /// How many rows are checked for accounts that ask to be left out of recommendations.
  public static let mostChecked = 50

  /// Where people are looked for.
  public var source: Source
  /// The account in whose graph they are looked for; nil for the signed-in one.
  public var actor: ATIdentifier?
  /// The most rows.
  public var limit: Int
  /// How many of the newest follows are looked at, for ``Source/nearby`` and ``Source/recommended``.
  public var reach: Int
  /// A filter; nil for all.
  public var predicate: AccountPredicate?
  /// Whether a search is made signed out, so that accounts with a block can be counted; the order is then another one.
  public var countsHidden: Bool
  /// Whether rows of a search have the numbers of followers, follows and known followers, which its answer lacks.
  public var wantsCounts: Bool

  /// Creates the operation.
  public init(
    _ source: Source, of actor: ATIdentifier? = nil, limit: Int = usualLimit,
    reach: Int = usualReach, where predicate: AccountPredicate? = nil,
    countingHidden countsHidden: Bool = false, withCounts wantsCounts: Bool = false
  ) {
    (self.source, self.actor, self.limit, self.reach) = (source, actor, limit, reach)
    (self.predicate, self.countsHidden, self.wantsCounts) = (predicate, countsHidden, wantsCounts)
  }

  public typealias Outcome = PeopleFound

  typealias Reach = PeopleFound.Reach

  /// Whether accounts that are muted, dismissed, or ask for it are left out.
  private var isRecommendation: Bool {
    switch source {
    case .suggested, .similar, .nearby, .recommended: true
    case .search, .popular, .recent: false
    }
  }

  /// Whether the profile of each account is read, also where the answer has said what speaks against it.
  private var readsProfiles: Bool {
    if case .search = source { wantsCounts || predicate != nil } else { true }
  }

  /// - Throws: `SessionError` if the source needs a graph, no account is named and none is signed in; what the source throws; `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<PersonRow>) async throws -> Outcome {
    let viewer = try await workspace.accountIfAny()
    var outcome = Outcome()
    var candidates = try await candidates(as: viewer, workspace, report, &outcome)
    var dismissed: Set<DID> = []
    if isRecommendation, let viewer { dismissed = try await workspace.dismissed(by: viewer.did) }
    var filter = PeopleFilter(
      where: predicate, isRecommendation: isRecommendation, readingProfiles: readsProfiles, as: viewer,
      without: dismissed, in: workspace, report.note)
    let rows = await report.deliver { rows in
      while rows.count < limit, let batch = try await candidates.next() {
        for row in try await filter.pass(batch, most: limit - rows.count, &outcome) {
          try await rows.append(row)
        }
        try await rows.flush()
      }
    }
    outcome.rows = rows.marked(interruptedBy: candidates.fault ?? filter.fault)
    return outcome
  }

  // MARK: Candidates

  private func candidates(
    as viewer: AuthorizedAccount?, _ workspace: Workspace, _ report: Reporter<PersonRow>,
    _ outcome: inout Outcome
  ) async throws -> Candidates {
    let client = (countsHidden ? nil : viewer?.appview) ?? workspace.appview
    let listings = workspace.listings(by: client, usingCache: true)
    // A signed-in AppView answers without those that a block hides.
    let isSignedIn = viewer != nil && !countsHidden
    switch source {
    case .search(let text):
      outcome.isHiddenByServer = isSignedIn
      return Candidates(listings.search(text))
    case .suggested:
      outcome.isHiddenByServer = isSignedIn
      return Candidates(listings.suggestions())
    case .similar(let other):
      outcome.isHiddenByServer = isSignedIn
      return Candidates(try await listings.similar(to: other).map { Candidate(view: $0) })
    case .popular:
      var found: [AccountView] = []
      let query = ListingQuery(.follows(of: try await graphOwner(workspace)))
      var accounts = try await workspace.accounts(query, with: .counts, usingCache: true).makeAsyncIterator()
      while let view = try await accounts.next() { found.append(view) }
      found.sort { ($0.counts?.followers ?? -1) > ($1.counts?.followers ?? -1) }
      return Candidates(found.map { Candidate(view: $0) }, fault: accounts.coverage.fault)
    case .recent:
      let query = ListingQuery(.followers(of: try await graphOwner(workspace)))
      return Candidates(
        try await workspace.accounts(query, with: .dates, most: limit, usingCache: true).makeAsyncIterator())
    case .nearby, .recommended: return try await closest(workspace, report, &outcome)
    }
  }

  private func graphOwner(_ workspace: Workspace) async throws -> ATIdentifier {
    if let actor { return actor }
    return .did(try await workspace.account().did)
  }

  private func closest(
    _ workspace: Workspace, _ report: Reporter<PersonRow>, _ outcome: inout Outcome
  ) async throws -> Candidates {
    let owner = try await workspace.cachedIdentities.did(of: try await graphOwner(workspace))
    let listings = try await workspace.listings(
      for: ListingQuery(.follows(of: .did(owner))), usingCache: true)
    let progress = ReadingProgress(report)
    let period = workspace.lastDay
    let reader = NeighbourhoodReader(
      listings, keeping: workspace.stores.cache?.discovery(), readIn: period,
      concurrency: workspace.concurrency
    ) { await workspace.follows(inHistoryOf: $0) }
    var found = try await reader.neighbourhood(of: owner, reach: reach) {
      progress.advance(by: $0)
    }
    outcome.reach = Reach(
      looked: found.looked, asked: found.asked, unknown: found.unknown, follows: found.follows.count)
    var lists: [ATURI: PersonRow.List] = [:]
    var fault = found.fault
    if source == .recommended {
      let shared = try await listings.sharedLists(of: owner)
      fault = fault ?? shared.fault
      for list in shared.lists {
        let uri = list.list.uri
        lists[uri] = PersonRow.List(uri: uri, name: list.list.name, isOfPack: list.list.purpose == .refer)
        found.graph.add(.list(uri), list.members, degree: list.list.members ?? list.members.count)
      }
    }
    let excluded = Set(found.follows.map(\.account)).union([owner])
    // Some of them are left out later.
    let closest = found.graph.closest(
      4 * limit + 100, by: source == .recommended ? .score : .paths, excluding: excluded)
    let views = Dictionary(found.follows.map { ($0.account, $0) }) { first, _ in first }
    return Candidates(
      closest.map { account, closeness in
        var candidate = Candidate(view: AccountView(account), closeness: closeness)
        for hub in closeness.hubs {
          switch hub {
          case .account(let account): candidate.followedBy.append(views[account] ?? AccountView(account))
          case .list(let list): candidate.lists += [lists[list]].compactMap(\.self)
          }
        }
        return candidate
      }, fault: fault)
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var plan = CostPlan(concurrency: workspace.concurrency)
    plan.targets = limit
    // How many a filter leaves out is not known.
    let looked = predicate == nil ? limit : nil
    let client = workspace.appview
    switch source {
    case .search: plan.addPeople(.search, rows: looked)
    case .suggested: plan.addPeople(.suggestions, rows: looked)
    case .similar: plan.addPeople(.similar, rows: looked)
    case .popular:
      let listing = ActorListing.follows(of: try await graphOwner(workspace))
      var needs = AccountPredicate.Needs()
      needs = needs.with(.counts)
      plan.addListing(
        listing, entries: try await NetworkCounts(client: client).entries(of: [listing])[0], needs: needs)
    case .recent:
      let listing = ActorListing.followers(of: try await graphOwner(workspace))
      plan.addListing(listing, entries: limit, needs: AccountPredicate.Needs().with(.dates))
    case .nearby, .recommended:
      let listing = ActorListing.follows(of: try await graphOwner(workspace))
      let count = try await NetworkCounts(client: client).entries(of: [listing])[0]
      plan.addListing(listing, entries: count)
      plan.addNeighbourhood(reach: min(reach, count ?? reach))
      if source == .recommended { plan.addSharedLists() }
    }
    plan.addPeopleRows(
      looked, readingProfiles: readsProfiles || countsHidden,
      checkingOptOutsOf: isRecommendation ? min(limit, Self.mostChecked) : 0)
    if let predicate { plan.addQuestions(about: looked, needs: predicate.needs) }
    return plan
  }
}

/// An account that may be shown.
struct Candidate: Sendable {
  var view: AccountView
  var closeness: Closeness?
  var followedBy: [AccountView] = []
  var lists: [PersonRow.List] = []
}

/// The accounts of a source, page by page.
private struct Candidates {
  private enum Origin {
    case pages(PagedSequence<AccountView>.AsyncIterator)
    case listing(AccountListing.AsyncIterator)
    case known(ArraySlice<Candidate>, fault: (any Error)?)
  }

  private static let batchSize = 100

  private var origin: Origin

  init(_ pages: PagedSequence<AccountView>) { origin = .pages(pages.makeAsyncIterator()) }
  init(_ listing: AccountListing.AsyncIterator) { origin = .listing(listing) }
  init(_ known: [Candidate], fault: (any Error)? = nil) { origin = .known(known[...], fault: fault) }

  /// Why accounts may be missing.
  var fault: (any Error)? {
    switch origin {
    case .pages: nil
    case .listing(let accounts): accounts.coverage.fault
    case .known(_, let fault): fault
    }
  }

  mutating func next() async throws -> [Candidate]? {
    switch origin {
    case .pages(var pages):
      let page = try await pages.nextPage()
      origin = .pages(pages)
      return page?.map { Candidate(view: $0) }
    case .listing(var accounts):
      let part = try await accounts.nextPart()
      origin = .listing(accounts)
      return part?.map { Candidate(view: $0) }
    case .known(let left, let fault):
      origin = .known(left.dropFirst(Self.batchSize), fault: fault)
      return left.isEmpty ? nil : Array(left.prefix(Self.batchSize))
    }
  }
}
