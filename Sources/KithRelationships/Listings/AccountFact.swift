// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Something about an account that a predicate or a row needs.
///
/// The facts below are a table that a filter and an estimate walk alike: how each is learned, and what that costs.
/// A new fact is one more value.
package struct AccountFact: Sendable, Hashable {
  /// What a fact is about besides the account.
  enum Parameter: Sendable, Hashable {
    case none
    case party(AccountPredicate.Party)
    /// A list, as it was typed.
    case list(String)
  }

  /// Its name. Facts of one name and parameter are the same fact.
  package let name: String
  let parameter: Parameter
  /// How it is learned, and what that costs.
  let lookup: FactLookup
  /// The facts that are learned first.
  let requirements: [AccountFact]
  /// Whether it depends on which account is signed in.
  let isAboutViewer: Bool
  /// Whether a listing has it for its accounts.
  let isListed: @Sendable (ActorListing) -> Bool
  /// Whether an account has to be asked about. The predicate is nil if all accounts pass.
  let isMissing: @Sendable (AccountFacts, AccountPredicate?) -> Bool

  init(
    _ name: String, _ parameter: Parameter = .none, by lookup: FactLookup,
    after requirements: [AccountFact] = [],
    isAboutViewer: Bool = false, isListed: @escaping @Sendable (ActorListing) -> Bool = { _ in false },
    isMissing: @escaping @Sendable (AccountFacts, AccountPredicate?) -> Bool = { _, _ in true }
  ) {
    (self.name, self.parameter, self.lookup, self.requirements) = (name, parameter, lookup, requirements)
    (self.isAboutViewer, self.isListed, self.isMissing) = (isAboutViewer, isListed, isMissing)
  }

  package static func == (one: AccountFact, other: AccountFact) -> Bool {
    one.name == other.name && one.parameter == other.parameter
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(parameter)
  }

  /// The other account that it is about.
  var party: AccountPredicate.Party? { if case .party(let party) = parameter { party } else { nil } }
}

// MARK: The table

extension AccountFact {
  package typealias Party = AccountPredicate.Party

  /// The relationship with a party.
  package static func relationship(with party: Party) -> AccountFact {
    AccountFact("relationship", .party(party), by: .relationships(with: party))
  }

  /// Whether a party mutes the account; only the viewer's mutes are known (Q9).
  package static func mute(by party: Party) -> AccountFact {
    AccountFact("mute", .party(party), by: .relationships(with: party))
  }

  /// When the edge between the actor and the account was created. Of the listings with such an edge, that of followers
  /// has no records with dates.
  package static let date = AccountFact(
    "date", by: .relationships(with: .actor),
    isListed: { listing in if case .followers = listing { false } else { true } },
    isMissing: { facts, _ in facts.view.since == nil })

  /// Handle, display name and bio.
  package static let names = AccountFact(
    "names", by: .profiles, isListed: isShown, isMissing: { facts, _ in facts.view.handle == nil })

  /// Labels, picture and verification.
  package static let marks = AccountFact(
    "marks", by: .profiles, isListed: isShown,
    isMissing: { facts, _ in facts.view.handle == nil || facts.view.marks == nil })

  /// The counts of the profile, and when the account was created.
  package static let profile = AccountFact(
    "profile", by: .profiles, isMissing: { facts, _ in facts.view.handle == nil || facts.view.counts == nil })

  /// How many of those that the viewer follows follow the account.
  package static let knownFollowers = AccountFact(
    "knownFollowers", by: .profiles, isAboutViewer: true,
    isMissing: { facts, _ in facts.view.relationship?.knownFollowers == nil })

  /// Whether the AppView shows the account, where the result depends on that.
  package static let presence = AccountFact(
    "presence", by: .profiles, isListed: isShown,
    isMissing: { facts, predicate in predicate?.needsPresence(of: facts) == true })

  /// The status of the account. An account with a name is active.
  package static let status = AccountFact("status", by: .statuses, after: [.names])

  /// Whether the account is on a list, as it was typed.
  package static func membership(of list: String) -> AccountFact {
    AccountFact("membership", .list(list), by: .members(of: list))
  }

