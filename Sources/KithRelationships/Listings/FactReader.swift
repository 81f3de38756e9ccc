// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// Learns facts about the accounts of one listing, batch by batch. What is the same for all batches is read once.
struct FactReader: Sendable {
  private let listings: Listings
  /// What the facts are for; nil if all accounts pass.
  private let predicate: AccountPredicate?
  /// The actor of the listing; nil if there is none.
  private let actor: ATIdentifier?
  /// The edge of the relationship with the actor that puts an account on the listing.
  private let edge: ListingFilter.Edge?
  /// The records with the dates of the edges; nil if the source of the accounts has read them, or there are none.
  private let dates: ListingRecords?
  /// The first error.
  private(set) var fault: (any Error)?
  private var dids: [AccountPredicate.Party: DID] = [:]
  /// Whether the AppView does not show a named account.
  private var hidden: [AccountPredicate.Party: Bool] = [:]
  private var friendships: [AccountPredicate.Party: FriendshipReader] = [:]
  private var members: [String: ListMembership] = [:]
  /// The edges by account; nil before the records are read.
  private var edges: [DID: AccountView]?

  init(
    _ listings: Listings, _ predicate: AccountPredicate?, actor: ATIdentifier?, edge: ListingFilter.Edge?,
    dates: ListingRecords? = nil
  ) {
    (self.listings, self.predicate, self.actor) = (listings, predicate, actor)
    (self.edge, self.dates) = (edge, dates)
  }

  private mutating func note(_ error: (any Error)?) { fault = fault ?? error }

  // MARK: Parties

