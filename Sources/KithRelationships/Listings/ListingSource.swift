// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// A source of a listing's accounts, read part by part.
protocol ListingSource: Sendable {
  /// What is known about the whole listing so far.
  var coverage: ListingCoverage { get }
  /// Whether the accounts come from pages of an AppView, so that a later listing can continue there.
  var isPaged: Bool { get }
  /// The AppView cursor of the next page; nil for the first one, and at the end.
  var cursor: String? { get }
  /// The next accounts, possibly none; nil at the end.
  mutating func next() async throws -> [AccountView]?
}

/// Accounts that are given, or listed for another reason, returned in batches and without edges.
struct FixedAccounts: ListingSource {
  private enum Origin {
    case fixed(ArraySlice<AccountView>)
    case listing(AccountListing.AsyncIterator)
  }

  private var origin: Origin

  init(_ accounts: [AccountView]) { origin = .fixed(accounts[...]) }

  init(of listing: AccountListing) { origin = .listing(listing.makeAsyncIterator()) }

  var isPaged: Bool { false }
  var cursor: String? { nil }

  var coverage: ListingCoverage {
    if case .listing(let accounts) = origin { accounts.coverage } else { ListingCoverage() }
  }

  mutating func next() async throws -> [AccountView]? {
    // The edge of another listing says nothing about this actor.
    try await part()?.map { $0.edge(of: nil) }
  }

  private mutating func part() async throws -> [AccountView]? {
    switch origin {
    case .fixed(var remaining):
      let part = Array(remaining.prefix(ListingFilter.batchSize))
      remaining.removeFirst(part.count)
      origin = .fixed(remaining)
      return part.isEmpty ? nil : part
    case .listing(var accounts):
      let part = try await accounts.nextPart()
      origin = .listing(accounts)
      return part
    }
  }
}

/// Accounts that are known to be on a listing; their names are looked up part by part.
struct KnownEdges: ListingSource {
  private var remaining: ArraySlice<AccountView>
  private let name: Listings.Naming
  private(set) var coverage = ListingCoverage()

  /// - Parameter counted: how many there are in the profile; nil if it does not say.
  init(_ accounts: [AccountView], counted: Int?, _ name: @escaping Listings.Naming) {
    (remaining, self.name) = (accounts[...], name)
    coverage.counted = counted
  }

  var isPaged: Bool { false }
  var cursor: String? { nil }

  mutating func next() async throws -> [AccountView]? {
    let part = Array(remaining.prefix(ListingFilter.batchSize))
    if part.isEmpty { return nil }
    remaining.removeFirst(part.count)
    coverage.listed += part.count
    let named = try await name(part)
    if let fault = named.fault {
      coverage.unnamed += named.views.count { $0.handle == nil }
      coverage.fault = coverage.fault ?? fault
    }
    return named.views
  }
}

/// The records behind a listing, from wherever they can be read.
struct ListingRecords: Sendable {
  typealias Rows = PagedSequence<Result<AccountView, MalformedRecord>?>

  /// Whether the records are complete: a repository holds all of its own, an index only those that it has
  /// seen.
  var areAll = true
  /// Finds and lists the records, newest first; receives the owner of the listing if known.
  let rows: @Sendable (_ owner: DID?) async throws -> Rows
  /// Whether ``confirm`` leaves out accounts although their records are there.
  var isFiltered = false
  /// Filters accounts down to those whose edges the AppView or a repository confirms.
  var confirm: @Sendable ([AccountView]) async throws -> ConfirmedAccounts = { ConfirmedAccounts(views: $0) }
}

/// The accounts of a listing that are confirmed, and how many of the others are unknown.
struct ConfirmedAccounts: Sendable {
  var views: [AccountView]
  /// Accounts whose repositories cannot be read, because their servers do not show them.
  var unseen = 0
  /// Accounts left unknown by an error.
  var undecided = 0
  /// The first error; nil if nothing failed.
  var fault: (any Error)?
}

