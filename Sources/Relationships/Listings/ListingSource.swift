// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons

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

/// What an AppView lists; where it lists fewer follows than it counts, the repository is read for the others.
struct AppViewListing: ListingSource {
  private enum Stage {
    case start
    case appview
    case repository(PagedSequence<Result<AccountView, MalformedRecord>?>.AsyncIterator)
    case end
  }

  private let listing: ActorListing
  private let client: XRPCClient
  private let repository: Listings.RepositoryClient?
  private var stage = Stage.start
  private var pages: PagedSequence<AccountView>.AsyncIterator
  /// Whose follows they are; nil where they are none, or where it is not known.
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
    _ repository: Listings.RepositoryClient?
  ) {
    self.listing = listing
    self.client = client
    self.repository = repository
    self.pages = pages.makeAsyncIterator()
    if !isWhole { stage = .appview }
  }

  var isPaged: Bool {
    switch stage {
    case .start, .appview: true
    case .repository, .end: false
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
    case .repository(var records):
      do {
        // A hostile server may name accounts without end: a repository holds about as many as are counted.
        guard read < mostRead, let rows = try await records.nextPage() else {
          stage = .end
          return nil
        }
        read += rows.count
        stage = .repository(records)
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
      switch listing {
      case .follows(let actor):
        let profile = try await NetworkCounts(client: client).profile(of: actor)
        (owner, coverage.counted) = (profile?.did, profile?.followsCount?.asCount)
      case .followers(let actor):
        coverage.counted = try await NetworkCounts(client: client).profile(of: actor)?.followersCount?.asCount
      case .members, .blocks, .mutes: break
      }
    } catch let error as RelationshipError {
      coverage.fault = error
    }
  }

  private mutating func take(_ page: [AccountView]) -> [AccountView] {
    // Whoever is listed by two records is one more than the records count.
    let isTold = owner != nil && repository != nil
    let page = isTold ? page.filter { listed.insert($0.account).inserted } : page
    coverage.listed += page.count
    return page
  }

  private mutating func finishPages() async throws {
    stage = .end
    coverage.counted = coverage.counted ?? pages.total
    guard coverage.missing > 0, let owner, let repository else { return }
    do {
      let reader = RecordReader(of: owner, client: try await repository(owner))
      stage = .repository(reader.edges(App.Bsky.Graph.Follow.self).makeAsyncIterator())
    } catch {
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
    return try await coverage.naming(left, by: client)
  }

  /// What the AppView listed stands, though the rest cannot be read.
  private mutating func end(with error: any Error) throws {
    stage = .end
    if error is CancellationError { throw error }
    coverage.fault = error
  }
}

/// What the records of a repository name, with their dates; an AppView adds the names.
struct RecordedListing: ListingSource {
  private enum Stage {
    case start
    case appview(PagedSequence<AccountView>.AsyncIterator)
    case rest
    case end
  }

  private let client: XRPCClient
  private let records: @Sendable () async throws -> PagedSequence<Result<AccountView, MalformedRecord>?>
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

  /// - Parameters:
  ///   - pages: the same as an AppView lists it, which takes fewer calls than to look everybody up; nil for none.
  ///   - records: finds the server of the repository, and lists its records.
  init(
    _ client: XRPCClient, _ pages: PagedSequence<AccountView>?,
    _ records: @escaping @Sendable () async throws -> PagedSequence<Result<AccountView, MalformedRecord>?>
  ) {
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
        (isRecorded, coverage.fault) = (false, error)
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
        if !views.isEmpty { return try await coverage.naming(views, by: client, areListed: pages == nil) }
      }
      stage = .end
      return nil
    case .end: return nil
    }
  }

  private mutating func read() async throws {
    for try await row in try await records() {
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
    coverage.counted = recorded.count
  }

  private mutating func take(_ page: [AccountView]) -> [AccountView] {
    let page = page.filter { listed.insert($0.account).inserted }
    coverage.listed += page.count
    return page.map { view in
      guard let record = recorded.removeValue(forKey: view.account) else {
        if isRecorded { coverage.unrecorded += 1 }
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

extension ListingCoverage {
  /// The same accounts, with the names that the AppView has of them; counts them by whether it shows them.
  ///
  /// - Parameter areListed: whether to be left out of a listing has no meaning for them.
  fileprivate mutating func naming(
    _ views: [AccountView], by client: XRPCClient, areListed: Bool = false
  ) async throws -> [AccountView] {
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