  /// The account of a party; nil if there is none.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  mutating func did(of party: AccountPredicate.Party) async throws -> DID? {
    if let known = dids[party] { return known }
    let identifier: ATIdentifier? =
      switch party {
      case .actor: actor
      case .viewer: listings.viewer.map { .did($0) }
      case .account(let account): account
      }
    guard let identifier else { return nil }
    do {
      let did = try await listings.identities.did(of: identifier)
      dids[party] = did
      return did
    } catch let error as IdentityError {
      throw RelationshipError(error)
    }
  }

  /// Finds out whether the AppView shows a named account, if that decides: what an account that is not shown
  /// follows or blocks is unknown.
  private mutating func learnWhetherShown(
    _ party: AccountPredicate.Party, deciding facts: inout [AccountFacts]
  ) async throws {
    guard case .account = party, let predicate,
      facts.contains(where: { predicate.needsPresence(of: party, for: $0) }),
      try await isHidden(party)
    else { return }
    for place in facts.indices { facts[place].hiddenParties.insert(party) }
  }

  /// Whether the AppView does not show a named account, or cannot say so; asked once.
  private mutating func isHidden(_ party: AccountPredicate.Party) async throws -> Bool {
    if let known = hidden[party] { return known }
    guard let did = try await did(of: party) else { return false }
    var isHidden = true
    switch try await AccountViews(client: listings.profiles).outcomes(of: [did])[did] {
    case .success(.some)?: isHidden = false
    case .success(nil)?, nil: note(RelationshipError.accountNotShown(did))
    case .failure(let error)?: note(error)
    }
    hidden[party] = isHidden
    return isHidden
  }

  // MARK: Relationships

  /// Learns the relationships with a party; with the actor, also the edges that put the accounts on the listing.
  mutating func relate(
    _ facts: inout [AccountFacts], to party: AccountPredicate.Party, _ wanted: Set<AccountFact>
  ) async throws {
    var wanted = wanted
    if wanted.contains(.date) { try await readEdges(of: &facts) }
    if edge == nil { wanted.remove(.date) }
    guard !wanted.isEmpty, let did = try await did(of: party) else { return }
    let (found, failure) = try await listings.relationships(of: did).known(
      of: did, with: missing(wanted, among: facts).map(\.view.account))
    note(failure ?? found.values.lazy.compactMap(\.mutesFault).first)
    for place in facts.indices {
      let account = facts[place].view.account
      let known = account == did ? RelationshipInfo.withItself(did).muted(false) : found[account]
      facts[place].relationships[party] = known
      if party == .actor, let edge, let record = known.flatMap(edge.record) {
        facts[place].view = facts[place].view.edge(record)
      }
    }
    try await learnWhetherShown(party, deciding: &facts)
  }

  /// The accounts that have to be asked about because of one of some facts.
  private func missing(_ wanted: Set<AccountFact>, among facts: [AccountFacts]) -> [AccountFacts] {
    facts.filter { facts in wanted.contains { $0.isMissing(facts, predicate) } }
  }

  /// Adds the edges that are in the actor's records, which are read once.
  private mutating func readEdges(of facts: inout [AccountFacts]) async throws {
    guard let dates else { return }
    var known = edges ?? [:]
    if edges == nil {
      for try await case .success(let view)? in try await dates.rows(nil) where known[view.account] == nil {
        known[view.account] = view
      }
      edges = known
    }
    for place in facts.indices {
      facts[place].view = facts[place].view.edge(of: known[facts[place].view.account])
    }
  }

  /// Learns the relationship of the viewer with the accounts for which the listing does not say it.
  mutating func relateToViewer(_ facts: inout [AccountFacts]) async throws {
    guard let viewer = listings.viewer else { return note(RelationshipError.clientNotConfigured) }
    let (current, error) = try await listings.current(facts.map(\.view))
    note(error)
    for place in facts.indices { facts[place].view = current[place] }
    var found: [DID: RelationshipInfo] = [:]
    for place in facts.indices where facts[place].view.relationship == nil {
      found[facts[place].view.account] = facts[place].relationships[.viewer]
    }
    let unknown = facts.map(\.view).filter { $0.relationship == nil && found[$0.account] == nil }
      .map(\.account).filter { $0 != viewer }
    if !unknown.isEmpty {
      let (asked, failure) = try await listings.relationships(of: viewer).known(of: viewer, with: unknown)
      note(failure)
      found.merge(asked) { known, _ in known }
    }
    for place in facts.indices where facts[place].view.relationship == nil {
      let account = facts[place].view.account
      facts[place].view = facts[place].view.with(
        account == viewer ? ViewerRelationship(.itself) : found[account].map { ViewerRelationship($0) })
    }
  }

  // MARK: Profiles

  mutating func readProfiles(of facts: inout [AccountFacts], _ wanted: Set<AccountFact>) async throws {
    // The source of the listing has asked about accounts that are not shown already.
    let missing = missing(wanted, among: facts.filter { $0.view.isShown != false }).map(\.view.account)
    let found = try await AccountViews(client: listings.profiles).outcomes(of: missing)
    for place in facts.indices {
      switch found[facts[place].view.account] {
      case .success(let view?)?: facts[place].view = facts[place].view.named(by: view)
      case .success(nil)?: facts[place].view = facts[place].view.shown(false)
      case .failure(let error)?: note(error)
      case nil: break
      }
    }
  }

  mutating func readStatuses(of facts: inout [AccountFacts]) async throws {
    let hidden = facts.filter { $0.view.listedStatus == nil }.map(\.view.account)
    let found = hidden.isEmpty ? [:] : try await listings.statuses.outcomes(of: hidden)
    for place in facts.indices {
      var status = facts[place].view.listedStatus
      if let outcome = found[facts[place].view.account] {
        status = outcome.evidence.status
        if status == nil { note(outcome.fault) }
      }
      facts[place].view = facts[place].view.with(status)
    }
  }

  // MARK: Lists and repositories

  /// Learns who is on a list; it is read once.
  mutating func readMembership(of facts: inout [AccountFacts], in list: String) async throws {
    let known: ListMembership
    if let earlier = members[list] {
      known = earlier
    } else {
      known = try await ListMembership(of: try await listings.list(list), by: listings)
      members[list] = known
      note(known.fault)
    }
    for place in facts.indices { facts[place].lists[list] = known.contains(facts[place].view.account) }
  }

  /// Reads when repositories last changed: two calls for each account.
  mutating func readActivity(of facts: inout [AccountFacts]) async throws {
    guard let repository = listings.repository else { return note(RelationshipError.clientNotConfigured) }
    let activity = AccountActivity(
      repository: repository, identities: listings.identities, time: listings.client.time)
    let found = try await activity.lastChanges(of: facts.map(\.view.account))
    for place in facts.indices {
      switch found[facts[place].view.account] {
      case .success(let last)?: facts[place].lastChange = last
      case .failure(let error)?: note(error)
      case nil: break
      }
    }
  }

  /// Reads the requests and answers between the accounts and a party.
  mutating func readFriendships(
    of facts: inout [AccountFacts], with party: AccountPredicate.Party
  ) async throws {
    guard let did = try await did(of: party) else { return }
    let reader = friendships[party] ?? FriendshipReader(of: did, by: listings)
    friendships[party] = reader
    let found: [DID: Friendship]
    do { found = try await reader.friendships(with: facts.map(\.view.account).filter { $0 != did }) } catch {
      guard let error = RelationshipError.wrapping(error) else { throw error }
      return note(error)
    }
    note(await reader.faults.error)
    for place in facts.indices {
      let account = facts[place].view.account
      let summary =
        account == did
        ? Friendship(asked: .none, askedBy: .none, isBlocked: false).summary : found[account]?.summary
      facts[place].friendships[party] = summary
      if party == .actor || facts[place].view.friendship == nil {
        facts[place].view = facts[place].view.with(summary)
      }
    }
  }
}
