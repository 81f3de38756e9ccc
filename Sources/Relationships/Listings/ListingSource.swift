// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// Where the accounts of a listing come from, part by part.
protocol ListingSource: Sendable {
  /// What is known of the whole so far.
  var coverage: ListingCoverage { get }
  /// Whether the accounts come from pages of an AppView, so that a later listing can go on there.
  var isPaged: Bool { get }
  /// Where the next page of the AppView begins; nil for the first one, and at the end.
  var cursor: String? { get }
  /// The accounts that come next, maybe none; nil at the end.
  mutating func next() async throws -> [AccountView]?
}

/// Accounts that somebody names, many at a time.
struct GivenAccounts: ListingSource {
  private var rest: ArraySlice<DID>
  private(set) var coverage = ListingCoverage()

  init(_ accounts: [DID]) { rest = accounts[...] }

  var isPaged: Bool { false }
  var cursor: String? { nil }

  mutating func next() async throws -> [AccountView]? {
    let part = rest.prefix(ListingSieve.batchSize)
    rest.removeFirst(part.count)
    return part.isEmpty ? nil : part.map { AccountView($0) }
  }
}

/// The records that put accounts on a listing, wherever they can be read.
struct ListingRecords: Sendable {
  typealias Rows = PagedSequence<Result<AccountView, MalformedRecord>?>

  /// Whether they are all: a repository holds all of its own, an index those that it has seen.
  var areAll = true
  /// Finds where they are, and lists them, newest first; is told whose listing it is, where that is known.
  let rows: @Sendable (_ owner: DID?) async throws -> Rows
  /// Those of some accounts whose edges the AppView knows as well, and why others were not asked about.
  var confirm: @Sendable ([AccountView]) async throws -> ([AccountView], (any Error)?) = { ($0, nil) }
}

/// What an AppView lists; where it lists fewer than it counts, the records are read for the others, where they can be.
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
  /// Whose listing it is; nil where that is not known, or no record tells more.
  private var owner: DID?
  /// Those who were listed, where records may name more.
  private var listed: Set<DID> = []
  /// Records that were read, and how many are at most.
  private var read = 0
  private var mostRead: Int { 2 * (coverage.counted ?? 0) + 1_000 }
  private(set) var coverage = ListingCoverage()

  /// - Parameter isWhole: whether the pages begin with the first; else nothing can be said of the whole.
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
      guard let page = try await pages.nextPage() else {
        try await finishPages()
        return []
      }
      return take(page)
    case .records(var records):
      do {
        // A hostile server may name accounts without end: a repository holds about as many as are counted.
        guard read < mostRead, let rows = try await records.nextPage() else {
          stage = .end
          return nil
        }
        read += rows.count
        stage = .records(records)
        return try await take(rows.compactMap(\.self))
      } catch {
        try end(with: error)
        return nil
      }
    case .end: return nil
    }
  }

  /// Has the AppView count before it lists: who comes meanwhile stands before the first page.
  private mutating func count() async throws {
    do {
      guard let profile = try await listing.profile(by: client) else { return }
      coverage.counted = profile.count
      if records != nil { owner = profile.did }
    } catch let error as RelationshipError {
      coverage.fault = error
    }
  }

  private mutating func take(_ page: [AccountView]) -> [AccountView] {
    // Whoever is listed by two records is one more than the records count.
    let page = owner != nil ? page.filter { listed.insert($0.account).inserted } : page
    coverage.listed += page.count
    return page
  }

  private mutating func finishPages() async throws {
    stage = .end
    coverage.counted = coverage.counted ?? pages.total
    guard coverage.missing > 0, let owner, let records else { return }
    do { stage = .records(try await records.rows(owner).makeAsyncIterator()) } catch {
      try end(with: error)
    }
  }

  /// Takes those whom the AppView has left out, and asks it for their names.
  private mutating func take(_ rows: [Result<AccountView, MalformedRecord>]) async throws -> [AccountView] {
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

  /// What the AppView listed stands, though the rest cannot be read.
  private mutating func end(with error: any Error) throws {
    stage = .end
    if error is CancellationError { throw error }
    (coverage.fault, coverage.isPartial) = (error, true)
  }
}

