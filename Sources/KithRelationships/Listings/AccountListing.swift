// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// The accounts of a listing, as completely as possible: those in the AppView's listing, those found only
/// in a repository, and of these the accounts that match a predicate.
///
/// Follows and blocks are records of the actor's repository. It is read first if dates are wanted, and
/// otherwise if the AppView lists fewer follows than it counts. Followers' records are in repositories of
/// their own: of those left out only the number is known (Q11, Q12). The same holds for members of a list,
/// whose records are mixed with those of all lists of its owner.
///
/// ```swift
/// var followers = Listings(appview).accounts(.followers(of: .did(alice))).makeAsyncIterator()
/// while let follower = try await followers.next() { show(follower.account) }
/// print(followers.coverage.missing, "followers cannot be listed")
/// ```
public struct AccountListing: AsyncSequence, Sendable {
  public typealias Element = AccountView
  public typealias Failure = any Error

  /// What is listed.
  package let listing: ActorListing
  private let source: any ListingSource
  private let filter: ListingFilter?
  private let most: Int?
  private let handedOut: Int

  /// Creates a listing of accounts that are known, such as for a test of a view.
  ///
  /// - Parameters:
  ///   - coverage: what the listing says about itself; by default, that these are all accounts.
  ///   - fault: thrown after the accounts; nil for a listing that ends well.
  public init(
    _ listing: ActorListing, of accounts: [AccountView], coverage: ListingCoverage? = nil,
    fault: (any Error)? = nil
  ) {
    let coverage = coverage ?? ListingCoverage(counted: accounts.count, listed: accounts.count)
    self.init(listing, KnownListing(accounts: accounts, coverage: coverage, fault: fault), nil, most: nil)
  }

  /// - Parameters:
  ///   - most: the number of accounts wanted if all pass the filter; limits lookups.
  ///   - handedOut: how many of the first accounts an earlier listing has returned.
  init(
    _ listing: ActorListing, _ source: any ListingSource, _ filter: ListingFilter?, most: Int?,
    handedOut: Int = 0
  ) {
    self.listing = listing
    self.source = source
    self.filter = filter
    self.most = most
    self.handedOut = handedOut
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source, filter, most ?? .max, after: handedOut)
  }

  /// Requests the next page when the current one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private var source: any ListingSource
    private var filter: ListingFilter?
    private var part: [AccountView] = []
    private var position = 0
    /// How many are still wanted.
    private var wanted: Int
    /// How many accounts of the first part were returned before.
    private var handedOut: Int
    /// The cursor of the page that the part comes from.
    private var partCursor: String?
    private var isPartPaged = true
    /// Whether the next part is still being read.
    private var isReading = false
    /// An error to throw once the accounts before it are returned.
    private var fault: (any Error)?

    fileprivate init(
      _ source: any ListingSource, _ filter: ListingFilter?, _ wanted: Int, after handedOut: Int
    ) {
      self.source = source
      self.filter = filter
      self.wanted = wanted
      self.handedOut = handedOut
    }

    /// What is known about the listing; incomplete until ``next()`` has returned nil.
    public var coverage: ListingCoverage {
      var coverage = source.coverage
      coverage.undecided += filter?.undecided ?? 0
      coverage.unseen += filter?.unseen ?? 0
      coverage.deleted += filter?.deleted ?? 0
      coverage.fault = coverage.fault ?? filter?.fault
      return coverage
    }

    /// Where a later listing continues, with the accounts not yet returned; nil at the end, before the
    /// first page, and if the accounts do not come from AppView pages.
    public var cursor: ListingCursor? {
      if isAtEnd { return nil }
      if mustWait, !isReading { return source.isPaged ? source.cursor.map { ListingCursor(page: $0) } : nil }
      return isPartPaged ? ListingCursor(page: partCursor, handedOut: isReading ? 0 : position) : nil
    }

    /// Whether all accounts were returned.
    public private(set) var isAtEnd = false

    /// Whether the next account needs a call.
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

    /// The next accounts, possibly none; nil at the end. Do not mix with ``next()``, which splits parts.
    package mutating func nextPart() async throws -> [AccountView]? {
      guard filter != nil else { return try await source.next() }
      // Enough for several concurrent calls.
      var views: [AccountView] = []
      while views.count < Swift.min(ListingFilter.batchSize, Swift.max(1, wanted)) {
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
      return try await filter?.pass(views)
    }
  }
}

/// A listing whose accounts and coverage are known.
private struct KnownListing: ListingSource {
  private(set) var accounts: [AccountView]?
  let coverage: ListingCoverage
  let fault: (any Error)?

  var isPaged: Bool { false }
  var cursor: String? { nil }