/// An AppView's listing; if it lists fewer accounts than it counts, the rest is read from the records if
/// possible.
struct AppViewListing: ListingSource {
  private enum Stage {
    case start
    case appview
    case records(ListingRecords.Rows.AsyncIterator)
    case end
  }

  private let listing: ActorListing
  private let client: XRPCClient
  private let records: ListingRecords?
  private var stage = Stage.start
  private var pages: PagedSequence<AccountView>.AsyncIterator
  /// The owner of the listing; nil if unknown or if there are no records to read.
  private var owner: DID?
  /// The listed accounts, if records may add more.
  private var listed: Set<DID> = []
  /// Number of records read, and its limit.
  private var read = 0
  private var mostRead: Int { 2 * (coverage.counted ?? coverage.listed) + 1_000 }
  /// Whether the AppView has a count that cannot be read, so that only the records show whether accounts are left out.
  private var hasOddCount = false
  private(set) var coverage = ListingCoverage()

  /// - Parameter isWhole: whether the pages begin with the first one; otherwise nothing is known about the
  ///   whole.
  init(
    _ listing: ActorListing, _ pages: PagedSequence<AccountView>, isWhole: Bool, _ client: XRPCClient,
    _ records: ListingRecords?
  ) {
    self.listing = listing
    self.client = client
    self.records = records
    self.pages = pages.makeAsyncIterator()
    if !isWhole { stage = .appview }
  }

  var isPaged: Bool {
    switch stage {
    case .start, .appview: true
    case .records, .end: false
    }
  }

  var cursor: String? { pages.cursor }

  mutating func next() async throws -> [AccountView]? {
    switch stage {
    case .start:
      stage = .appview
      try await count()
      return []
    case .appview:
      do {
        guard let page = try await pages.nextPage() else {
          try await finishPages()
          return []
        }
        return accept(page)
      } catch let error as RelationshipError where pages.unreadable > 0 && pages.isAtEnd {
        coverage.add(pages.unreadable, error)
        try await finishPages()
        return []
      }
    case .records(var records):
      do {
        // A hostile server may list accounts without end; a real repository has about as many records as
        // are counted.
        guard read < mostRead, let rows = try await records.nextPage() else {
          stage = .end
          return nil
        }
        read += rows.count
        stage = .records(records)
        return try await accept(rows.compactMap(\.self))
      } catch {
        try end(with: error)
        return nil
      }
    case .end: return nil
    }
  }

  /// Reads the AppView's count before its listing: accounts added in between come before the first page.
  private mutating func count() async throws {
    do {
      guard let profile = try await listing.profile(by: client) else { return }
      (coverage.counted, hasOddCount) = (profile.count, profile.isOdd)
      if records != nil { owner = profile.did }
    } catch let error as RelationshipError where error.code != .postNotFound {
      coverage.fault = error
    }
  }

  private mutating func accept(_ page: [AccountView]) -> [AccountView] {
    // An account with two records is listed twice but counted once. Reactions are counted, not accounts.
    if listing.repeatsAccounts { coverage.listed += page.count }
    let page =
      owner != nil || listing.repeatsAccounts ? page.filter { listed.insert($0.account).inserted } : page
    if !listing.repeatsAccounts { coverage.listed += page.count }
    return page
  }

  private mutating func finishPages() async throws {
    stage = .end
    coverage.counted = coverage.counted ?? pages.total
    guard let owner, let records,
      coverage.missing > 0 || (hasOddCount && coverage.counted == nil && records.areAll)
    else { return }
    do { stage = .records(try await records.rows(owner).makeAsyncIterator()) } catch {
      try end(with: error)
    }
  }

  /// Keeps the accounts that the AppView left out, and looks up their names.
  private mutating func accept(_ rows: [Result<AccountView, MalformedRecord>]) async throws -> [AccountView] {
    var left: [AccountView] = []
    for row in rows {
      switch row {
      case .success(let view): if listed.insert(view.account).inserted { left.append(view) }
      case .failure(let record): coverage.malformed.append(record)
      }
    }
    guard let records, !left.isEmpty else { return [] }
    return try await coverage.naming(left, by: client, confirmed: records)
  }

