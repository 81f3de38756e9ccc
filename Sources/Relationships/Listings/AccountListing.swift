// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons

/// The accounts of a listing: those whom the AppView lists, then those whom it leaves out and a repository names.
///
/// Follows stand in records of the actor's repository, which is read where the AppView lists fewer than it counts.
/// Followers stand in repositories of their own: of those who are left out only the number is known (Q11, Q12). So it is
/// with members of a list, whose records stand among those of all lists of its owner: see ``RecordReader/members(of:)``.
///
/// ```swift
/// var followers = Listings(appview).accounts(.followers(of: alice)).makeAsyncIterator()
/// while let follower = try await followers.next() { … }
/// print(followers.coverage.missing, "followers cannot be listed")
/// ```
public struct AccountListing: AsyncSequence, Sendable {
  public typealias Element = AccountView
  public typealias Failure = any Error

  /// Whose accounts they are.
  public let listing: ActorListing
  private let pages: PagedSequence<AccountView>
  private let client: XRPCClient
  private let repository: (@Sendable (DID) async throws -> XRPCClient)?

  init(
    _ listing: ActorListing, pages: PagedSequence<AccountView>, client: XRPCClient,
    repository: (@Sendable (DID) async throws -> XRPCClient)?
  ) {
    self.listing = listing
    self.pages = pages
    self.client = client
    self.repository = repository
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private enum Stage {
      case start
      case appview
      case repository(PagedSequence<Result<AccountView, MalformedRecord>?>.AsyncIterator)
      case end
    }

    private let sequence: AccountListing
    private var stage = Stage.start
    private var pages: PagedSequence<AccountView>.AsyncIterator
    /// Whose follows they are; nil where they are none, or where it is not known.
    private var owner: DID?
    /// Those who were listed, where records may name more.
    private var listed: Set<DID> = []
    private var part: [AccountView] = []
    private var position = 0
    /// What is known of the whole: of a part of it before ``next()`` was nil.
    public private(set) var coverage = ListingCoverage()

    fileprivate init(_ sequence: AccountListing) {
      self.sequence = sequence
      pages = sequence.pages.makeAsyncIterator()
    }

    public mutating func next() async throws -> AccountView? {
      while position == part.count {
        guard let next = try await nextPart() else { return nil }
        (part, position) = (next, 0)
      }
      defer { position += 1 }
      return part[position]
    }

    /// The accounts that come next, maybe none; nil at the end. Not beside ``next()``, which has begun a part.
    package mutating func nextPart() async throws -> [AccountView]? {
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
          guard let rows = try await records.nextPage() else {
            stage = .end
            return nil
          }
          stage = .repository(records)
          return try await take(rows.compactMap(\.self))
        } catch {
          try end(with: error)
          return nil
        }
      case .end: return nil
      }
    }

    // MARK: The AppView

    /// Has the AppView count before it lists: who comes meanwhile stands before the first page.
    private mutating func count() async throws {
      do {
        switch sequence.listing {
        case .follows(let actor):
          let profile = try await NetworkCounts(client: sequence.client).profile(of: actor)
          (owner, coverage.counted) = (profile?.did, profile?.followsCount?.asCount)
        case .followers(let actor):
          coverage.counted = try await NetworkCounts(client: sequence.client).profile(of: actor)?
            .followersCount?.asCount
        case .members: break
        }
      } catch let error as RelationshipError {
        coverage.fault = error
      }
    }

    private mutating func take(_ page: [AccountView]) -> [AccountView] {
      // Whoever is listed by two records is one more than the records count.
      let isTold = owner != nil && sequence.repository != nil
      let page = isTold ? page.filter { listed.insert($0.account).inserted } : page
      coverage.listed += page.count
      return page
    }

    private mutating func finishPages() async throws {
      stage = .end
      coverage.counted = coverage.counted ?? pages.total
      guard coverage.missing > 0, let owner, let repository = sequence.repository else { return }
      do {
        let reader = RecordReader(of: owner, client: try await repository(owner))
        stage = .repository(reader.edges(App.Bsky.Graph.Follow.self).makeAsyncIterator())
      } catch {
        try end(with: error)
      }
    }

    // MARK: The repository

    /// Takes those whom the AppView has left out, and asks it for their names.
    private mutating func take(_ rows: [Result<AccountView, MalformedRecord>]) async throws -> [AccountView] {
      var left: [AccountView] = []
      for row in rows {
        switch row {
        case .success(let view): if listed.insert(view.account).inserted { left.append(view) }
        case .failure(let record): coverage.malformed.append(record)
        }
      }
      var names: [DID: AccountView] = [:]
      for batch in left.map(\.account).parts(of: AccountViews.batchSize) {
        do {
          let shown = try await AccountViews(client: sequence.client).views(of: batch)
          names.merge(shown) { first, _ in first }
          coverage.hidden += shown.count
          coverage.gone += batch.count - shown.count
        } catch let error as RelationshipError {
          coverage.fault = error
          coverage.unnamed += batch.count
        }
      }
      return left.map { $0.named(by: names[$0.account]) }
    }

    /// What the AppView listed stands, though the rest cannot be read.
    private mutating func end(with error: any Error) throws {
      stage = .end
      if error is CancellationError { throw error }
      coverage.fault = error
    }
  }
}

/// How much of a listing could be listed.
public struct ListingCoverage: Sendable {
  /// How many there are by the AppView's count; nil where it does not tell. Counts are of records, and may lag behind.
  public internal(set) var counted: Int?
  /// How many the AppView has listed.
  public internal(set) var listed = 0
  /// How many were added from the repository whose profiles the AppView shows: it leaves them out of the listing for a
  /// block that stands between them and the actor, directly or by a list (Q11).
  public internal(set) var hidden = 0
  /// How many were added whom the AppView shows nowhere: they are suspended, deactivated or deleted (Q14).
  public internal(set) var gone = 0
  /// How many were added of whom could not be asked which of both they are.
  public internal(set) var unnamed = 0
  /// Records that name nobody.
  public internal(set) var malformed = MalformedRecords()
  /// Why it was not learned how many there are, or who else: nil where nothing failed.
  public internal(set) var fault: (any Error)?

  /// How many were added from the repository.
  public var added: Int { hidden + gone + unnamed }
  /// How many are counted, and could not be listed.
  public var missing: Int { max(0, (counted ?? 0) - listed - added) }
}
