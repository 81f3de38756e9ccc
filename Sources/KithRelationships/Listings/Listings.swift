// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
internal import KithLexicons

/// A kind of account listing.
public enum ActorListing: Sendable, Hashable {
  /// Accounts that an actor follows.
  case follows(of: ATIdentifier)
  /// Accounts that follow an actor.
  case followers(of: ATIdentifier)
  /// Accounts on a list, by the list's AT-URI.
  case members(of: ATURI)
  /// Accounts that an actor blocks directly, from the records of its repository: block records are public.
  case blocks(of: ATIdentifier)
  /// Accounts that the viewer mutes, except scoped mutes, which no server lists (Q9).
  case mutes(of: ATIdentifier)
  /// Accounts that block an actor, directly or by a list, and that a backlink index knows: no AppView
  /// lists them.
  case blockers(of: ATIdentifier)
  /// Accounts by their follows in the graph of another app.
  case graph(GraphListing)
  /// Accounts that have reacted to a post, latest first, each once; of replies those that the thread shows.
  case reactions(PostReaction, to: ATURI)

  /// The method that lists the accounts.
  package var method: NSID {
    switch self {
    case .follows: App.Bsky.Graph.GetFollows.nsid
    case .followers: App.Bsky.Graph.GetFollowers.nsid
    case .members: App.Bsky.Graph.GetList.nsid
    case .blocks: App.Bsky.Graph.GetBlocks.nsid
    case .mutes: App.Bsky.Graph.GetMutes.nsid
    case .blockers: Blue.Microcosm.Links.GetBacklinks.nsid
    case .graph(let listing):
      listing.needsIndex
        ? Blue.Microcosm.Links.GetBacklinks.nsid : Com.Atproto.Repo.ListRecords.nsid
    case .reactions(.likes, _): App.Bsky.Feed.GetLikes.nsid
    case .reactions(.reposts, _): App.Bsky.Feed.GetRepostedBy.nsid
    case .reactions(.quotes, _): App.Bsky.Feed.GetQuotes.nsid
    case .reactions(.replies, _): App.Bsky.Feed.GetPostThread.nsid
    }
  }

  /// The actor, the owner of the list or the author of the post.
  public var actor: ATIdentifier {
    switch self {
    case .follows(let actor), .followers(let actor), .blocks(let actor), .mutes(let actor),
      .blockers(let actor):
      actor
    case .members(let list): list.authority
    case .graph(let listing): listing.actor
    case .reactions(_, let post): post.authority
    }
  }

  /// The edge between the actor and the listed accounts.
  fileprivate var edge: ListingFilter.Edge? {
    switch self {
    case .follows: .following
    case .followers: .followedBy
    case .members, .blocks, .mutes, .blockers, .graph, .reactions: nil
    }
  }

  /// The graph whose follows are listed; nil if the accounts are listed for something else.
  public var graph: FollowGraph? {
    switch self {
    case .follows, .followers: .bluesky
    case .graph(let listing): listing.graph
    case .members, .blocks, .mutes, .blockers, .reactions: nil
    }
  }
}

/// How accounts react to a post.
public enum PostReaction: String, Sendable, Hashable, CaseIterable {
  case likes, reposts, quotes, replies
}

/// A listing with a filter.
public struct ListingQuery: Sendable, Hashable {
  /// The listing.
  public var listing: ActorListing
  /// The filter; nil for all accounts.
  public var predicate: AccountPredicate?
  /// The accounts to check for blocks of the actor, instead of a listing of all blockers; nil for a listing.
  package var candidates: [DID]?

  /// Creates a query for the accounts of a listing that match a predicate.
  public init(_ listing: ActorListing, where predicate: AccountPredicate? = nil) {
    self.listing = listing
    self.predicate = predicate
  }

  /// Those of some accounts that block an actor.
  package static func blockers(of actor: ATIdentifier, among accounts: [DID]) -> ListingQuery {
    var query = ListingQuery(.blockers(of: actor))
    query.candidates = accounts
    return query
  }

