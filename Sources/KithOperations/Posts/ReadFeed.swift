// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
public import KithPosts
public import KithRelationships

/// Reads what others post, newest first, without what a block or a mute hides from the signed-in account.
public struct ReadFeed: EstimatedOperation {
  public static let name = "readFeed"

  /// Whose posts are read.
  public enum Selection: Sendable, Hashable {
    /// Posts and reposts by the signed-in account and the accounts it follows.
    case following
    /// What its mutuals post and repost.
    case mutuals
    /// What its friends by consent post and repost.
    case friends
    /// What its followers in a segment post and repost.
    case segment(String)
    /// Posts and replies of the members of a list; no reposts.
    case list(ATURI)
    /// What one account posts and reposts.
    case author(ATIdentifier)

    /// The kinds of sources that give the same entries.
    fileprivate var kinds: Set<FeedSource.Kind> {
      switch self {
      case .following: [.timeline]
      case .mutuals, .friends, .segment: [.timeline, .authors]
      case .list: [.list]
      case .author: [.author]
      }
    }
  }

  /// How many entries are read if no number is named.
  public static let usualLimit = 30
  /// How many accounts are read if no number is named: each takes a call.
  public static let usualReach = 500

  /// Whose posts are read.
  public var selection: Selection
  /// The most entries.
  public var limit: Int
  /// The most accounts whose feeds are merged.
  public var reach: Int
  /// Kinds of entries that are left out.
  public var skipped: FeedItem.Kinds
  /// Only entries since then; nil for all.
  public var since: Datetime?
  /// Where an earlier feed ended; nil for the newest entry.
  public var cursor: FeedCursor?

  /// Creates the operation.
  public init(
    _ selection: Selection, limit: Int = usualLimit, reach: Int = usualReach,
    skipping skipped: FeedItem.Kinds = [], since: Datetime? = nil, from cursor: FeedCursor? = nil
  ) {
    (self.selection, self.limit, self.reach) = (selection, limit, reach)
    (self.skipped, self.since, self.cursor) = (skipped, since, cursor)
  }

