// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
import KithWriting

/// Lists the requests that an account has received, the closest accounts first.
///
/// No repository lists what others have written about an account. Requests come from a backlink index, or from asking the
/// servers of accounts one by one; either way others may be missing, and the outcome says which were looked at.
public struct ListReceivedRequests: KithOperation {
  public static let name = "listReceivedRequests"

  /// Where requests are looked for.
  public enum Source: Sendable {
    /// A backlink index, which may lag and miss some: the newest ``rankedAtOnce`` that it knows, after the first ones that
    /// were looked at before. If it knows more, the repositories of mutuals are asked as well, so that requests of strangers
    /// cannot hide those of mutuals.
    case index(after: Int)
    /// The repositories of the newest followers and of the newest follows of the account: at most this many of each, after
    /// the first ones that were looked at before.
    case neighbours(after: Int, most: Int)
    /// The repositories of these accounts.
    case accounts([DID])
  }

  /// How many accounts of the index are ranked together.
  public static let rankedAtOnce = 500
  /// How many mutuals are asked besides an index that knows more than that.
  public static let mostMutuals = 500
  /// How many of the newest followers, and of the newest follows, are asked if no number is named.
  package static let usualReach = 200
  /// How many rows a page has at most.
  public static let pageSize = 50

  /// The account, whose own server is asked for mutes.
  public var account: AuthorizedAccount
  /// Where requests are looked for.
  public var source: Source
  /// The page, from 1.
  public var page: Int
  /// A filter; nil for all.
  public var predicate: AccountPredicate?

  /// Where requests are looked for if nothing is named: the index, if the workspace has one.
  ///
  /// - Parameter after: how many were looked at before.
  package static func usualSource(in workspace: Workspace, after: Int) -> Source {
    workspace.index == nil ? .neighbours(after: after, most: usualReach) : .index(after: after)
  }

  /// Creates the operation.
  public init(
    of account: AuthorizedAccount, from source: Source, page: Int = 1,
    where predicate: AccountPredicate? = nil
  ) {
    (self.account, self.source, self.page, self.predicate) = (account, source, page, predicate)
  }

  /// What was looked at, and what was left out.
  public struct Outcome: OutcomeOfRows {
    /// Where requests were looked for.
    public let source: Source
    /// The page, from 1.
    public let page: Int
    /// How many records the index knows; nil without an index.
    public fileprivate(set) var known: Int?
    /// How many accounts were looked at.
    public fileprivate(set) var looked = 0
    /// How many mutuals were asked besides the index, because it knows more than was looked at.
    public fileprivate(set) var mutuals = 0
    /// How many were left out because the account's own policy does not let them ask. Accounts that are named are not left out.
    public fileprivate(set) var excluded = 0
    /// How many accounts may have sent a request, after those that were left out.
    public fileprivate(set) var candidates = 0
    /// How many were left out because of a block or a mute.
    public fileprivate(set) var blocked = 0
    /// How many of a page were left out because they are accepted.
    public fileprivate(set) var accepted = 0
    /// How many of a page were left out because they are declined.
    public fileprivate(set) var declined = 0
    /// How many of a page were left out because they have ended.
    public fileprivate(set) var expired = 0
    /// How many that an index names have no request any more, or none that can be understood.
    public fileprivate(set) var gone = 0
    /// How many others of a page have no request, or none that can be understood.
    public fileprivate(set) var withoutRequest = 0
    /// How many of a page could not be read.
    public fileprivate(set) var unknown = 0
    /// How many pages there are with what was looked at.
    public var pages: Int { max(1, (candidates + pageSize - 1) / pageSize) }
    /// Whether the source knows more accounts than were looked at.
    public fileprivate(set) var hasMore = false
    /// How many follows on Weaver wait for approval there.
    public fileprivate(set) var onWeaver = 0
    /// How the rows were delivered.
    public fileprivate(set) var rows = RowsOutcome()
    /// Why accounts that may have asked are missing from what was looked at.
    fileprivate var doubt: (any Error)?