  /// The same query for the accounts that also match a predicate.
  package func narrowed(to predicate: AccountPredicate) -> ListingQuery {
    var query = self
    query.predicate = self.predicate.map { $0 && predicate } ?? predicate
    return query
  }

  /// Accounts that an actor follows in a graph.
  public static func follows(of actor: ATIdentifier, in graph: FollowGraph) -> ListingQuery {
    ofOtherApp(.follows, of: actor, in: graph) ?? ListingQuery(.follows(of: actor))
  }

  /// Accounts that follow an actor in a graph.
  public static func followers(of actor: ATIdentifier, in graph: FollowGraph) -> ListingQuery {
    ofOtherApp(.followers, of: actor, in: graph) ?? ListingQuery(.followers(of: actor))
  }

  /// Accounts that follow an actor and are followed by it.
  public static func mutuals(of actor: ATIdentifier, in graph: FollowGraph = .bluesky) -> ListingQuery {
    ofOtherApp(.mutuals, of: actor, in: graph)
      ?? ListingQuery(.follows(of: actor), where: AccountPredicate(.followedBy))
  }

  /// Accounts that an actor follows and that do not follow back.
  public static func notFollowingBack(
    _ actor: ATIdentifier, in graph: FollowGraph = .bluesky
  ) -> ListingQuery {
    ofOtherApp(.notFollowingBack, of: actor, in: graph)
      ?? ListingQuery(.follows(of: actor), where: !AccountPredicate(.followedBy))
  }

  /// Accounts that follow an actor and that it does not follow back.
  public static func notFollowedBack(
    by actor: ATIdentifier, in graph: FollowGraph = .bluesky
  ) -> ListingQuery {
    ofOtherApp(.notFollowedBack, of: actor, in: graph)
      ?? ListingQuery(.followers(of: actor), where: !AccountPredicate(.following))
  }

  /// The listing of records; nil for Bluesky's graph, which an AppView indexes.
  private static func ofOtherApp(
    _ side: GraphListing.Side, of actor: ATIdentifier, in graph: FollowGraph
  ) -> ListingQuery? {
    graph == .bluesky ? nil : ListingQuery(.graph(GraphListing(side, of: actor, in: graph)))
  }

  /// Accounts that a viewer follows and that follow an actor: all of them, not only the first hundred,
  /// where `getKnownFollowers` stops (Q13).
  public static func knownFollowers(of actor: ATIdentifier, to viewer: ATIdentifier) -> ListingQuery {
    ListingQuery(.follows(of: viewer), where: AccountPredicate(.followedBy, with: .account(actor)))
  }

  /// Accounts that an actor and all the others follow.
  public static func common(
    _ actor: ATIdentifier, _ others: [ATIdentifier], in graph: FollowGraph = .bluesky
  ) -> ListingQuery {
    if let query = ofOtherApp(.common(others), of: actor, in: graph) { return query }
    let predicates = others.map { AccountPredicate(.following, with: .account($0)) }
    return ListingQuery(
      .follows(of: actor), where: predicates.first.map { predicates.dropFirst().reduce($0, &&) })
  }
}

/// Lists accounts and lists, up to 100 entries per call; the first call is made when the first entry is
/// requested.
///
/// An AppView leaves out accounts that it does not show: suspended and deactivated accounts, and those that
/// block the actor or that it blocks (Q11). ``accounts(_:where:with:from:most:)`` adds the ones found in
/// repositories. Every listing throws ``RelationshipError``: `actorNotFound` or `listNotFound` if the actor
/// or list does not exist, `invalidResponse` if the cursors go in circles; and `CancellationError` when the
/// task is cancelled. Blocks, which are only in the repository, also throw ``RepositoryError`` and the
/// errors of creating the repository's client.
public struct Listings: Sendable {
  /// Adds names to accounts; returns why some are missing, if a call failed.
  package typealias Naming =
    @Sendable ([AccountView]) async throws -> (views: [AccountView], fault: RelationshipError?)
  /// Creates a client for the server of an account's repository.
  public typealias RepositoryClient = @Sendable (_ account: DID) async throws -> XRPCClient