  /// What was read, and what was left out.
  public struct Outcome: OutcomeOfRows {
    /// Where the entries come from.
    public internal(set) var source: FeedSource.Kind
    /// The accounts whose posts were asked for; nil if they were not counted.
    public internal(set) var accounts: Accounts?
    /// What was left out.
    public internal(set) var coverage = FeedCoverage()
    /// Whether a server leaves out entries because of blocks and mutes before it answers, without saying how many.
    public internal(set) var isHiddenByServer: Bool
    /// Where the feed continues; nil at its end.
    public internal(set) var cursor: FeedCursor?
    /// Since when entries were wanted; nil for all.
    public internal(set) var since: Datetime?
    /// Whether reading ended where entries were older than wanted, and not at the end of the feed.
    public internal(set) var endedBySince = false
    /// How the rows were delivered.
    public fileprivate(set) var rows = RowsOutcome()

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "source": .string(source.rawValue),
        "accountsRead": .number(accounts?.read),
        "accounts": .number(accounts?.all),
        "leftOutBlocked": .integer(coverage.leftOut.blocked),
        "leftOutMuted": .integer(coverage.leftOut.muted),
        "leftOutUnknown": .integer(coverage.leftOut.unknown),
        "unreadable": .integer(coverage.unreadable),
        "accountsGone": .integer(coverage.accountsGone),
        "accountsBlocked": .integer(coverage.accountsBlocked),
        "accountsUnread": .integer(coverage.accountsUnread),
        "fault": .cause(coverage.fault),
        "isHiddenByServer": .bool(isHiddenByServer),
        "endedBySince": .bool(endedBySince),
        "cursor": .text(cursor),
      ])
    }
  }

  /// The accounts whose posts were asked for.
  public struct Accounts: Sendable, Hashable {
    /// How many were read.
    public internal(set) var read = 0
    /// How many there are.
    public internal(set) var all = 0
    /// How many were not read because of a block in either direction.
    public internal(set) var blocked = 0
    /// How many were not read because they are muted.
    public internal(set) var muted = 0
    /// How many were not read because the AppView does not show them.
    public internal(set) var notShown = 0
  }

  /// - Throws: `SessionError` if no account is signed in, unless the feed is that of a list or an account;
  ///   ``OperationError`` `cursorOfAnotherFeed`, `noSuchSegment`; `RelationshipError` such as `actorNotFound`, `listNotFound` or
  ///   `hiddenByBlock`; `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<PostRow>) async throws -> Outcome {
    if let cursor, !selection.kinds.contains(cursor.kind) { throw OperationError.cursorOfAnotherFeed(cursor) }
    let viewer = try await viewer(in: workspace)
    let chosen = try await source(as: viewer, workspace, report)
    var outcome = Outcome(
      source: chosen.source.kind, accounts: chosen.accounts,
      isHiddenByServer: [.timeline, .list].contains(chosen.source.kind) && viewer != nil)
    let feeds = Feeds(
      workspace.listings(by: viewer?.appview ?? workspace.appview, as: viewer?.did, usingCache: true),
      concurrency: workspace.concurrency)
    var reader = feeds.read(chosen.source, skipping: skipped, from: cursor)
    outcome.since = since
    var bound = SinceBound(since)
    outcome.rows = await report.deliver { rows in
      while rows.count < limit, !bound.isPassed {
        if outcome.source == .timeline, case .timeline(let accounts?) = chosen.source,
          reader.pageCount >= accounts.count
        {
          // These accounts post less than others, so from here on their own feeds take fewer calls.
          outcome.coverage = reader.coverage
          outcome.source = .authors
          reader = feeds.read(
            .authors(accounts.sorted()), skipping: skipped, from: reader.cursor(in: .authors))
        }
        guard let items = try await reader.next(most: limit - rows.count) else { break }
        let wanted = bound.wanted(of: items, endsPage: reader.isPageDone)
        await workspace.names().remember(wanted.map(\.post.author))
        for item in wanted {
          let relationship = reader.relationships.relationship(with: item.post.author)
          try await rows.append(PostRow(item, relationship: relationship))
        }
        try await rows.flush()
      }
    }
    outcome.coverage = outcome.coverage + reader.coverage
    outcome.endedBySince = bound.isPassed
    outcome.cursor = bound.isPassed ? nil : reader.cursor
    outcome.rows = outcome.rows.marked(interruptedBy: chosen.fault ?? outcome.coverage.fault)
    return outcome
  }

  /// The account that blocks and mutes are of.
  private func viewer(in workspace: Workspace) async throws -> AuthorizedAccount? {
    switch selection {
    case .list, .author: try await workspace.accountIfAny()
    case .following, .mutuals, .friends, .segment: try await workspace.account()
    }
  }

  // MARK: Sources

  /// Where the entries come from.
  private struct Chosen {
    let source: FeedSource
    var accounts: Accounts?
    /// Why accounts may be missing.
    var fault: (any Error)?
  }

  private func source(
    as viewer: AuthorizedAccount?, _ workspace: Workspace, _ report: Reporter<PostRow>
  ) async throws -> Chosen {
    switch selection {
    case .following: return Chosen(source: .timeline())
    case .list(let list): return Chosen(source: .list(list))
    case .author(let actor): return Chosen(source: .author(actor))
    case .mutuals, .friends, .segment: break
    }
    let viewer = if let viewer { viewer } else { try await workspace.account() }
    var found = try await authors(for: viewer, workspace, ReadingProgress(report))
    let authors = found.authors
    found.accounts.read = authors.count
    let mayUseTimeline = found.areAllFollowed && !authors.isEmpty
    var usesTimeline = cursor?.kind == .timeline
    if cursor == nil, mayUseTimeline {
      usesTimeline = try await isTimelineCheaper(for: authors.count, viewer, workspace)
    }
    // A follow that has ended in the meantime takes its account out of the timeline, so a continued one would lack it.
    if usesTimeline, !mayUseTimeline, let cursor { throw OperationError.cursorOfAnotherFeed(cursor) }
    return Chosen(
      source: usesTimeline ? .timeline(of: Set(authors)) : .authors(authors), accounts: found.accounts,
      fault: found.fault)
  }

  /// The accounts of a selection.
  private struct Authors {
    var authors: [DID] = []
    var accounts = Accounts()
    /// Whether the timeline contains all that they post.
    var areAllFollowed = false
    var fault: (any Error)?
  }

  private func authors(
    for viewer: AuthorizedAccount, _ workspace: Workspace, _ progress: ReadingProgress
  ) async throws -> Authors {
    var found = Authors()
    switch selection {
    case .friends:
      let list = try await workspace.friendships().friends(of: viewer.did)
      (found.authors, found.fault) = (list.friends.map(\.account), list.fault)
    case .segment(let name):
      try await read(
        ListingQuery(.followers(of: .did(viewer.did)), where: try await workspace.predicate(ofSegment: name)),
        workspace, progress, &found)
    default:
      // All of them are followed; what a block or a mute hides is left out of either source.
      try await read(.mutuals(of: .did(viewer.did)), workspace, progress, &found)
      found.areAllFollowed = true
    }
    found.accounts.all = max(found.accounts.all, found.authors.count)
    found.authors = Array(found.authors.prefix(max(1, reach)))
    if found.areAllFollowed { return found }
    return try await judged(found, by: viewer, workspace)
  }

  private func read(
    _ query: ListingQuery, _ workspace: Workspace, _ progress: ReadingProgress, _ found: inout Authors
  ) async throws {
    var accounts = try await workspace.accounts(query, usingCache: true).makeAsyncIterator()
    while let view = try await accounts.next() {
      found.accounts.all += 1
      if found.authors.count < reach { found.authors.append(view.account) }
      progress.advance()
    }
    found.fault = accounts.coverage.fault
  }

  /// Leaves out accounts that nothing would be shown of, and finds out whether the others are followed.
  private func judged(
    _ authors: Authors, by viewer: AuthorizedAccount, _ workspace: Workspace
  ) async throws -> Authors {
    var judged = authors
    judged.authors = []
    let views = try await AccountViews(client: viewer.appview).outcomes(
      of: authors.authors, concurrency: workspace.concurrency)
    let listings = workspace.listings(by: viewer.appview, as: viewer.did, usingCache: true)
    let (current, failure) = try await listings.current(views.values.compactMap { try? $0.get() })
    let relationships = Dictionary(current.map { ($0.account, $0.relationship) }) { first, _ in first }
    judged.fault = judged.fault ?? failure
    judged.areAllFollowed = true
    for author in authors.authors {
      let relationship: ViewerRelationship?
      switch views[author] {
      case .success(.some)?: relationship = relationships[author] ?? nil
      case .failure(let error)?:
        judged.fault = judged.fault ?? error
        relationship = nil
      default:
        judged.accounts.notShown += 1
        continue
      }
      if relationship?.isBlocked == true {
        judged.accounts.blocked += 1
      } else if relationship?.muted == true {
        judged.accounts.muted += 1
      } else {
        judged.authors.append(author)
        if relationship?.isFollowing != true { judged.areAllFollowed = false }
      }
    }
    return judged
  }

  /// Whether the timeline, of which only the entries of some accounts count, takes fewer calls than the feeds of these accounts.
  private func isTimelineCheaper(
    for count: Int, _ viewer: AuthorizedAccount, _ workspace: Workspace
  ) async throws -> Bool {
    let follows = ActorListing.follows(of: .did(viewer.did))
    guard let all = try await NetworkCounts(client: viewer.appview).entries(of: [follows])[0] else {
      return false
    }
    return Self.timelinePages(limit: limit, of: all, wanting: count) < count
  }

  /// How many pages of the timeline have this many entries of these accounts, if all post alike.
  private static func timelinePages(limit: Int, of follows: Int, wanting accounts: Int) -> Int {
    let entries = limit.multipliedReportingOverflow(by: max(follows, accounts))
    if entries.overflow { return .max }
    return entries.partialValue / max(1, accounts) / Listings.postsPerPage + 1
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    if let cursor, !selection.kinds.contains(cursor.kind) { throw OperationError.cursorOfAnotherFeed(cursor) }
    let viewer = try await viewer(in: workspace)
    var plan = CostPlan(concurrency: workspace.concurrency)
    plan.targets = limit
    func entries(_ listing: ActorListing) async throws -> Int? {
      try await NetworkCounts(client: workspace.appview).entries(of: [listing])[0]
    }
    switch (selection, viewer) {
    case (.following, _): plan.addFeed(.timeline, entries: limit)
    case (.list, _): plan.addFeed(.list, entries: limit)
    case (.author, _): plan.addFeed(.author, entries: limit)
    case (.mutuals, let viewer?):
      let follows = ActorListing.follows(of: .did(viewer.did))
      let count = try await entries(follows)
      plan.addListing(
        follows, entries: count, needs: ListingQuery.mutuals(of: .did(viewer.did)).predicate?.needs ?? .init()
      )
      plan.addFeed(.authors, entries: limit, accounts: count.map { min(reach, $0) })
    case (.segment(let name), let viewer?):
      let followers = ActorListing.followers(of: .did(viewer.did))
      let count = try await entries(followers)
      plan.addListing(
        followers, entries: count, needs: try await workspace.predicate(ofSegment: name).needs)
      plan.addFeed(.authors, entries: limit, accounts: count.map { min(reach, $0) })
    default: plan.addFeed(.authors, entries: limit, accounts: nil)
    }
    return plan
  }
}