  /// When the repository of the account last changed.
  package static let activity = AccountFact("activity", by: .activity)

  /// Whether the account is a friend of a party, or waits.
  package static func friendship(with party: Party) -> AccountFact {
    AccountFact("friendship", .party(party), by: .friendships(with: party))
  }

  /// The relationship of the viewer with the account, for a row.
  package static let viewerRelationship = AccountFact("viewer", by: .viewerRelationship, isAboutViewer: true)

  /// Whether the AppView shows the accounts of a listing, or was asked about them: only blockers come from an index
  /// alone.
  private static let isShown: @Sendable (ActorListing) -> Bool = { listing in
    if case .blockers = listing { false } else { true }
  }
}

extension AccountPredicate.Term {
  /// The facts that decide it.
  var facts: [AccountFact] {
    switch self {
    case .relation(let relation, let party) where relation.isOfFriends: [.friendship(with: party)]
    case .relation(let relation, let party):
      [.relationship(with: party)] + (relation == .muted ? [.mute(by: party)] : [])
        + (relation == .following || relation == .blocking ? [] : [.presence])
    case .number(let number, _, let operand):
      [number, operand.number].compactMap(\.self).map { $0 == .knownFollowers ? .knownFollowers : .profile }
    case .mark, .label: [.marks]
    case .member(let list): [.membership(of: list)]
    case .words: [.names]
    case .moment(.followed, _, _): [.date]
    case .moment(.created, _, _): [.profile]
    case .moment(.active, _, _): [.activity]
    case .status: [.status]
    }
  }
}

extension Listings.Details {
  /// The facts of each detail.
  fileprivate static let facts: [(detail: Listings.Details, fact: AccountFact)] = [
    (.dates, .date), (.counts, .profile), (.status, .status), (.names, .names),
    (.requests, .friendship(with: .actor)), (.relationship, .viewerRelationship),
  ]
}

// MARK: Needs

extension AccountPredicate {
  /// The facts that a predicate and the details of rows need.
  public struct Needs: Sendable, Hashable {
    /// The facts, with those that are learned before one of them.
    private(set) var facts: Set<AccountFact> = []

    /// No needs.
    package init() {}

    /// Adds a fact.
    package mutating func insert(_ fact: AccountFact) {
      facts.insert(fact)
      for requirement in fact.requirements { insert(requirement) }
    }

    /// Whether a fact is needed.
    package func contains(_ fact: AccountFact) -> Bool { facts.contains(fact) }

    /// The same needs plus the given details.
    package func with(_ details: Listings.Details) -> Self {
      var needs = self
      for (detail, fact) in Listings.Details.facts where details.contains(detail) { needs.insert(fact) }
      return needs
    }

    /// The parties whose mutes are needed.
    package var mutes: Set<Party> { parties(AccountFact.mute) }
    /// The parties whose friendship matters.
    package var friendships: Set<Party> { parties(AccountFact.friendship) }

    /// The lists whose members are needed, as they were typed.
    package var lists: Set<String> {
      Set(facts.compactMap { if case .list(let list) = $0.parameter { list } else { nil } })
    }

    private func parties(_ fact: (Party) -> AccountFact) -> Set<Party> {
      Set(facts.compactMap(\.party).filter { facts.contains(fact($0)) })
    }

    /// Whether the relationship with one party is all that is needed.
    package func areOnlyRelationships(to party: Party) -> Bool {
      let own: Set<AccountFact> = [
        .relationship(with: party), .mute(by: party), .friendship(with: party), .presence,
      ]
      return facts.isSubset(of: own)
    }

    /// Whether it asks about the actor, by a relationship or its date.
    package var asksAboutActor: Bool { contains(.date) || relatesToActor }

    /// Whether it asks about a relationship with the actor.
    var relatesToActor: Bool { facts.contains { $0.party == .actor } }

    /// Whether it asks about the signed-in account.
    package var asksAboutViewer: Bool { facts.contains { $0.isAboutViewer || $0.party == .viewer } }
  }

  /// The facts that the predicate needs.
  package var needs: Needs {
    var needs = Needs()
    root.visit { term in for fact in term.facts { needs.insert(fact) } }
    return needs
  }
}