  /// Facts to learn about each account of a listing besides its names.
  public struct Details: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// When each edge was created. Follows are then read from their records; followers cost one call per 30
    /// (Q15). Blocks always have dates.
    public static let dates = Details(rawValue: 1)
    /// The counts of profiles, and when accounts were created: one call per 25.
    public static let counts = Details(rawValue: 2)
    /// The status of accounts: at least one call for each account that the AppView does not show.
    public static let status = Details(rawValue: 4)
    /// Names of accounts that the listing does not provide: one call per 25.
    public static let names = Details(rawValue: 8)
    /// Whether each account is a friend of the listing's actor, or waits for it.
    public static let requests = Details(rawValue: 16)
    /// The relationship of the signed-in account with each account: nothing where the answer says it, which it does for
    /// the listings of a signed-in client, otherwise one call per 30.
    public static let relationship = Details(rawValue: 32)
  }

  /// The most entries per page, according to the lexicons.
  package static let pageSize = 100

  private typealias Graph = App.Bsky.Graph

  package let client: XRPCClient
  /// Asked for profiles; the client of the viewer if they have to say how the viewer knows the account.
  package var profiles: XRPCClient
  /// Finds the list that a predicate names.
  package var list: @Sendable (_ text: String) async throws -> ATURI
  package let viewer: DID?
  /// What was changed on this machine a short time ago; nil if answers are taken as they are.
  package var ownChanges: OwnChanges?
  private let relationships: FollowRelationshipService
  /// The account whose mutes predicates may use, and the service that includes them; nil for none.
  package var muting: (viewer: DID, relationships: FollowRelationshipService)?
  let identities: IdentityDirectory
  package let repository: RepositoryClient?
  package let index: BacklinkIndex?

  /// Creates listings from a client's service.
  ///
  /// - Parameters:
  ///   - viewer: the account that the client is signed in as; nil if signed out.
  ///   - relationships: used if a predicate depends on relationships, with the cache of that service. Pass the
  ///     one of the app that `ChangeObservers` and `RelationshipWriter` notify: its answers include what the app
  ///     has just changed. Nil for one without a cache: each listing asks the AppView again.
  ///   - repository: finds the servers of repositories; without it only AppView listings are available, and
  ///     no blocks.
  public init(
    _ client: XRPCClient, as viewer: DID? = nil, relationships: FollowRelationshipService? = nil,
    identities: IdentityDirectory? = nil, repository: RepositoryClient? = nil
  ) {
    self.init(
      client, as: viewer, relationships: relationships, identities: identities, index: nil,
      repository: repository)
  }

  /// Creates listings that ask a backlink index as well.
  ///
  /// - Parameter index: provides accounts that block an account, lists that include it, and followers that
  ///   the AppView leaves out.
  package init(
    _ client: XRPCClient, as viewer: DID? = nil, relationships: FollowRelationshipService? = nil,
    identities: IdentityDirectory? = nil, index: BacklinkIndex?, repository: RepositoryClient? = nil
  ) {
    self.client = client
    profiles = client
    self.viewer = viewer
    let identities = identities ?? IdentityDirectory(client: client)
    self.identities = identities
    self.relationships = relationships ?? Self.uncached(client, identities)
    self.index = index
    self.repository = repository
    list = { text in
      guard let input = try RecordInput(parsing: text), input.kind == .list else {
        throw InputError(text: text, naming: "list", reason: "use the AT-URI or URL of a list")
      }
      do { return input.uri(ownedBy: try await identities.did(of: input.owner)) } catch let error
        as IdentityError
      {
        throw RelationshipError(error)
      }
    }
  }

  /// The service for the relationships of an account.
  func relationships(of account: DID) -> FollowRelationshipService {
    muting.flatMap { $0.viewer == account ? $0.relationships : nil } ?? relationships
  }

  /// A service without a cache, for answers that must be current.
  package var freshRelationships: FollowRelationshipService { Self.uncached(client, identities, ownChanges) }

  private static func uncached(
    _ client: XRPCClient, _ identities: IdentityDirectory, _ ownChanges: OwnChanges? = nil
  ) -> FollowRelationshipService {
    let source = AppViewRelationshipSource(client: client, identities: identities)
    return FollowRelationshipService(
      source: ownChanges?.shown(in: source) ?? source, identities: identities,
      // All targets are available at once, so there is nothing to wait for.
      cachePolicy: .off, configuration: .init(linger: .zero), time: client.time)
  }

  /// Looks up the status of accounts that the AppView does not list.
  package var statuses: AccountStatuses {
    AccountStatuses(client: client, identities: identities, repository: repository)
  }

  // MARK: Accounts

  /// The accounts of a listing, as completely as possible, and the number of those that cannot be listed.
  ///
  /// - Parameters:
  ///   - predicate: filters the accounts; its `actor` is that of the listing. The facts it needs are
  ///     requested in batches: 30 relationships per call, 25 profiles per call. Accounts without a decision
  ///     are counted but not listed.
  ///   - details: further facts to learn about each account.
  ///   - cursor: where an earlier AppView listing ended; the rest gives no information about the whole.
  ///   - most: the most accounts wanted, which also limits the page size.
  public func accounts(
    _ listing: ActorListing, where predicate: AccountPredicate? = nil, with details: Details = [],
    from cursor: ListingCursor? = nil, most: Int? = nil
  ) -> AccountListing {
    let needs = (predicate?.needs ?? AccountPredicate.Needs()).with(details)
    let isDated = needs.contains(.date)
    let handedOut = cursor?.handedOut ?? 0
    let most = predicate == nil ? most.map { min(max(0, $0), .max - handedOut) + handedOut } : nil
    let pages = pages(of: listing, from: cursor?.page, most: most)
    let records = records(behind: listing)
    let source: any ListingSource =
      switch listing {
      case .follows where isDated && cursor == nil, .followers where isDated && cursor == nil:
        if let records {
          RepositoryListing(listing, client, pages, records, removals(from: listing))
        } else {
          AppViewListing(listing, pages, isWhole: true, client, nil)
        }
      case .blocks(let actor):
        RepositoryListing(
          listing, client, actor == viewer.map { .did($0) } ? pages : nil,
          self.records(App.Bsky.Graph.Block.self, of: actor), removals(from: listing))
      case .follows, .followers, .members, .mutes, .reactions:
        AppViewListing(listing, pages, isWhole: cursor?.page == nil, client, records)
      case .graph(let graph): RepositoryListing(listing, client, nil, self.records(of: graph))
      case .blockers(let actor):
        BlockersListing(
          backlinks, pages, backlinks.lists { [self] in try await owner(asking: index, for: actor) }
        ) { [self] in try await confirmed($0, of: actor, where: \.isBlockedBy) }
      }
    let hasDates = source is RepositoryListing && records?.areAll != false
    let needsFilter =
      predicate != nil || (isDated && listing.edge != nil && !hasDates)
      || needs.facts.contains { $0 != .date && !$0.isListed(listing) }
    let filter = needsFilter ? filter(predicate, needs, actor: listing.actor, edge: listing.edge) : nil
    return AccountListing(listing, source, filter, most: most, handedOut: handedOut)
  }

  /// The accounts that match a predicate, of those that are known to be on a listing.
  ///
  /// - Parameters:
  ///   - accounts: with the records and dates of their edges, as far as they are known.
  ///   - counted: how many the profile counts; nil if it does not say.
  ///   - name: called with some of them at a time.
  package func accounts(
    _ accounts: [AccountView], counted: Int?, on listing: ActorListing,
    where predicate: AccountPredicate? = nil,
    with details: Details = [],
    naming name: @escaping Naming
  ) -> AccountListing {
    let needs = (predicate?.needs ?? AccountPredicate.Needs()).with(details)
    let lacksDates = needs.contains(.date) && accounts.contains { $0.since == nil }
    let needsFilter = predicate != nil || lacksDates || needs.facts.contains { $0 != .date && $0 != .names }
    return AccountListing(
      listing, KnownEdges(accounts, counted: counted, name),
      needsFilter ? filter(predicate, needs, actor: listing.actor, edge: listing.edge) : nil, most: nil)
  }

  /// The given accounts that match a predicate, in order.
  ///
  /// - Parameter actor: the predicate's default party; `followed` refers to its follow of the account, and
  ///   takes the date from the record, as the listing of the actor's follows does.
  public func accounts(
    among accounts: [DID], of actor: ATIdentifier, where predicate: AccountPredicate,
    with details: Details = []
  ) -> AccountListing {
    self.accounts(
      among: accounts.map { AccountView($0) }, of: actor, where: predicate, with: details, edge: .following)
  }

  /// The accounts of a listing that match a predicate about another actor.
  ///
  /// - Parameter actor: the predicate's default party, as for given accounts.
  package func accounts(
    among accounts: AccountListing, of actor: ATIdentifier, where predicate: AccountPredicate
  ) -> AccountListing {
    AccountListing(
      accounts.listing, FixedAccounts(of: accounts),
      filter(predicate, predicate.needs, actor: actor, edge: .following, dates: dates(of: actor, .following)),
      most: nil)
  }

  private func accounts(
    among accounts: [AccountView], of actor: ATIdentifier, where predicate: AccountPredicate,
    with details: Details, edge: ListingFilter.Edge
  ) -> AccountListing {
    AccountListing(
      .follows(of: actor), FixedAccounts(accounts),
      filter(
        predicate, predicate.needs.with(details), actor: actor, edge: edge, dates: dates(of: actor, edge)),
      most: nil)
  }

  /// The actor's follow records, if the dates of an edge are in them and can be read.
  private func dates(of actor: ATIdentifier, _ edge: ListingFilter.Edge) -> ListingRecords? {
    guard case .following = edge else { return nil }
    return records(behind: .follows(of: actor))
  }

  /// The given accounts that block an actor, directly or by a list, with the record of a direct block and
  /// the date that its key claims.
  ///
  /// The records of these blocks are in repositories of their own: an AppView only answers about given
  /// accounts.
  /// - Parameter predicate: an additional filter.
  func blocking(
    _ actor: ATIdentifier, among accounts: [DID], where predicate: AccountPredicate? = nil,
    with details: Details = []
  ) -> AccountListing {
    let blocks = AccountPredicate(.blockedBy)
    return self.accounts(
      among: accounts.map { AccountView($0) }, of: actor, where: predicate.map { blocks && $0 } ?? blocks,
      with: details,
      edge: .blockedBy)
  }

  /// The accounts that match a query; see ``accounts(_:where:with:from:most:)``.
  public func accounts(
    _ query: ListingQuery, with details: Details = [], from cursor: ListingCursor? = nil, most: Int? = nil
  ) -> AccountListing {
    if let candidates = query.candidates {
      return blocking(
        query.listing.actor, among: candidates, where: query.predicate, with: details.union(.names))
    }
    return accounts(query.listing, where: query.predicate, with: details, from: cursor, most: most)
  }

  /// Finds out which of some accounts the owner of a listing has taken off it a short time ago.
  private func removals(from listing: ActorListing) -> RepositoryListing.Removals? {
    guard let ownChanges else { return nil }
    let collection: NSID
    switch listing {
    case .follows: collection = .follow
    case .blocks: collection = .block
    case .followers, .members, .mutes, .blockers, .graph, .reactions: return nil
    }
    return { [self] accounts in
      let owner = try await known(nil, or: listing.actor)
      return await ownChanges.removed(from: collection, by: owner, among: accounts)
    }
  }

  /// The records behind a listing, if they can be read.
  private func records(behind listing: ActorListing) -> ListingRecords? {
    switch listing {
    case .follows(let actor): repository == nil ? nil : records(App.Bsky.Graph.Follow.self, of: actor)
    case .followers(let actor): index.map { followers(of: actor, by: $0) }
    case .members, .blocks, .mutes, .blockers, .graph, .reactions: nil
    }
  }

  /// The records in an actor's repository, which is located first.
  func records<Record: EdgeRecord>(
    _ type: Record.Type, of actor: ATIdentifier
  ) -> ListingRecords where Record.Subject == DID {
    ListingRecords { [self] owner in
      let owner = try await known(owner, or: actor)
      guard let repository else { throw RelationshipError.clientNotConfigured }
      return RecordReader(of: owner, client: try await repository(owner)).edges(type)
    }
  }

  /// The follow records that an index has seen; those that the AppView does not list are checked against
  /// it.
  private func followers(of actor: ATIdentifier, by index: BacklinkIndex) -> ListingRecords {
    ListingRecords(areAll: false) { [self] owner in
      let owner = try await known(owner, or: actor)
      return index.links(from: .follows, to: { owner.description }) { .success($0) }
    } confirm: { [self] views in
      let (found, fault) = try await confirmed(views, of: actor, where: \.isFollowedBy)
      return ConfirmedAccounts(views: found, fault: fault)
    }
  }

  /// The accounts from an index that the AppView confirms.
  ///
  /// - Returns: the confirmed accounts, and the first error of a failed lookup.
  private func confirmed(
    _ views: [AccountView], of actor: ATIdentifier, where holds: (RelationshipInfo) -> Bool
  ) async throws -> ([AccountView], (any Error)?) {
    let owner = try await known(nil, or: actor)
    var found: Set<DID> = []
    var fault: (any Error)?
    for try await answer in freshRelationships.relationships(of: owner, with: views.map(\.account)) {
      switch answer.state {
      case .known(let info): if holds(info) { found.insert(info.target) }
      case .itself, .notFound: break
      case .failed(let error): fault = fault ?? error
      }
    }
    return (views.filter { found.contains($0.account) }, fault)
  }

  /// The index; without one, ``owner(asking:for:)`` throws before the first call.
  var backlinks: BacklinkIndex { index ?? BacklinkIndex(client) }

  func owner(asking index: BacklinkIndex?, for actor: ATIdentifier) async throws -> DID {
    guard index != nil else { throw RelationshipError.noIndex }
    return try await known(nil, or: actor)
  }

  /// Resolves an actor, unless its account is known.
  func known(_ account: DID?, or actor: ATIdentifier) async throws -> DID {
    if let account { return account }
    do { return try await identities.did(of: actor) } catch let error as IdentityError {
      throw RelationshipError(error)
    }
  }

  private func filter(
    _ predicate: AccountPredicate?, _ needs: AccountPredicate.Needs, actor: ATIdentifier,
    edge: ListingFilter.Edge?, dates: ListingRecords? = nil
  ) -> ListingFilter {
    ListingFilter(predicate, needs, FactReader(self, predicate, actor: actor, edge: edge, dates: dates))
  }

  /// The accounts that the AppView lists.
  package func pages(
    of listing: ActorListing, from cursor: String? = nil, most: Int? = nil
  ) -> PagedSequence<AccountView> {
    switch listing {
    case .follows(let actor):
      sequence(
        of: Graph.GetFollows.self, reading: AccountPage<FollowsField>.self, from: cursor, most: most,
        orElse: .actorNotFound(actor)
      ) { Graph.GetFollows.Parameters(actor: actor, limit: $1, cursor: $0) }
    case .followers(let actor):
      sequence(
        of: Graph.GetFollowers.self, reading: AccountPage<FollowersField>.self, from: cursor, most: most,
        orElse: .actorNotFound(actor)
      ) { Graph.GetFollowers.Parameters(actor: actor, limit: $1, cursor: $0) }
    case .members(let list): members(of: list, from: cursor, most: most) { _ in }
    case .blocks(let actor):
      sequence(
        of: Graph.GetBlocks.self, reading: AccountPage<BlocksField>.self, from: cursor, most: most,
        orElse: .actorNotFound(actor)
      ) { Graph.GetBlocks.Parameters(limit: $1, cursor: $0) }
    case .mutes(let actor):
      sequence(
        of: Graph.GetMutes.self, reading: AccountPage<MutesField>.self, from: cursor, most: most,
        orElse: .actorNotFound(actor)
      ) { Graph.GetMutes.Parameters(limit: $1, cursor: $0) }
    case .blockers(let actor): links(from: .block, to: actor)
    case .graph(let listing): links(from: listing.graph.kind, to: listing.actor)
    case .reactions(let reaction, let post): reactions(reaction, to: post, from: cursor, most: most)
    }
  }

  /// The accounts whose records of a kind point to an actor, of those that an index knows.
  private func links(from kind: EdgeKind, to actor: ATIdentifier) -> PagedSequence<AccountView> {
    backlinks.links(from: BacklinkIndex.Source(kind)) { [self] in
      try await owner(asking: index, for: actor).description
    } _: {
      $0
    }
  }

  // MARK: Lists

  /// The lists of an actor; AppViews leave out lists that belong to starter packs.
  public func lists(of actor: ATIdentifier) -> PagedSequence<ListSummary> {
    sequence(
      of: Graph.GetLists.self, reading: ListPage.self, mostPages: PaginationGuard.mostPagesOfLists,
      orElse: .actorNotFound(actor)
    ) {
      Graph.GetLists.Parameters(actor: actor, limit: $1, cursor: $0)
    }
  }

  /// The lists that the viewer mutes; known only to the viewer's own AppView.
  public func mutedLists() -> PagedSequence<ListSummary> {
    sequence(
      of: Graph.GetListMutes.self, reading: ListPage.self, mostPages: PaginationGuard.mostPagesOfLists,
      orElse: .clientNotConfigured
    ) {
      Graph.GetListMutes.Parameters(limit: $1, cursor: $0)
    }
  }

  /// The lists that the viewer blocks.
  func blockedLists() -> PagedSequence<ListSummary> {
    sequence(
      of: Graph.GetListBlocks.self, reading: ListPage.self, mostPages: PaginationGuard.mostPagesOfLists,
      orElse: .clientNotConfigured
    ) {
      Graph.GetListBlocks.Parameters(limit: $1, cursor: $0)
    }
  }

  /// The AppView's view of a list; nil if it does not show the list.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  package func summary(of list: ATURI) async throws -> ListSummary? {
    struct Answer: Decodable { let list: ListSummary }
    do {
      return try await client.query(
        Graph.GetList.self, Graph.GetList.Parameters(list: list, limit: 1), reading: Answer.self
      ).list
    } catch let error as XRPCError {
      if error.saysNotFound { return nil }
      throw RelationshipError(error)
    }
  }

  /// The members of a list that the AppView shows, with handles and records, and the number of the others.
  ///
  /// - Parameter check: called with the list's purpose for each page, nil if the AppView does not return
  ///   it; an error it throws ends the sequence.
  package func members(
    of list: ATURI, checking check: @escaping @Sendable (ListPurpose?) throws -> Void = { _ in }
  ) -> AccountListing {
    let pages = members(of: list, from: nil, most: nil, checking: check)
    let source = AppViewListing(.members(of: list), pages, isWhole: true, client, nil)
    return AccountListing(.members(of: list), source, nil, most: nil)
  }

  private func members(
    of list: ATURI, from cursor: String?, most: Int?,
    checking check: @escaping @Sendable (ListPurpose?) throws -> Void
  ) -> PagedSequence<AccountView> {
    sequence(
      of: Graph.GetList.self, reading: MemberPage.self, from: cursor, most: most, orElse: .listNotFound(list),
      checking: { try check($0.purpose) }
    ) {
      Graph.GetList.Parameters(list: list, limit: $1, cursor: $0)
    }
  }

  /// - Parameters:
  ///   - cursor: the cursor of the first page; nil for the start of the listing.
  ///   - most: the number of entries wanted; nil for all.
  ///   - pageSize: the most entries per page.
  ///   - notFound: the error for a "not found" answer.
  ///   - parameters: the parameters of the call for a cursor.
  package func sequence<Method: XRPCQuery, Page: ListingPage>(
    of method: Method.Type, reading page: Page.Type, from cursor: String? = nil, most: Int? = nil,
    pageSize: Int = Listings.pageSize, mostPages: Int = PaginationGuard.mostPages,
    orElse notFound: RelationshipError,
    checking check: @escaping @Sendable (Page) throws -> Void = { _ in },
    _ parameters: @escaping @Sendable (_ cursor: String?, _ limit: Int) -> Method.Parameters
  ) -> PagedSequence<Page.Element> {
    PagedSequence(
      .init(start: cursor, mostPages: mostPages) { [client] cursor, count in
        let wanted = most.map { $0 - count } ?? 0
        let limit = wanted > 0 ? min(pageSize, wanted) : pageSize
        do {
          let answer = try await client.query(method, parameters(cursor, limit), reading: page)
          try check(answer)
          return .init(
            rows: answer.rows, cursor: answer.cursor, total: answer.total, unreadable: answer.unreadable)
        } catch let error as XRPCError {
          throw error.saysNotFound ? notFound : RelationshipError(error)
        }
      } fault: {
        RelationshipError.invalidResponse(Method.nsid, path: "cursor", "\($0)")
      } unreadable: {
        RelationshipError.unreadableElements(Method.nsid, $0, first: $1)
      })
  }
}

