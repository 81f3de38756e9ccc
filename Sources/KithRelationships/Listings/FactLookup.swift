// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

/// A way to learn facts about a batch of accounts, and what it costs.
struct FactLookup: Sendable {
  /// When it is used among others: cheap ones first, so that the others are about fewer accounts. A lookup may rely on
  /// what earlier ones have learned.
  enum Order: Int { case relationships, profiles, statuses, lists, activity, friendships, rows }

  /// Learns facts about accounts.
  ///
  /// - Parameter wanted: the facts of this lookup that are needed.
  typealias Learn =
    @Sendable (_ reader: inout FactReader, _ accounts: inout [AccountFacts], _ wanted: Set<AccountFact>)
    async throws
    -> Void
  /// Adds what it costs to learn them about this many accounts, at most; nil if their number is unknown.
  typealias Cost =
    @Sendable (_ plan: inout CostPlan, _ count: Int?, _ wanted: Set<AccountFact>, _ origin: AccountOrigin) ->
    Void

  let order: Order
  /// What it is about besides the accounts. Lookups of one order and parameter are the same.
  let parameter: AccountFact.Parameter
  let learn: Learn
  let addCost: Cost

  init(
    _ order: Order, _ parameter: AccountFact.Parameter = .none, learn: @escaping Learn,
    costing addCost: @escaping Cost
  ) {
    (self.order, self.parameter, self.learn, self.addCost) = (order, parameter, learn, addCost)
  }

  /// The lookups of facts with the facts of each, in the order in which they are used.
  static func lookups(of facts: Set<AccountFact>) -> [(lookup: FactLookup, wanted: Set<AccountFact>)] {
    struct Key: Hashable {
      let order: Order
      let parameter: AccountFact.Parameter
    }
    let groups = Dictionary(grouping: facts) { Key(order: $0.lookup.order, parameter: $0.lookup.parameter) }
    return groups.values.compactMap { group in group.first.map { (lookup: $0.lookup, wanted: Set(group)) } }
      .sorted { $0.lookup.position < $1.lookup.position }
  }

  private var position: (Int, Int, String) {
    let (rank, text): (Int, String) =
      switch parameter {
      case .none: (0, "")
      case .party(.actor): (1, "")
      case .party(.viewer): (2, "")
      case .party(.account(let account)): (3, "\(account)")
      case .list(let list): (4, list)
      }
    return (order.rawValue, rank, text)
  }
}

/// Where the accounts come from about which facts are needed.
package enum AccountOrigin: Sendable {
  /// They are named: nothing is known of them. The dates of the actor's follows are in its records, of which there are
  /// this many; nil if unknown.
  case named(follows: Int? = nil)
  /// They are named, and may block the actor.
  case blockers
  /// They are those of a listing.
  case listing(ActorListing)

  fileprivate func has(_ fact: AccountFact) -> Bool {
    if case .listing(let listing) = self { fact.isListed(listing) } else { false }
  }

  /// Whether a call finds out which account a party is.
  fileprivate func isUnresolved(_ party: AccountPredicate.Party) -> Bool {
    switch (party, self) {
    case (.account(.handle), _): true
    case (.actor, .listing(let listing)): if case .handle = listing.actor { true } else { false }
    case (.account(.did), _), (.actor, _), (.viewer, _): false
    }
  }
}

extension CostPlan {
  fileprivate static let upTo: Assumptions = [.counts, .facts]

  /// Adds the cost of the facts that a predicate needs about this many accounts.
  ///
  /// - Parameters:
  ///   - count: an upper bound; nil if unknown.
  ///   - origin: where the accounts come from.
  package mutating func addQuestions(
    about count: Int?, needs: AccountPredicate.Needs, from origin: AccountOrigin = .named()
  ) {
    if count == 0 { return }
    let lookups = FactLookup.lookups(of: needs.facts.filter { !origin.has($0) })
    let parties = Set(
      lookups.compactMap { if case .party(let party) = $0.lookup.parameter { party } else { nil } })
    let unresolved = parties.count(where: origin.isUnresolved)
    addHandles(unresolved, calls: unresolved)
    for (lookup, wanted) in lookups { lookup.addCost(&self, count, wanted, origin) }
  }
}