    init(source: Source, page: Int) { (self.source, self.page) = (source, page) }

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "page": .integer(page),
        "known": .number(known),
        "looked": .integer(looked),
        "mutuals": .integer(mutuals),
        "excluded": .integer(excluded),
        "candidates": .integer(candidates),
        "blocked": .integer(blocked),
        "accepted": .integer(accepted),
        "declined": .integer(declined),
        "expired": .integer(expired),
        "gone": .integer(gone),
        "withoutRequest": .integer(withoutRequest),
        "unknown": .integer(unknown),
        "pages": .integer(pages),
        "hasMore": .bool(hasMore),
        "onWeaver": .integer(onWeaver),
      ])
    }
  }

  /// Lists the requests of one page.
  ///
  /// - Throws: `RepositoryError` if the own records cannot be read, `RelationshipError`, ``OperationError``,
  ///   `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<FriendRequestRow>) async throws -> Outcome {
    var outcome = Outcome(source: source, page: page)
    let friends = workspace.friendships()
    let answers = try await friends.answers(of: account.did)
    let (found, known) = try await candidates(friends, workspace, &outcome)
    if case .index = source {
      outcome.onWeaver = try await friends.followsAwaitingApprovalOnWeaver(of: account.did)
    }
    let relationships = try await relationships(with: found, in: workspace, report)
    let blocked = found.filter { relationships[$0].map { $0.blocked || $0.muted == true } ?? false }
    outcome.blocked = blocked.count
    let excluded = try await excluded(Set(found).subtracting(blocked), relationships, friends)
    outcome.excluded = excluded.count
    let hidden = excluded.union(blocked)
    let wanted = try await workspace.accounts(
      Array(Set(found).subtracting(hidden)), matching: predicate, report.note)
    let journal = try workspace.jobStoreToRead()
    let history = try await journal.history(of: wanted.map { .account($0) }, by: account.did)
    // Those that were answered come last: what they may have asked since is still found.
    let answered = Set(answers.values.compactMap(\.requester)).union(
      wanted.filter { history[.account($0)]?.contains { $0.step.decline?.isTakenBack == false } == true })
    let ranked = found.filter(wanted.contains).enumerated().map { place, other in
      (rank: answered.contains(other) ? 4 : relationships[other].rank, place: place, account: other)
    }.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.account)
    outcome.candidates = ranked.count
    let shown = Array(ranked.dropFirst((page - 1) * Self.pageSize).prefix(Self.pageSize))
    let (read, fault) = try await friends.requests(from: shown.filter { known[$0] == nil }, to: account.did)
    let requests = read.merging(known.mapValues(Lookup.found)) { _, known in known }
    let views = try await workspace.names(as: account).views(
      of: shown.filter { requests[$0]?.record != nil }, asking: true)
    let now = workspace.time.instant
    outcome.rows = await report.deliver { rows in
      for other in shown {
        switch requests[other] ?? .unknown {
        case .unknown: outcome.unknown += 1
        case .none: if case .index = source { outcome.gone += 1 } else { outcome.withoutRequest += 1 }
        case .found(let request):
          if answers[request.version]?.accepts(request) == true {
            outcome.accepted += 1
          } else if history[.account(other)]?.declines(request.version) == true {
            outcome.declined += 1
          } else if !request.isOpen(at: now) {
            outcome.expired += 1
          } else {
            let view = views[other] ?? AccountView(other)
            try await rows.append(
              FriendRequestRow(request, .open, with: view, relationships[other], now: now))
          }
        }
      }
    }
    outcome.rows = outcome.rows.marked(interruptedBy: fault ?? outcome.doubt)
    return outcome
  }

  /// The accounts that may have sent a request, and the requests that were read to find that out.
  private func candidates(
    _ friends: Friendships, _ workspace: Workspace, _ outcome: inout Outcome
  ) async throws -> (accounts: [DID], requests: [DID: FriendRequest]) {
    switch source {
    case .index(let after):
      let askers = try await friends.askers(
        of: account.did, after: after, most: Self.rankedAtOnce)
      (outcome.known, outcome.hasMore) = (askers.total, askers.hasMore)
      outcome.gone += askers.otherKeys
      outcome.looked = askers.accounts.count + askers.otherKeys
      let found = askers.accounts.filter { $0 != account.did }
      guard askers.hasMore, after == 0 else { return (found, [:]) }
      let others = try await mutuals(in: workspace, &outcome).filter { !found.contains($0) }
      outcome.mutuals = others.count
      let read = try await friends.requests(from: others, to: account.did)
      outcome.doubt = outcome.doubt ?? read.fault
      let requests = read.found.compactMapValues(\.record)
      return (found + others.filter { requests[$0] != nil }, requests)
    case .accounts(let accounts):
      outcome.looked = accounts.count
      return (accounts.filter { $0 != account.did }, [:])
    case .neighbours(let after, let most):
      var (found, seen): ([DID], Set<DID>) = ([], [])
      for query in [
        ListingQuery(.followers(of: .did(account.did))), ListingQuery(.follows(of: .did(account.did))),
      ] {
        var place = 0
        var views = try await workspace.accounts(query, usingCache: true).makeAsyncIterator()
        while let view = try await views.next() {
          if place == after + most {
            outcome.hasMore = true
            break
          }
          place += 1
          if place > after, seen.insert(view.account).inserted { found.append(view.account) }
        }
        outcome.doubt = outcome.doubt ?? views.coverage.doubt
      }
      outcome.looked = found.count
      let requests = try await friends.requests(from: found, to: account.did).found
      return (found.filter { requests[$0] ?? .unknown != .none }, requests.compactMapValues(\.record))
    }
  }

  /// The newest mutuals: at most ``mostMutuals``.
  private func mutuals(in workspace: Workspace, _ outcome: inout Outcome) async throws -> [DID] {
    var found: [DID] = []
    let query = ListingQuery.mutuals(of: .did(account.did))
    var views = try await workspace.accounts(query, most: Self.mostMutuals, usingCache: true)
      .makeAsyncIterator()
    while let view = try await views.next() { found.append(view.account) }
    outcome.doubt = outcome.doubt ?? views.coverage.doubt
    return found
  }

  /// The accounts that the own policy does not let ask. One whose relationship is unknown is not among them.
  private func excluded(
    _ others: Set<DID>, _ relationships: [DID: RelationshipInfo], _ friends: Friendships
  ) async throws -> Set<DID> {
    if case .accounts = source { return [] }
    guard !others.isEmpty, let policy = try await friends.policy(of: account.did) else { return [] }
    return others.filter { policy.admits(relationships[$0]) == false }
  }

  private func relationships(
    with others: [DID], in workspace: Workspace, _ report: Reporter<FriendRequestRow>
  ) async throws -> [DID: RelationshipInfo] {
    let (found, failure) = try await workspace.relationships(mutesOf: account)
      .known(of: account.did, with: others)
    if let fault = found.values.lazy.compactMap(\.mutesFault).first { report.note(.mutesNotLearned(fault)) }
    if let failure { report.note(.relationshipsNotLearned(failure)) }
    return found
  }
}

extension FriendPolicy {
  /// Whether the policy lets an account ask; nil if that is unknown.
  ///
  /// - Parameter relationship: that of the account whose policy it is with the other one.
  fileprivate func admits(_ relationship: RelationshipInfo?) -> Bool? {
    switch whoMayAsk {
    case .everyone: true
    case .nobody: false
    case .followers: relationship?.isFollowedBy
    case .mutuals: relationship?.mutual
    case .unknown: nil
    }
  }
}

extension RelationshipInfo? {
  /// Where an account stands in an inbox: mutuals, then those that are followed, then followers, then all others.
  fileprivate var rank: Int {
    guard let self else { return 3 }
    return self.mutual ? 0 : self.isFollowing ? 1 : self.isFollowedBy ? 2 : 3
  }
}
