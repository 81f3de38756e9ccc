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
  /// The edge of the relationship with the actor that puts an account on the listing.
  let edge: Edge?
  /// Where facts come from.
  let listings: Listings

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
  /// The members of the lists that the predicate names.
  private var members: [String: ListMembership] = [:]

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
    _ predicate: AccountPredicate?, _ needs: AccountPredicate.Needs, actor: ATIdentifier?, edge: Edge?,
    by listings: Listings
  ) {
    self.predicate = predicate
    self.needs = needs
    self.actor = actor
    self.edge = edge
    self.listings = listings
  }

  /// The accounts that match, with what was learned about them.
  ///
  /// - Throws: ``RelationshipError`` if a party does not exist; `CancellationError`.
  mutating func pass(_ views: [AccountView]) async throws -> [AccountView] {
    let views = try await others(among: views)
    var facts = possible(views.map { AccountFacts($0) })
    for party in parties {
      try await relate(&facts, to: party)
      try await learnWhetherShown(party, deciding: &facts)
      facts = possible(facts)
    }
    if needs.asksProfiles || facts.contains(where: needsPresence) {
      try await name(&facts)
      facts = possible(facts)
    }
    if needs.status {
      try await learnStatus(of: &facts)
      facts = possible(facts)
    }
    for list in needs.lists.sorted() {
      try await learnMembership(of: &facts, in: list)
      facts = possible(facts)
    }
    if needs.activity { try await learnActivity(of: &facts) }
    for party in needs.friendships {
      if needs.activity { facts = possible(facts) }
      try await learnFriendships(of: &facts, with: party)
    }
    if needs.relationship { try await learnRelationship(of: &facts) }
    return facts.compactMap { facts in
      guard let predicate else { return facts.view }
      guard let holds = predicate.holds(for: facts) else {
        count(facts)
        return nil
      }
      return holds ? facts.view : nil
    }
  }

  /// The accounts without the actor, if the predicate is about its relationships: it has none with itself (Q4), so
  /// neither a relation nor its negation holds.
  private mutating func others(among views: [AccountView]) async throws -> [AccountView] {
    guard predicate?.needs.relatesToActor == true, let actor = try await did(of: .actor) else { return views }
    return views.filter { $0.account != actor }
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
    let (found, failure) = try await listings.relationships.known(
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

  /// Learns the relationship of the viewer with the accounts for which the listing does not say it.
  private mutating func learnRelationship(of facts: inout [AccountFacts]) async throws {
    guard let viewer = listings.viewer else {
      fault = fault ?? RelationshipError.clientNotConfigured
      return
    }
    let (current, error) = try await listings.current(facts.map(\.view))
    fault = fault ?? error
    for place in facts.indices { facts[place].view = current[place] }
    var found: [DID: RelationshipInfo] = [:]
    for place in facts.indices where facts[place].view.relationship == nil {
      found[facts[place].view.account] = facts[place].relationships[.viewer]
    }
    let unknown = facts.map(\.view).filter { $0.relationship == nil && found[$0.account] == nil }
      .map(\.account).filter { $0 != viewer }
    if !unknown.isEmpty {
      let (asked, failure) = try await listings.relationships.known(of: viewer, with: unknown)
      fault = fault ?? failure
      found.merge(asked) { known, _ in known }
    }
    for place in facts.indices where facts[place].view.relationship == nil {
      let account = facts[place].view.account
      facts[place].view = facts[place].view.with(
        account == viewer ? ViewerRelationship(.itself) : found[account].map { ViewerRelationship($0) })
    }
  }

  /// Learns who is on a list; it is read once.
  private mutating func learnMembership(of facts: inout [AccountFacts], in list: String) async throws {
    let known: ListMembership
    if let earlier = members[list] {
      known = earlier
    } else {
      known = try await ListMembership(of: try await listings.list(list), by: listings)
      members[list] = known
      fault = fault ?? known.fault
    }
    for place in facts.indices { facts[place].lists[list] = known.contains(facts[place].view.account) }
  }

  /// Reads the requests and answers between the accounts and a party.
  private mutating func learnFriendships(
    of facts: inout [AccountFacts], with party: AccountPredicate.Party
  ) async throws {
    guard let did = try await did(of: party) else { return }
    let reader =
      readers[party]
      ?? FriendshipReader(of: did, by: listings)
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

  /// Finds out whether the AppView shows a named account, if that decides: what an account that is not shown
  /// follows or blocks is unknown.
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
    switch try await AccountViews(client: listings.profiles).outcomes(of: [did])[did] {
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

  private mutating func name(_ facts: inout [AccountFacts]) async throws {
    let asksNames = needs.profile || needs.status || needs.names || needs.marks
    let missing = facts.filter { facts in
      // The source of the listing has asked about it already.
      if facts.view.isShown == false { return false }
      if asksNames, facts.view.handle == nil { return true }
      if needs.marks, facts.view.marks == nil { return true }
      if needs.knownFollowers, facts.view.relationship?.knownFollowers == nil { return true }
      return (needs.profile && facts.view.counts == nil) || needsPresence(of: facts)
    }.map(\.view.account)
    let found = try await AccountViews(client: listings.profiles).outcomes(of: missing)
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
    let found = hidden.isEmpty ? [:] : try await listings.statuses.outcomes(of: hidden)
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
    guard let repository = listings.repository else {
      fault = fault ?? RelationshipError.clientNotConfigured
      return
    }
    let activity = AccountActivity(
      repository: repository, identities: listings.identities, time: listings.client.time)
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

extension AccountPredicate.Needs {
  /// Whether profiles may have to be read.
  fileprivate var asksProfiles: Bool { profile || status || names || marks || knownFollowers }
}