/// The part of a page that a listing needs. The complete views are many times larger, and hold text and
/// records of other people.
package protocol ListingPage: Decodable, Sendable {
  associatedtype Element: Sendable
  /// The entries, each with a hash of its identity.
  var rows: [(name: Int, element: Element)] { get }
  var cursor: String? { get }
  /// The total on all pages, if the answer includes it.
  var total: Int? { get }
  /// What is wrong with the entries that cannot be read.
  var unreadable: [DecodingError] { get }
}

extension ListingPage {
  package var total: Int? { nil }
}

/// The field of a method's answer that holds the entries.
package protocol PageField: Sendable {
  static var name: String { get }
}

private enum FollowsField: PageField { static let name = "follows" }
private enum FollowersField: PageField { static let name = "followers" }
private enum BlocksField: PageField { static let name = "blocks" }
private enum MutesField: PageField { static let name = "mutes" }
private enum ListsField: PageField { static let name = "lists" }
enum ActorsField: PageField { static let name = "actors" }
enum SuggestionsField: PageField { static let name = "suggestions" }

/// An entry of an answer, and what a listing hands out for it.
package protocol PageElement: Decodable, Sendable {
  associatedtype Row: Sendable

  /// The row, with a hash of its identity.
  var row: (name: Int, element: Row) { get }
}