  /// Ends the listing but keeps what the AppView listed, although the records cannot be read.
  private mutating func end(with error: any Error) throws {
    stage = .end
    if error is CancellationError { throw error }
    (coverage.fault, coverage.isPartial) = (error, true)
  }
}

/// Accounts from records, with their dates; an AppView adds the names.
struct RepositoryListing: ListingSource {
  private enum Stage {
    case start
    case appview(PagedSequence<AccountView>.AsyncIterator)
    case remaining
    case end
  }

  /// Those of some accounts that the owner has taken off the listing a short time ago.
  typealias Removals = @Sendable (_ accounts: [DID]) async throws -> Set<DID>

  private let listing: ActorListing
  private let client: XRPCClient
  private let records: ListingRecords
  private let pages: PagedSequence<AccountView>?
  private let removals: Removals?
  private var stage = Stage.start
  /// Accounts from the records that are not listed yet.
  private var recorded: [DID: AccountView] = [:]
  /// Accounts that the AppView has listed, on any page.
  private var listed: Set<DID> = []
  private var remaining: ArraySlice<DID> = []
  /// Whether the records were read; only then is an account without a record counted as unrecorded.
  private var isRecorded = true
  private(set) var coverage = ListingCoverage()

  /// - Parameters:
  ///   - pages: the AppView's listing of the same accounts, which takes fewer calls than looking up each name; nil for
  ///     none.
  ///   - removals: what the AppView may still list; nil if that is not known.
  init(
    _ listing: ActorListing, _ client: XRPCClient, _ pages: PagedSequence<AccountView>?,
    _ records: ListingRecords, _ removals: Removals? = nil
  ) {
    self.removals = removals
    self.listing = listing
    self.client = client
    self.records = records
    self.pages = pages
  }

  var isPaged: Bool { false }
  var cursor: String? { nil }

  mutating func next() async throws -> [AccountView]? {
    switch stage {
    case .start:
      do { try await read() } catch {
        // Continue without dates, and possibly without some accounts.
        guard pages != nil, !(error is CancellationError), !error.isAbsence else { throw error }
        (isRecorded, coverage.fault, coverage.isPartial) = (false, error, true)
        (recorded, remaining, coverage.counted) = ([:], [], nil)
      }
      stage = pages.map { .appview($0.makeAsyncIterator()) } ?? .remaining
      return []
    case .appview(var pages):
      do {
        guard let page = try await pages.nextPage() else {
          stage = .remaining
          return []
        }
        stage = .appview(pages)
        return try await accept(page)
      } catch let error as RelationshipError where isRecorded || (pages.unreadable > 0 && pages.isAtEnd) {
        // The records are enough to list the accounts; only looking up names costs more calls.
        coverage.fault = coverage.fault ?? error
        coverage.isListingCutShort = !pages.isAtEnd
        if pages.isAtEnd { coverage.add(pages.unreadable, error) }
        stage = .remaining
        return []
      }
    case .remaining:
      while !remaining.isEmpty {
        let batch = remaining.prefix(ListingFilter.batchSize)
        remaining.removeFirst(batch.count)
        let views = batch.compactMap { recorded.removeValue(forKey: $0) }
        if !views.isEmpty {
          return try await coverage.naming(views, by: client, confirmed: records, areListed: pages == nil)
        }
      }
      stage = .end
      return nil
    case .end: return nil
    }
  }

