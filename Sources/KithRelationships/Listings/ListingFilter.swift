// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// Learns the facts that a predicate needs, in batches, and passes on the accounts that match.
struct ListingFilter: Sendable {
  /// Eight calls for relationships, and ten for profiles.
  static let batchSize = 8 * AppViewRelationshipSource.targetsPerCall

  /// The filter; nil passes all accounts, after the needed facts are learned.
  let predicate: AccountPredicate?
  let needs: AccountPredicate.Needs
  /// The actor of the listing; nil if there is none.
  let actor: ATIdentifier?
  /// The signed-in account.
  let viewer: DID?
  /// The edge of the relationship with the actor that puts an account on the listing.
  let edge: Edge?
  let client: XRPCClient
  let relationships: FollowRelationshipService
  let identities: IdentityDirectory
  let repository: Listings.RepositoryClient?

  /// Number of accounts without a decision.
  private(set) var undecided = 0
  /// Number of accounts without a decision because the AppView does not show them.
  private(set) var unseen = 0
  /// Number of accounts without a decision that are deleted, as their directory or server says.
  private(set) var deleted = 0
  /// The first error.
  private(set) var fault: (any Error)?
  private var dids: [AccountPredicate.Party: DID] = [:]
  /// Whether the AppView does not show a named account.
  private var hidden: [AccountPredicate.Party: Bool] = [:]
  private var readers: [AccountPredicate.Party: FriendshipReader] = [:]

  /// An edge between an actor and the accounts of its listing.
  enum Edge: Sendable {
    case following, followedBy, blockedBy

    func record(of info: RelationshipInfo) -> ATURI? {
      switch self {
      case .following: info.following
      case .followedBy: info.followedBy
      case .blockedBy: info.blockedBy
      }
    }
  }

  init(
    _ predicate: AccountPredicate?, _ needs: AccountPredicate.Needs, actor: ATIdentifier?, viewer: DID?,
    edge: Edge?, client: XRPCClient, relationships: FollowRelationshipService, identities: IdentityDirectory,
    repository: Listings.RepositoryClient?
  ) {
    self.predicate = predicate
    self.needs = needs
    self.actor = actor
    self.viewer = viewer
    self.edge = edge
    self.client = client
    self.relationships = relationships
    self.identities = identities
    self.repository = repository
  }

  /// The accounts that match, with what was learned about them.
  ///
  /// - Throws: ``RelationshipError`` if a party does not exist; `CancellationError`.
  mutating func pass(_ views: [AccountView]) async throws -> [AccountView] {
    var facts = possible(views.map { AccountFacts($0) })
    for party in parties {
      try await relate(&facts, to: party)
      try await learnWhetherShown(party, deciding: &facts)
      facts = possible(facts)
    }
    if needs.profile || needs.status || needs.names || facts.contains(where: needsPresence) {
      try await name(&facts)
      facts = possible(facts)
    }
    if needs.status {
      try await learnStatus(of: &facts)
      facts = possible(facts)
    }
    if needs.activity { try await learnActivity(of: &facts) }
    for party in needs.friendships {
      if needs.activity { facts = possible(facts) }
      try await learnFriendships(of: &facts, with: party)
    }
    return facts.compactMap { facts in
      guard let predicate else { return facts.view }
      guard let holds = predicate.holds(for: facts) else {
        count(facts)
        return nil
      }
      return holds ? facts.view : nil
    }
  }

  /// Counts an account without a decision by the reason.
  private mutating func count(_ facts: AccountFacts) {
    if facts.view.isShown != false || !needsPresence(of: facts) {
      undecided += 1
    } else if facts.view.status == .deleted {
      deleted += 1
    } else {
      unseen += 1
    }
  }

  /// The accounts that may still match; nothing more is requested for the others.
  private func possible(_ facts: [AccountFacts]) -> [AccountFacts] {
    guard let predicate else { return facts }
    return facts.filter { predicate.holds(for: $0) != false }
  }

  /// Whether it depends on the AppView showing the account whether it matches.
  private func needsPresence(of facts: AccountFacts) -> Bool { predicate?.needsPresence(of: facts) == true }

  /// The parties of the predicate, plus the actor if its edges provide the dates.
  private var parties: [AccountPredicate.Party] {
    var parties = needs.relationships
    if needs.date, edge != nil { parties.insert(.actor) }
    return Array(parties)
  }

  private mutating func relate(_ facts: inout [AccountFacts], to party: AccountPredicate.Party) async throws {
    guard let did = try await did(of: party) else { return }
    let isDated = party == .actor && needs.date
    let (found, failure) = try await relationships.known(
      of: did,
      with: facts.filter { !isDated || $0.view.since == nil || needs.relationships.contains(party) }
        .map(\.view.account))
    fault = fault ?? failure
    for place in facts.indices {
      let account = facts[place].view.account
      let known = account == did ? RelationshipInfo.withItself(did).muted(false) : found[account]
      facts[place].relationships[party] = known
      if party == .actor, let edge, let record = known.flatMap(edge.record) {
        facts[place].view = facts[place].view.edge(record)
      }
    }
  }

