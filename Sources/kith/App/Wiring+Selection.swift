// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

extension Wiring {
  // MARK: Listings

  /// The accounts of a query, as the listing of the same name shows them.
  ///
  /// - Parameters:
  ///   - details: further facts to learn about each account.
  ///   - remembers: see ``listings(by:as:mutesOf:remembering:)``.
  /// - Throws: as ``listings(for:remembering:)``.
  func accounts(
    _ query: ListingQuery, with details: Listings.Details = [], from cursor: ListingCursor? = nil,
    most: Int? = nil, remembering remembers: Bool = false
  ) async throws -> AccountListing {
    try await listings(for: query, remembering: remembers)
      .accounts(query, with: details, from: cursor, most: most)
  }

  /// The listings for a query: signed in for what the AppView shows only to the account itself. Other calls are
  /// anonymous, because the AppView hides accounts from a viewer that blocks them.
  ///
  /// - Throws: ``CommandFault`` if the query needs an account that is not signed in.
  func listings(for query: ListingQuery, remembering remembers: Bool = false) async throws -> Listings {
    let owner = try await owner(of: query.listing)
    let needsViewer = query.predicate?.needs.relationships.contains(.viewer) == true
    let viewer = needsViewer ? try await account() : owner
    return listings(
      by: owner?.appview ?? appview, as: viewer?.did,
      mutesOf: try await self.owner(ofMutesIn: query.predicate, of: query.listing.actor),
      remembering: remembers)
  }

  /// The account whose own listing it is, if the AppView has more for it; nil for any other listing.
  func owner(of listing: ActorListing) async throws -> AuthorizedAccount? {
    switch listing {
    case .mutes: return try await account()
    case .blocks(let actor):
      let account = try await accountIfAny()
      return account?.isNamed(actor) == true ? account : nil
    case .follows, .followers, .members, .blockers: return nil
    }
  }

  // MARK: Selections

  /// Finds the accounts of selections, for an account that changes them.
  ///
  /// - Parameter account: what predicates are about; its server resolves handles if the AppView is down.
  func selector(
    for account: AuthorizedAccount? = nil, remembering remembers: Bool = false
  ) -> AccountSelector {
    AccountSelector(for: account.map { AccountSelector.Actor($0.did, $0.handle) }) { [self] query in
      try await listings(for: query, remembering: remembers)
    } resolving: { [identities] handles in
      if let account { return try await identities.dids(of: handles, orBy: account.pds) }
      return try await identities.dids(of: handles)
    }
  }

  /// All accounts of a selection. Reports what was left out, and why.
  ///
  /// - Throws: ``CommandFault`` `badInput` if a name is not valid, unless those are to be skipped; what the sources
  ///   throw.
  func accounts(
    of selection: AccountSelection, as account: AuthorizedAccount? = nil,
    skippingInvalid skipsInvalid: Bool = false
  ) async throws -> SelectedAccounts {
    let unreadable = PosixMutex(MalformedRecords())
    let found = try await selector(for: account).accounts(of: selection, skippingInvalid: skipsInvalid) {
      [common] event in
      switch event {
      case .listed(let listing, let coverage):
        common.tell(coverage, of: listing, named: account?.name(in: listing))
      case .unreadable(let record): unreadable.withLock { $0.append(record) }
      }
    }
    var tally = UnreadableTally(.member)
    tally.take(unreadable.withLock(\.self))
    try common.report(found, skippingInvalid: skipsInvalid)
    return found
  }

  /// The sources of the members of a list: arguments and files, then lists. The account's own lists are read from its
  /// repository: complete and current.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened or a text that does not name a list.
  func sources(
    _ members: MemberOptions, naming names: some Collection<String>, as account: AuthorizedAccount
  ) async throws -> [AccountSelection.Source] {
    var sources: [AccountSelection.Source] = []
    let named = try members.files(with: try await origins(naming: names))
    if !named.isEmpty { sources.append(.names(TargetStream(origins: named))) }
    for place in members.lists {
      let list = try await self.list(named: place, of: account)
      sources.append(
        list.authority == .did(account.did)
          ? .members(of: list, RecordReader(of: account.did, client: account.pds))
          : .listing(ListingQuery(.members(of: list))))
    }
    return sources
  }
}

extension CommonOptions {
  /// Reports what a selection has left out.
  ///
  /// - Throws: ``CommandFault`` `badInput` if names are not valid and not to be skipped; the error of accounts for which
  ///   a predicate could not be evaluated.
  func report(_ found: SelectedAccounts, skippingInvalid skipsInvalid: Bool) throws {
    try report(found.invalid, areSkipped: skipsInvalid)
    try report(found.invalidExclusions, areSkipped: false)
    for name in found.unknownExclusions { StandardError.say(.excludedUnknown(name)) }
    if found.matching.unseen > 0 { StandardError.say(.targetsUnseen(found.matching.unseen)) }
    if found.matching.undecided > 0 {
      let cause = found.matching.fault.flatMap { CommandFault($0) }
      let message = Message.predicateUndecided(found.matching.undecided, cause?.said)
      if let cause { throw CommandFault(cause.status, message) }
      StandardError.say(message)
    }
    if found.repetitions > 0, !quiet { StandardError.say(.repetitions(found.repetitions)) }
  }

  private func report(_ invalid: SelectedAccounts.Invalid, areSkipped: Bool) throws(CommandFault) {
    if invalid.count == 0 { return }
    for complaint in invalid.first.compactMap(\.complaint) {
      StandardError.say(areSkipped ? complaint.asWarning : complaint)
    }
    guard areSkipped else {
      throw CommandFault(
        .badInput, .invalidNames(invalid.count, unnamed: invalid.count - invalid.first.count))
    }
    StandardError.say(.namesSkipped(invalid.count))
  }
}

extension SelectedAccounts {
  /// How many accounts there were before any were left out.
  var countBefore: Int { members.count + excluded + unmatched }
}

extension RelationshipQuestion {
  /// What is wrong with it as the name of an account to change; nil if nothing is.
  var complaint: Message? {
    if case .unreadable(let error) = target { return Message(error) }
    return isUnfitToSelect ? input.map { .isAList($0) } : nil
  }
}