/// What records name, with their dates; an AppView adds the names.
struct RecordedListing: ListingSource {
  private enum Stage {
    case start
    case appview(PagedSequence<AccountView>.AsyncIterator)
    case rest
    case end
  }

  private let listing: ActorListing
  private let client: XRPCClient
  private let records: ListingRecords
  private let pages: PagedSequence<AccountView>?
  private var stage = Stage.start
  /// Whom the records name and nobody has listed yet; in the order of the records.
  private var recorded: [DID: AccountView] = [:]
  /// Whom the AppView has listed, on whatever page.
  private var listed: Set<DID> = []
  private var rest: [DID] = []
  /// Whether the records were read: else nobody is missing there.
  private var isRecorded = true
  private(set) var coverage = ListingCoverage()

  /// - Parameter pages: the same as an AppView lists it, which takes fewer calls than to look everybody up; nil for none.
  init(
    _ listing: ActorListing, _ client: XRPCClient, _ pages: PagedSequence<AccountView>?,
    _ records: ListingRecords
  ) {
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
        // Without their dates, and maybe not all of them.
        guard pages != nil, !(error is CancellationError), !error.isAbsence else { throw error }
        (isRecorded, coverage.fault, coverage.isPartial) = (false, error, true)
        (recorded, rest, coverage.counted) = ([:], [], nil)
      }
      stage = pages.map { .appview($0.makeAsyncIterator()) } ?? .rest
      return []
    case .appview(var pages):
      do {
        guard let page = try await pages.nextPage() else {
          stage = .rest
          return []
        }
        stage = .appview(pages)
        return take(page)
      } catch let error as RelationshipError where isRecorded {
        // The records tell who they are: only the names come dearer.
        coverage.fault = error
        stage = .rest
        return []
      }
    case .rest:
      while !rest.isEmpty {
        let batch = rest.prefix(ListingSieve.batchSize)
        rest.removeFirst(batch.count)
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
      // An index may name accounts without end: it knows about as many as are counted.
      if !records.areAll, read > 2 * (coverage.counted ?? 0) + 1_000 { break }
      switch row {
      case .success(let view)?:
        // Of several records of one account the newest comes first (Q16).
        if recorded[view.account] == nil {
          recorded[view.account] = view
          rest.append(view.account)
        }
      case .failure(let record)?: coverage.malformed.append(record)
      case nil: break
      }
    }
    if records.areAll { coverage.counted = recorded.count }
  }

  private mutating func take(_ page: [AccountView]) -> [AccountView] {
    let page = page.filter { listed.insert($0.account).inserted }
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
  /// Whether it says that there is no such actor, so that nothing can be listed.
  fileprivate var isAbsence: Bool { (self as? RelationshipError)?.code == .actorNotFound }
}

extension ActorListing {
  /// Whose listing it is by the AppView, and how many it counts there; nil where its profile does not tell.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  fileprivate func profile(by client: XRPCClient) async throws -> (did: DID, count: Int?)? {
    switch self {
    case .follows(let actor), .followers(let actor):
      guard let profile = try await NetworkCounts(client: client).profile(of: actor) else { return nil }
      let count = if case .follows = self { profile.followsCount } else { profile.followersCount }
      return (profile.did, count?.asCount)
    case .members, .blocks, .mutes, .blockers: return nil
    }
  }
}

extension ListingCoverage {
  /// The same accounts, with the names that the AppView has of them; counts them by whether it shows them.
  ///
  /// - Parameter areListed: whether to be left out of a listing has no meaning for them.
  fileprivate mutating func naming(
    _ views: [AccountView], by client: XRPCClient, confirmed records: ListingRecords, areListed: Bool = false
  ) async throws -> [AccountView] {
    let (views, unconfirmed) = try await records.confirm(views)
    if let unconfirmed {
      fault = fault ?? unconfirmed
      isPartial = true
    }
    let found = try await AccountViews(client: client).outcomes(of: views.map(\.account))
    return views.map { view in
      switch found[view.account] {
      case .success(let names?)?:
        if areListed { listed += 1 } else { hidden += 1 }
        return view.named(by: names)
      case .success(nil)?, nil: gone += 1
      case .failure(let error)?:
        unnamed += 1
        fault = fault ?? error
      }
      return view
    }
  }
}