extension ProfileWords: PageElement {
  package var row: (name: Int, element: AccountView) { (did.hashValue, view()) }
}

extension ListSummary: PageElement {
  package var row: (name: Int, element: ListSummary) { (uri.hashValue, self) }
}

/// A page whose entries are in one field of the answer.
package struct ElementPage<Field: PageField, Entry: PageElement>: ListingPage {
  package let rows: [(name: Int, element: Entry.Row)]
  package let cursor: String?
  package let unreadable: [DecodingError]

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    cursor = try container.decodeIfPresent(String.self, forKey: Key(stringValue: "cursor"))
    let entries = try container.decode(ReadableElements<Entry>.self, forKey: Key(stringValue: Field.name))
    rows = entries.elements.map(\.row)
    unreadable = entries.faults
  }
}

/// A page of accounts: `getFollows`, `getFollowers`, `getBlocks`, `getMutes`, a search or suggestions.
package typealias AccountPage<Field: PageField> = ElementPage<Field, ProfileWords>

/// A page of `getLists`, `getListMutes` or `getListBlocks`.
private typealias ListPage = ElementPage<ListsField, ListSummary>

/// A page of `getList`, with handles and records.
private struct MemberPage: ListingPage {
  private struct Item: Decodable {
    let uri: ATURI
    let subject: ProfileWords
  }

  private struct List: Decodable {
    let purpose: IfReadable<String>?
    let listItemCount: IfReadable<Int>?
  }

  let rows: [(name: Int, element: AccountView)]
  let cursor: String?
  let total: Int?
  let purpose: ListPurpose?
  let unreadable: [DecodingError]

  private enum CodingKeys: CodingKey { case list, items, cursor }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    let items = try container.decode(ReadableElements<Item>.self, forKey: .items)
    rows = items.elements.map { ($0.uri.hashValue, $0.subject.view(record: $0.uri)) }
    unreadable = items.faults
    let list = container.decodeIfReadable(List.self, forKey: .list)
    purpose = list?.purpose?.value.map { ListPurpose(name: $0) }
    total = list?.listItemCount?.value?.asCount
  }
}