/// Leaves out the entries before a date. One of them may be among newer ones, so only a page without a newer one ends a feed.
private struct SinceBound {
  private let since: Instant?
  private var hasOlder = false
  private var hasNewer = false
  /// Whether a whole page was older.
  private(set) var isPassed = false

  init(_ since: Datetime?) { self.since = since?.instant }

  mutating func wanted(of items: [FeedItem], endsPage: Bool) -> [FeedItem] {
    guard let since else { return items }
    let wanted = items.filter { $0.moment.instant >= since }
    hasNewer = hasNewer || !wanted.isEmpty
    hasOlder = hasOlder || wanted.count < items.count
    if endsPage {
      isPassed = hasOlder && !hasNewer
      (hasOlder, hasNewer) = (false, false)
    }
    return wanted
  }
}

extension Workspace {
  /// The predicate of a segment.
  ///
  /// - Throws: ``OperationError`` `noSuchSegment`.
  func predicate(ofSegment name: String) async throws -> AccountPredicate {
    let segments = try await stores.history(.leave)?.segments() ?? []
    guard let segment = segments.first(where: { $0.name == name }) else {
      throw OperationError.noSuchSegment(name, known: segments.map(\.name))
    }
    return try AccountPredicate(
      checking: segment.predicate, now: Datetime(at: time.instant),
      segments: Dictionary(segments.map { ($0.name, $0.predicate) }) { first, _ in first })
  }
}

extension OperationError {
  package static func cursorOfAnotherFeed(_ cursor: FeedCursor) -> OperationError {
    OperationError(
      .cursorOfAnotherFeed, .usage, "the cursor \(cursor) is of another feed; use it with the same selection",
      ["cursor": .string(cursor.description)])
  }
}
