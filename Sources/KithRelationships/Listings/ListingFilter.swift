// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Learns the facts that are needed, in batches, and passes on the accounts that match.
struct ListingFilter: Sendable {
  /// Eight calls for relationships, and ten for profiles.
  static let batchSize = 8 * AppViewRelationshipSource.targetsPerCall

  /// The filter; nil passes all accounts, after the needed facts are learned.
  private let predicate: AccountPredicate?
  private let lookups: [(lookup: FactLookup, wanted: Set<AccountFact>)]
  private let relatesToActor: Bool
  private var reader: FactReader

  /// Number of accounts without a decision.
  private(set) var undecided = 0
  /// Number of accounts without a decision because the AppView does not show them.
  private(set) var unseen = 0
  /// Number of accounts without a decision that are deleted, as their directory or server says.
  private(set) var deleted = 0
  /// The first error.
  var fault: (any Error)? { reader.fault }

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

  init(_ predicate: AccountPredicate?, _ needs: AccountPredicate.Needs, _ reader: FactReader) {
    self.predicate = predicate
    self.reader = reader
    lookups = FactLookup.lookups(of: needs.facts)
    relatesToActor = predicate?.needs.relatesToActor == true
  }

  /// The accounts that match, with what was learned about them.
  ///
  /// - Throws: ``RelationshipError`` if a party does not exist; `CancellationError`.
  mutating func pass(_ views: [AccountView]) async throws -> [AccountView] {
    let views = try await others(among: views)
    var facts = possible(views.map { AccountFacts($0) })
    for (lookup, wanted) in lookups where !facts.isEmpty {
      try await lookup.learn(&reader, &facts, wanted)
      facts = possible(facts)
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

  /// The accounts without the actor, if the predicate is about its relationships: it has none with itself (Q4), so
  /// neither a relation nor its negation holds.
  private mutating func others(among views: [AccountView]) async throws -> [AccountView] {
    guard relatesToActor, let actor = try await reader.did(of: .actor) else { return views }
    return views.filter { $0.account != actor }
  }

  /// Counts an account without a decision by the reason.
  private mutating func count(_ facts: AccountFacts) {
    if facts.view.isShown != false || predicate?.needsPresence(of: facts) != true {
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
}