extension FactLookup {
  /// Asks for relationships, 30 a call.
  static func relationships(with party: AccountPredicate.Party) -> FactLookup {
    FactLookup(.relationships, .party(party)) { reader, accounts, wanted in
      try await reader.relate(&accounts, to: party, wanted)
    } costing: { plan, count, wanted, origin in
      if wanted.contains(.date), case .named(let follows) = origin {
        plan.addRecords(.follow, count: follows)
      }
      // A page that arrives late leaves a partial batch behind.
      plan.addRelationships(of: count, more: count.map(CostPlan.pages), assuming: .counts)
      if case .account = party {
        // Whether the AppView shows it.
        plan.add(CostPlan.profiles, calls: 1, payload: CostPlan.bytesPerProfile, assuming: CostPlan.upTo)
      }
      if wanted.contains(.mute(by: party)) { plan.addMutes(of: count, assuming: CostPlan.upTo) }
    }
  }

  /// Reads profiles, 25 a call.
  static let profiles = FactLookup(.profiles) { reader, accounts, wanted in
    try await reader.readProfiles(of: &accounts, wanted)
  } costing: { plan, count, _, _ in
    plan.addNames(of: count, assuming: CostPlan.upTo)
  }

  /// Asks about each account that the AppView does not show; their number is unknown.
  static let statuses = FactLookup(.statuses) { reader, accounts, _ in
    try await reader.readStatuses(of: &accounts)
  } costing: { plan, _, _, _ in
    plan.add("\(App.Bsky.Actor.GetProfile.nsid)", calls: nil)
    plan.add(CallMeter.documents, calls: nil)
    plan.add("\(Com.Atproto.Sync.GetRepoStatus.nsid)", calls: nil)
  }

  /// Reads a list once.
  static func members(of list: String) -> FactLookup {
    FactLookup(.lists, .list(list)) { reader, accounts, _ in
      try await reader.readMembership(of: &accounts, in: list)
    } costing: { plan, _, _, _ in
      switch try? RecordInput(parsing: list) {
      case let input?:
        if case .handle = input.owner { plan.addHandles(1) }
        if input.kind == .starterPack {
          plan.add("\(Com.Atproto.Repo.GetRecord.nsid)", of: .starterpack, calls: 1, payload: 300)
        }
      case nil: plan.addRecords(.list, count: nil)
      }
      // No server says how long a list is before it is read, nor whether the AppView shows all of it.
      plan.add("\(App.Bsky.Graph.GetList.nsid)", calls: nil)
      plan.add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .facts)
      plan.addRecords(.listitem, count: nil)
    }
  }

  /// Asks the server of each account, which its document names.
  static let activity = FactLookup(.activity) { reader, accounts, _ in
    try await reader.readActivity(of: &accounts)
  } costing: { plan, count, _, _ in
    plan.addActivity(of: count)
  }

  /// Reads the requests and answers between each account and a party.
  static func friendships(with party: AccountPredicate.Party) -> FactLookup {
    FactLookup(.friendships, .party(party)) { reader, accounts, _ in
      try await reader.readFriendships(of: &accounts, with: party)
    } costing: { plan, count, _, _ in
      // The server of the party.
      plan.add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .facts)
      // A request, and the answer to one.
      plan.addFriendRecords(targets: count, each: 2)
    }
  }

  /// Asks for the relationship of the viewer where the listing does not say it, 30 a call.
  static let viewerRelationship = FactLookup(.rows) { reader, accounts, _ in
    try await reader.relateToViewer(&accounts)
  } costing: { plan, count, _, _ in
    plan.addRelationships(of: count, more: count.map(CostPlan.pages), assuming: CostPlan.upTo)
  }
}
