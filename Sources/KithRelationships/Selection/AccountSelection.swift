// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// Which accounts a question, a change or a count is about: those of some sources that match a predicate, without
/// those that other sources name.
public struct AccountSelection: Sendable {
  /// Names, in parts as they are read.
  public typealias Names = any AsyncSequence<[RelationshipQuestion], any Error> & Sendable

  /// Where accounts come from.
  public enum Source: Sendable {
    /// What people type, and what files contain.
    case names(Names)
    /// The accounts of a listing, with its own filter.
    case listing(ListingQuery)
    /// The members of a list of the repository that a reader reads: complete and current.
    case members(of: ATURI, RecordReader)
  }

  /// The sources, in the order of the accounts.
  public var sources: [Source]
  /// The names of accounts to leave out.
  public var exclusions: [Names]
  /// The filter; nil for all accounts.
  public var predicate: AccountPredicate?

  /// Creates a selection.
  public init(
    _ sources: [Source], excluding exclusions: [Names] = [], where predicate: AccountPredicate? = nil
  ) {
    self.sources = sources
    self.exclusions = exclusions
    self.predicate = predicate
  }
}

/// What sources of a selection have delivered besides accounts.
public enum SelectionEvent: Sendable {
  /// A listing has ended.
  case listed(ActorListing, ListingCoverage)
  /// A member of a list is not readable.
  case unreadable(MalformedRecord)
}

/// Finds the accounts of selections, with the listings, identities and relationships of one run.
public struct AccountSelector: Sendable {
  /// The account that predicates are about; nil if there are none.
  private let actor: Actor?
  private let listings: @Sendable (ListingQuery) async throws -> Listings
  private let resolve: @Sendable ([Handle]) async throws -> [Handle: Result<DID, IdentityError>]

  /// An account with its handle.
  public struct Actor: Sendable {
    /// The account.
    public let did: DID
    /// Its handle.
    public let handle: Handle

    /// Creates an actor.
    public init(_ did: DID, _ handle: Handle) { (self.did, self.handle) = (did, handle) }

    /// Whether a name is that of the account.
    func isNamed(_ name: ATIdentifier) -> Bool { name == .did(did) || name == .handle(handle) }
  }

  /// Creates a selector.
  ///
  /// - Parameters:
  ///   - actor: the account that predicates are about; nil if selections have none.
  ///   - listings: the listings for a query, signed in if it needs that.
  ///   - resolve: resolves handles.
  public init(
    for actor: Actor?, listings: @escaping @Sendable (ListingQuery) async throws -> Listings,
    resolving resolve: @escaping @Sendable ([Handle]) async throws -> [Handle: Result<DID, IdentityError>]
  ) {
    self.actor = actor
    self.listings = listings
    self.resolve = resolve
  }

  // MARK: Listings

  /// The accounts of a query that also match a predicate.
  ///
  /// If the query lists accounts of the actor, these are the accounts that it shows with this predicate as a
  /// part of it. For all others, the predicate is about the actor as well, and not about the owner of the listing.
  func accounts(_ query: ListingQuery, where predicate: AccountPredicate?) async throws -> AccountListing {
    guard let predicate, let actor else { return try await listings(query).accounts(query) }
    if actor.isNamed(query.listing.actor) {
      let query = query.narrowed(to: predicate)
      return try await listings(query).accounts(query, with: query.listing.detailsOfOwner)
    }
    return try await matcher(predicate, actor).accounts(
      among: try await listings(query).accounts(query), of: .did(actor.did), where: predicate)
  }

  /// The listings that evaluate a predicate about the actor.
  private func matcher(_ predicate: AccountPredicate, _ actor: Actor) async throws -> Listings {
    try await listings(ListingQuery(.follows(of: .did(actor.did)), where: predicate))
  }

  // MARK: Questions

  /// The accounts of sources as questions, in parts, without any filter of the selection.
  ///
  /// - Parameter event: receives what the sources say besides.
  public func questions(
    _ sources: [AccountSelection.Source], _ event: @escaping @Sendable (SelectionEvent) -> Void
  ) -> SelectedQuestions {
    SelectedQuestions(sources, self, where: nil, event)
  }

  // MARK: Accounts

  /// All accounts of a selection, each once: read completely, because what is done to some of them could not be
  /// undone exactly without knowing the others.
  ///
  /// - Parameters:
  ///   - skipsInvalid: whether names of sources that are not valid are left out. Otherwise nothing is looked up if
  ///     there are any.
  ///   - event: receives what the sources say besides.
  /// - Throws: what the sources throw; `IdentityError` if a name of an exclusion cannot be looked up.
  public func accounts(
    of selection: AccountSelection, skippingInvalid skipsInvalid: Bool = false,
    _ event: @escaping @Sendable (SelectionEvent) -> Void
  ) async throws -> SelectedAccounts {
    let needsDates = selection.predicate?.needs.contains(.date) == true
    let doubt = PosixMutex<(any Error)?>(nil)
    let questions = SelectedQuestions(selection.sources, self, where: selection.predicate) {
      event($0)
      if let fault = $0.doubt(needingDates: needsDates) { doubt.withLock { $0 = $0 ?? fault } }
    }
    var found = try await SelectedAccounts(reading: questions)
    if found.invalid.count > 0, !skipsInvalid { return found }
    // If a filter could not be evaluated for some accounts, nothing is selected.
    if let doubt = doubt.withLock(\.self) { throw doubt }
    var excluded = SelectedAccounts()
    for names in selection.exclusions { excluded.add(try await SelectedAccounts(named: names)) }
    found.invalidExclusions = excluded.invalid
    if excluded.invalid.count > 0 { return found }
    try await found.resolve(resolve)
    if !selection.exclusions.isEmpty {
      try await excluded.resolve(resolve)
      try found.exclude(excluded)
    }
    if let predicate = selection.predicate, let actor {
      try await found.match(predicate, of: actor.did, by: try await matcher(predicate, actor))
    }
    return found
  }
}

extension ActorListing {
  /// The details that are read with a listing of the signed-in account: the dates of its follows, which its
  /// repository contains.
  public var detailsOfOwner: Listings.Details { if case .follows = self { .dates } else { [] } }
}

extension SelectionEvent {
  /// Why the accounts of a listing are not certain; nil if they are.
  fileprivate func doubt(needingDates needsDates: Bool) -> (any Error)? {
    guard case .listed(_, let coverage) = self,
      coverage.undecided + coverage.unreadable > 0 || (needsDates && coverage.isPartial)
    else { return nil }
    return coverage.fault
  }
}