  mutating func next() async throws -> [AccountView]? {
    if let accounts = accounts.take() { return accounts }
    if let fault { throw fault }
    return nil
  }
}

/// The position where a listing continues: after some accounts of a page.
public struct ListingCursor: Sendable, Hashable, CustomStringConvertible {
  /// The AppView cursor of the page; nil for the first one.
  let page: String?
  /// How many accounts of the page were returned.
  let handedOut: Int

  init(page: String?, handedOut: Int = 0) {
    self.page = page
    self.handedOut = handedOut
  }

  /// The most accounts of one page that a cursor can name; servers send some hundred.
  private static let mostHandedOut = 1_000_000

  /// Parses a ``description``; nil for a number of accounts that no page has, or a cursor that is longer
  /// than any that a listing accepts from a server.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let handedOut = Int(first),
      (0...Self.mostHandedOut).contains(handedOut)
    else { return nil }
    self.handedOut = handedOut
    let page = parts.dropFirst().first ?? ""
    guard page.utf8.count <= PaginationGuard.longestCursor else { return nil }
    self.page = page.isEmpty ? nil : String(page)
  }

  /// The number of accounts, and after a dot the cursor of the page; on the first page only the number, because a dot at
  /// the end of a sentence is not copied.
  public var description: String { page.map { "\(handedOut).\($0)" } ?? "\(handedOut)" }
}

/// How completely a listing could be read.
public struct ListingCoverage: Sendable {
  /// The total according to the AppView's count, or to the records; nil if neither is known. Counts may lag
  /// behind.
  public var counted: Int?
  /// Accounts listed by the AppView.
  public var listed: Int
  /// Listed accounts without a record, whose edges cannot be deleted (Q20). Known if the records were read
  /// first.
  public var unrecorded: Int
  /// Whether there may be more accounts: an index only knows the records that it has seen (Q26).
  public var isLowerBound: Bool
  /// Accounts added from records that the AppView shows but does not list because of a block between them
  /// and the actor, directly or by a list (Q11).
  public var hidden: Int
  /// Accounts added from records that the AppView does not show at all: suspended, deactivated or deleted
  /// (Q14).
  public var gone: Int
  /// Accounts added from records for which it is unknown whether they are hidden or gone.
  public var unnamed: Int
  /// Accounts for which it is unknown whether they match the predicate.
  public var undecided: Int
  /// Accounts for which it is unknown whether they match the predicate, because the AppView does not show them:
  /// which accounts they follow or block is then unknown (Q2).
  public var unseen: Int
  /// Accounts of the same kind that are known to be deleted.
  public var deleted: Int
  /// Records of another app whose subject is not an account, such as a collection of links.
  public var otherSubjects: Int
  /// Records of another app that are about the account itself, which say nothing.
  public var aboutItself: Int
  /// Unreadable records.
  public var malformed: MalformedRecords
  /// Elements of the AppView's listing that cannot be read; each may be an account.
  public var unreadable: Int
  /// Whether the AppView's listing failed before its end. Accounts from records are then not left out by it,
  /// if known.
  public var isListingCutShort: Bool
  /// Accounts from an index that the AppView does not confirm; they are not listed.
  public var unconfirmed: Int
  /// Whether accounts may be missing because of an error; see ``fault``.
  public var isPartial: Bool
  /// The first error; nil if nothing failed.
  public var fault: (any Error)?

  /// Creates the coverage of a listing; parameters are the properties.
  public init(
    counted: Int? = nil, listed: Int = 0, unrecorded: Int = 0, isLowerBound: Bool = false, hidden: Int = 0,
    gone: Int = 0, unnamed: Int = 0, undecided: Int = 0, unseen: Int = 0, deleted: Int = 0,
    otherSubjects: Int = 0, aboutItself: Int = 0, malformed: MalformedRecords = MalformedRecords(),
    unreadable: Int = 0, isListingCutShort: Bool = false, unconfirmed: Int = 0, isPartial: Bool = false,
    fault: (any Error)? = nil
  ) {
    self.counted = counted
    self.listed = listed
    self.unrecorded = unrecorded
    self.isLowerBound = isLowerBound
    self.hidden = hidden
    self.gone = gone
    self.unnamed = unnamed
    self.undecided = undecided
    self.unseen = unseen
    self.deleted = deleted
    self.otherSubjects = otherSubjects
    self.aboutItself = aboutItself
    self.malformed = malformed
    self.unreadable = unreadable
    self.isListingCutShort = isListingCutShort
    self.unconfirmed = unconfirmed
    self.isPartial = isPartial
    self.fault = fault
  }

  /// Accounts added from records.
  public var added: Int { hidden + gone + unnamed }
  /// Accounts that are counted but could not be listed.
  public var missing: Int { max(0, (counted ?? 0) - listed - added) }
}