  private mutating func read() async throws {
    var owner: DID?
    if !records.areAll {
      let profile = try await listing.profile(by: client)
      (owner, coverage.counted) = (profile?.did, profile?.count)
    }
    var read = 0
    for try await row in try await records.rows(owner) {
      read += 1
      // An index may list accounts without end; a real one knows about as many as are counted.
      if !records.areAll, let counted = coverage.counted, read > 2 * counted + 1_000 { break }
      switch row {
      case .success(let view)?:
        // Of several records for one account the newest comes first (Q16).
        if recorded[view.account] == nil {
          recorded[view.account] = view
          remaining.append(view.account)
        }
      case .failure(let record)?:
        if let kind = listing.graph?.kind, record.isAboutSomethingElse(in: kind) {
          coverage.otherSubjects += 1
        } else {
          coverage.malformed.append(record)
        }
      case nil: if case .graph = listing { coverage.aboutItself += 1 }
      }
    }
    // A filter leaves less than the records.
    if records.areAll, !records.isFiltered { coverage.counted = recorded.count }
    if !records.areAll, coverage.counted == nil { coverage.isLowerBound = true }
  }

  private mutating func accept(_ page: [AccountView]) async throws -> [AccountView] {
    var page = page.filter { listed.insert($0.account).inserted }
    if isRecorded, records.areAll, let removals {
      // What the repository no longer has, and the journal knows why, is not listed by an AppView that lags behind.
      let unrecorded = page.map(\.account).filter { recorded[$0] == nil }
      let removed = unrecorded.isEmpty ? [] : try await removals(unrecorded)
      page.removeAll { removed.contains($0.account) }
    }
    coverage.listed += page.count
    return page.map { view in
      guard let record = recorded.removeValue(forKey: view.account) else {
        if isRecorded, records.areAll { coverage.unrecorded += 1 }
        return view
      }
      return record.named(by: view)
    }
  }
}

extension Error {
  /// Whether the actor does not exist, so there is nothing to list.
  fileprivate var isAbsence: Bool { (self as? RelationshipError)?.code == .actorNotFound }
}

extension ActorListing {
  /// The actor's DID, where its records may be read, and the AppView's count for the listing; nil if the profile does not
  /// have it, and
  /// whether it has one that cannot be read.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  fileprivate func profile(by client: XRPCClient) async throws -> (did: DID?, count: Int?, isOdd: Bool)? {
    switch self {
    case .follows(let actor), .followers(let actor):
      guard let profile = try await NetworkCounts(client: client).profile(of: actor) else { return nil }
      guard case .follows = self else { return (profile.did, profile.followersCount?.asCount, false) }
      return (profile.did, profile.followsCount?.asCount, profile.hasOddFollowsCount)
    case .reactions(let reaction, let post):
      return (nil, try await NetworkCounts(client: client).count(of: reaction, to: post), false)
    case .members, .blocks, .mutes, .blockers, .graph: return nil
    }
  }

  /// Whether the AppView's pages may list an account more than once: who quotes a post may do so again.
  fileprivate var repeatsAccounts: Bool { if case .reactions = self { true } else { false } }
}

extension ListingCoverage {
  /// Adds elements of the AppView's listing that cannot be read.
  fileprivate mutating func add(_ unreadable: Int, _ error: RelationshipError) {
    self.unreadable += unreadable
    fault = fault ?? error
    isPartial = true
  }

  /// Returns the same accounts with the AppView's names, and counts them by whether the AppView shows them.
  ///
  /// - Parameter areListed: whether these accounts count as listed rather than hidden when the AppView
  ///   shows them.
  fileprivate mutating func naming(
    _ views: [AccountView], by client: XRPCClient, confirmed records: ListingRecords, areListed: Bool = false
  ) async throws -> [AccountView] {
    let confirmed = try await records.confirm(views)
    if let error = confirmed.fault {
      fault = fault ?? error
      isPartial = true
    }
    undecided += confirmed.undecided
    unseen += confirmed.unseen
    let views = confirmed.views
    let found = try await AccountViews(client: client).outcomes(of: views.map(\.account))
    return views.map { view in
      switch found[view.account] {
      case .success(let names?)?:
        if areListed { listed += 1 } else { hidden += 1 }
        return view.named(by: names)
      case .success(nil)?, nil:
        gone += 1
        return view.shown(false)
      case .failure(let error)?:
        unnamed += 1
        fault = fault ?? error
      }
      return view
    }
  }
}