  /// Finds out whether the AppView shows a named account, if that decides: what an account that is not shown
  /// follows or blocks is unknown.
  /// Reads the requests and answers between the accounts and a party.
  private mutating func learnFriendships(
    of facts: inout [AccountFacts], with party: AccountPredicate.Party
  ) async throws {
    guard let did = try await did(of: party) else { return }
    let reader =
      readers[party]
      ?? FriendshipReader(
        of: did,
        by: Listings(
          client, as: viewer, relationships: relationships, identities: identities, repository: repository))
    readers[party] = reader
    let found: [DID: Friendship]
    do { found = try await reader.friendships(with: facts.map(\.view.account).filter { $0 != did }) } catch {
      guard let error = RelationshipError.wrapping(error) else { throw error }
      fault = fault ?? error
      return
    }
    let failure = await reader.faults.error
    fault = fault ?? failure
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

  private mutating func learnWhetherShown(
    _ party: AccountPredicate.Party, deciding facts: inout [AccountFacts]
  ) async throws {
    guard case .account = party, let predicate,
      facts.contains(where: { predicate.needsParties(for: $0).contains(party) }),
      try await isHidden(party)
    else { return }
    for place in facts.indices { facts[place].hiddenParties.insert(party) }
  }

  /// Whether the AppView does not show a named account, or cannot say so; asked once.
  private mutating func isHidden(_ party: AccountPredicate.Party) async throws -> Bool {
    if let known = hidden[party] { return known }
    guard let did = try await did(of: party) else { return false }
    var isHidden = true
    switch try await AccountViews(client: client).outcomes(of: [did])[did] {
    case .success(.some)?: isHidden = false
    case .success(nil)?, nil: fault = fault ?? RelationshipError.accountNotShown(did)
    case .failure(let error)?: fault = fault ?? error
    }
    hidden[party] = isHidden
    return isHidden
  }

  private mutating func did(of party: AccountPredicate.Party) async throws -> DID? {
    if let known = dids[party] { return known }
    let identifier: ATIdentifier? =
      switch party {
      case .actor: actor
      case .viewer: viewer.map { .did($0) }
      case .account(let account): account
      }
    guard let identifier else { return nil }
    do {
      let did = try await identities.did(of: identifier)
      dids[party] = did
      return did
    } catch let error as IdentityError {
      throw RelationshipError(error)
    }
  }

  private mutating func name(_ facts: inout [AccountFacts]) async throws {
    let asksNames = needs.profile || needs.status || needs.names
    let missing = facts.filter { facts in
      // The source of the listing has asked about it already.
      if facts.view.isShown == false { return false }
      if asksNames, facts.view.handle == nil { return true }
      return (needs.profile && facts.view.counts == nil) || needsPresence(of: facts)
    }.map(\.view.account)
    let found = try await AccountViews(client: client).outcomes(of: missing)
    for place in facts.indices {
      switch found[facts[place].view.account] {
      case .success(let view?)?: facts[place].view = facts[place].view.named(by: view)
      case .success(nil)?: facts[place].view = facts[place].view.shown(false)
      case .failure(let error)?: fault = fault ?? error
      case nil: break
      }
    }
  }

  private mutating func learnStatus(of facts: inout [AccountFacts]) async throws {
    let hidden = facts.filter { $0.view.listedStatus == nil }.map(\.view.account)
    let statuses = AccountStatuses(client: client, identities: identities, repository: repository)
    let found = hidden.isEmpty ? [:] : try await statuses.outcomes(of: hidden)
    for place in facts.indices {
      var status = facts[place].view.listedStatus
      if let outcome = found[facts[place].view.account] {
        status = outcome.evidence.status
        if status == nil { fault = fault ?? outcome.fault }
      }
      facts[place].view = facts[place].view.with(status)
    }
  }

  /// Last, because it needs two calls per account.
  private mutating func learnActivity(of facts: inout [AccountFacts]) async throws {
    guard let repository else {
      fault = fault ?? RelationshipError.clientNotConfigured
      return
    }
    let activity = AccountActivity(repository: repository, identities: identities, time: client.time)
    let found = try await activity.lastChanges(of: facts.map(\.view.account))
    for place in facts.indices {
      switch found[facts[place].view.account] {
      case .success(let last)?: facts[place].lastChange = last
      case .failure(let error)?: fault = fault ?? error
      case nil: break
      }
    }
  }
}
