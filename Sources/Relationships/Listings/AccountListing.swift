// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// The accounts of a listing, as many as can be listed: those whom an AppView lists, those whom only a repository names,
/// and of all of them those for whom a question has the answer yes.
///
/// Follows and blocks stand in records of the actor's repository, which is read first where dates are wanted, and else
/// where the AppView lists fewer follows than it counts. Followers stand in repositories of their own: of those who are
/// left out only the number is known (Q11, Q12). So it is with members of a list, whose records stand among those of all
/// lists of its owner: see ``RecordReader/members(of:)``.
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
  private let source: any ListingSource
  private let sieve: ListingSieve?
  private let most: Int?

  /// - Parameter most: how many are wanted, where all pass the sieve, so that nothing is learned of others.
  init(_ listing: ActorListing, _ source: any ListingSource, _ sieve: ListingSieve?, most: Int?) {
    self.listing = listing
    self.source = source
    self.sieve = sieve
    self.most = most
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, sieve, most ?? .max) }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private var source: any ListingSource
    private var sieve: ListingSieve?
    private var part: [AccountView] = []
    private var position = 0
    /// How many are still wanted.
    private var wanted: Int
    /// Where the page begins that the part is made of.
    private var partCursor: String?

    fileprivate init(_ source: any ListingSource, _ sieve: ListingSieve?, _ wanted: Int) {
      self.source = source
      self.sieve = sieve
      self.wanted = wanted
    }

    /// What is known of the whole: of a part of it before ``next()`` was nil.
    public var coverage: ListingCoverage {
      var coverage = source.coverage
      coverage.undecided = sieve?.undecided ?? 0
      coverage.fault = coverage.fault ?? sieve?.fault
      return coverage
    }

    /// Where a later listing by the AppView goes on, so that it lists whoever was not handed out, and maybe some again; nil
    /// at the end, before the first page, and where the accounts do not come from pages of the AppView alone.
    public var cursor: String? { mustWait ? source.cursor : partCursor }

    /// Whether all accounts were handed out.
    public private(set) var isAtEnd = false

    /// Whether the next account has to be asked for.
    package var mustWait: Bool { position == part.count }

    public mutating func next() async throws -> AccountView? {
      while position == part.count {
        partCursor = source.cursor
        guard let next = try await nextPart() else {
          isAtEnd = true
          return nil
        }
        (part, position) = (next, 0)
      }
      defer { position += 1 }
      return part[position]
    }

    /// The accounts that come next, maybe none; nil at the end. Not beside ``next()``, which has begun a part.
    package mutating func nextPart() async throws -> [AccountView]? {
      guard sieve != nil else { return try await source.next() }
      // As many as several calls side by side take.
      var views: [AccountView] = []
      while views.count < Swift.min(ListingSieve.batchSize, Swift.max(1, wanted)) {
        guard let more = try await source.next() else {
          if views.isEmpty { return nil }
          break
        }
        views += more
      }
      wanted -= views.count
      return try await sieve?.pass(views)
    }
  }
}

/// How much of a listing could be listed.
public struct ListingCoverage: Sendable {
  /// How many there are by the AppView's count, or by their records; nil where neither tells. Counts may lag behind.
  public internal(set) var counted: Int?
  /// How many the AppView has listed.
  public internal(set) var listed = 0
  /// How many of them stand in no record: nobody can take those edges back (Q20). Known where the records were read
  /// first.
  public internal(set) var unrecorded = 0
  /// How many were added from the repository whose profiles the AppView shows: it leaves them out of the listing for a
  /// block that stands between them and the actor, directly or by a list (Q11).
  public internal(set) var hidden = 0
  /// How many were added whom the AppView shows nowhere: they are suspended, deactivated or deleted (Q14).
  public internal(set) var gone = 0
  /// How many were added of whom could not be asked which of both they are.
  public internal(set) var unnamed = 0
  /// For how many it could not be learned whether they are among those who are asked for.
  public internal(set) var undecided = 0
  /// Records that name nobody.
  public internal(set) var malformed = MalformedRecords()
  /// Why something of this was not learned; nil where nothing failed.
  public internal(set) var fault: (any Error)?

  /// How many were added from the repository.
  public var added: Int { hidden + gone + unnamed }
  /// How many are counted, and could not be listed.
  public var missing: Int { max(0, (counted ?? 0) - listed - added) }
}
