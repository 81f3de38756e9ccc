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
  private let handedOut: Int

  /// - Parameters:
  ///   - most: how many are wanted, where all pass the sieve, so that nothing is learned of others.
  ///   - handedOut: how many of the first ones an earlier listing has handed out.
  init(
    _ listing: ActorListing, _ source: any ListingSource, _ sieve: ListingSieve?, most: Int?,
    handedOut: Int = 0
  ) {
    self.listing = listing
    self.source = source
    self.sieve = sieve
    self.most = most
    self.handedOut = handedOut
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source, sieve, most ?? .max, after: handedOut)
  }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private var source: any ListingSource
    private var sieve: ListingSieve?
    private var part: [AccountView] = []
    private var position = 0
    /// How many are still wanted.
    private var wanted: Int
    /// How many of the first part were handed out before.
    private var handedOut: Int
    /// Where the page begins that the part is made of.
    private var partCursor: String?
    private var isPartPaged = true
    /// Whether the next part is not there yet.
    private var isReading = false
    /// What ended the reading, to be thrown once those who came before are handed out.
    private var fault: (any Error)?

    fileprivate init(
      _ source: any ListingSource, _ sieve: ListingSieve?, _ wanted: Int, after handedOut: Int
    ) {
      self.source = source
      self.sieve = sieve
      self.wanted = wanted
      self.handedOut = handedOut
    }

    /// What is known of the whole: of a part of it before ``next()`` was nil.
    public var coverage: ListingCoverage {
      var coverage = source.coverage
      coverage.undecided += sieve?.undecided ?? 0
      coverage.fault = coverage.fault ?? sieve?.fault
      return coverage
    }

    /// Where a later listing goes on, with whoever was not handed out; nil at the end, before the first page, and where
    /// the accounts do not come from pages of the AppView.
    public var cursor: ListingCursor? {
      if isAtEnd { return nil }
      if mustWait, !isReading { return source.isPaged ? source.cursor.map { ListingCursor(page: $0) } : nil }
      return isPartPaged ? ListingCursor(page: partCursor, handedOut: isReading ? 0 : position) : nil
    }

    /// Whether all accounts were handed out.
    public private(set) var isAtEnd = false

    /// Whether the next account has to be asked for.
    package var mustWait: Bool { position == part.count }

    public mutating func next() async throws -> AccountView? {
      while position == part.count {
        if let fault { throw fault }
        (partCursor, isPartPaged, isReading) = (source.cursor, source.isPaged, true)
        guard let next = try await nextPart() else {
          (isAtEnd, isReading) = (true, false)
          return nil
        }
        (part, position, isReading) = (next, Swift.min(handedOut, next.count), false)
        handedOut -= position
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
        do {
          guard let more = try await source.next() else {
            if views.isEmpty { return nil }
            break
          }
          views += more
        } catch  where !views.isEmpty && !(error is CancellationError) {
          fault = error
          break
        }
      }
      wanted -= views.count
      return try await sieve?.pass(views)
    }
  }
}

/// Where a listing goes on: behind so many accounts of a page.
public struct ListingCursor: Sendable, Hashable, CustomStringConvertible {
  /// The cursor of the AppView with which the page begins; nil for the first one.
  let page: String?
  /// How many of its accounts were handed out.
  let handedOut: Int

  init(page: String?, handedOut: Int = 0) {
    self.page = page
    self.handedOut = handedOut
  }

  /// Reads what ``description`` says.
  public init?(_ text: String) {
    guard let dot = text.firstIndex(of: "."), let handedOut = Int(text[..<dot]), handedOut >= 0 else {
      return nil
    }
    self.handedOut = handedOut
    let page = text[text.index(after: dot)...]
    self.page = page.isEmpty ? nil : String(page)
  }

  public var description: String { "\(handedOut).\(page ?? "")" }
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
  /// Whether there may be more of whom nobody knows here: an index tells of the records that it has seen (Q26).
  public internal(set) var isLowerBound = false
  /// How many were added from records whose profiles the AppView shows: it leaves them out of the listing for a block
  /// that stands between them and the actor, directly or by a list (Q11).
  public internal(set) var hidden = 0
  /// How many were added whom the AppView shows nowhere: they are suspended, deactivated or deleted (Q14).
  public internal(set) var gone = 0
  /// How many were added of whom could not be asked which of both they are.
  public internal(set) var unnamed = 0
  /// For how many it could not be learned whether they are among those who are asked for.
  public internal(set) var undecided = 0
  /// Records that name nobody.
  public internal(set) var malformed = MalformedRecords()
  /// How many an index names of whom the AppView does not say so; they are not listed.
  public internal(set) var unconfirmed = 0
  /// Whether accounts may be missing because something failed, as ``fault`` says.
  public internal(set) var isPartial = false
  /// Why something of this was not learned; nil where nothing failed.
  public internal(set) var fault: (any Error)?

  /// How many were added from records.
  public var added: Int { hidden + gone + unnamed }
  /// How many are counted, and could not be listed.
  public var missing: Int { max(0, (counted ?? 0) - listed - added) }
}
