// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// Leaves out accounts that are not to be shown, and learns what rows say about the others.
///
/// Profiles take one call for 25 accounts, which also say how the signed-in account and they are related. So blocks do not
/// depend on what a server leaves out. They are not read where an answer has said that already, and nothing else of them
/// is wanted.
struct PeopleFilter {
  private let predicate: AccountPredicate?
  private let isRecommendation: Bool
  private let readsProfiles: Bool
  private let viewer: AuthorizedAccount?
  private let dismissed: Set<DID>
  private let workspace: Workspace
  /// Receives what the filter leaves open.
  private let note: @Sendable (Note) -> Void
  private let views: AccountViews
  private let listings: Listings
  private let optOuts: RecommendationOptOuts
  /// Which accounts came already: pages of suggestions repeat some.
  private var seen: Set<DID> = []
  /// How many accounts were asked whether they want to be left out, and how many of them do not.
  private var (asked, recommendable) = (0, 0)
  private var labelers: [DID: AccountView] = [:]
  /// Why it could not be found out which accounts ask to be left out.
  private(set) var fault: (any Error)?

  /// - Parameters:
  ///   - predicate: a filter; nil for all.
  ///   - isRecommendation: whether accounts that are muted, dismissed, or ask for it are left out.
  ///   - readsProfiles: whether the profile of each account is read.
  ///   - viewer: the account that is signed in; nil for none.
  ///   - dismissed: accounts that are not suggested again.
  ///   - note: receives what the filter leaves open.
  init(
    where predicate: AccountPredicate?, isRecommendation: Bool, readingProfiles readsProfiles: Bool,
    as viewer: AuthorizedAccount?, without dismissed: Set<DID>, in workspace: Workspace,
    _ note: @escaping @Sendable (Note) -> Void
  ) {
    self.note = note
    self.predicate = predicate
    self.readsProfiles = readsProfiles
    self.isRecommendation = isRecommendation
    self.viewer = viewer
    self.dismissed = dismissed
    self.workspace = workspace
    let client = viewer?.appview ?? workspace.appview
    views = AccountViews(client: client)
    listings = workspace.listings(by: client, as: viewer?.did, usingCache: true)
    optOuts = RecommendationOptOuts(
      { [workspace] in try await workspace.repository(of: $0, by: workspace.cachedIdentities) },
      keeping: workspace.stores.cache?.discovery(), readIn: workspace.lastDay)
  }

  /// Why an account is left out.
  private enum Reason {
    case dismissed, notShown, blocked, muted, predicate
  }

  /// The rows of the first candidates that pass. What comes after the last of them is not counted.
  mutating func pass(
    _ candidates: [Candidate], most: Int, _ outcome: inout FindPeople.Outcome
  ) async throws -> [PersonRow] {
    var rows: [PersonRow] = []
    var left = candidates.filter { seen.insert($0.view.account).inserted }[...]
    while rows.count < most, !left.isEmpty {
      let part = left.prefix(max(AccountViews.batchSize, most - rows.count))
      left = left.dropFirst(part.count)
      var judged = try await judge(Array(part))[...]
      while rows.count < most, !judged.isEmpty {
        rows += try await show(from: &judged, most: most - rows.count, &outcome)
      }
    }
    return rows
  }

  /// The next rows, at most this many; fewer if some of them ask not to be recommended.
  private mutating func show(
    from judged: inout ArraySlice<(candidate: Candidate, reason: Reason?)>, most: Int,
    _ outcome: inout FindPeople.Outcome
  ) async throws -> [PersonRow] {
    var wanted: [Candidate] = []
    while wanted.count < most, let (candidate, reason) = judged.popFirst() {
      switch reason {
      case nil: wanted.append(candidate)
      case .dismissed?: outcome.dismissed += 1
      case .notShown?: outcome.notShown += 1
      case .blocked?: outcome.blocked += 1
      case .muted?: outcome.muted += 1
      case .predicate?: break
      }
    }
    let (checked, answers) = try await optOuts(of: wanted.map(\.view.account))
    // An account that cannot be asked may ask to be left out.
    let allowed = wanted.filter { !checked.contains($0.view.account) || answers[$0.view.account] == false }
    outcome.optedOut += wanted.count { answers[$0.view.account] == true }
    outcome.unreachable += checked.count { answers[$0] == nil }
    if isRecommendation { outcome.unchecked += wanted.count - checked.count }
    try await nameLabelers(of: allowed)
    return allowed.map { candidate in
      PersonRow(
        view: candidate.view,
        labels: (candidate.view.marks?.labels ?? []).map { label in
          PersonRow.Label(label: label, sourceName: labelers[label.source]?.name)
        }, closeness: candidate.closeness, followedBy: candidate.followedBy, lists: candidate.lists,
        isOptedOut: answers[candidate.view.account])
    }
  }

  /// What speaks against each candidate, with what the AppView says of the others.
  private mutating func judge(
    _ candidates: [Candidate]
  ) async throws -> [(candidate: Candidate, reason: Reason?)] {
    let asked = candidates.filter { needsProfile($0) && !dismissed.contains($0.view.account) }.map(
      \.view.account)
    let found = try await views.outcomes(of: asked, concurrency: workspace.concurrency)
    var judged: [(candidate: Candidate, reason: Reason?)] = []
    for var candidate in candidates {
      if dismissed.contains(candidate.view.account) {
        judged.append((candidate, .dismissed))
        continue
      }
      if needsProfile(candidate) {
        // Without an answer, a block may be there.
        guard let view = try found[candidate.view.account]?.get() else {
          judged.append((candidate, .notShown))
          continue
        }
        candidate.view = candidate.view.named(by: view)
      }
      judged.append((candidate, nil))
    }
    let (current, failure) = try await listings.current(judged.map(\.candidate.view))
    fault = fault ?? failure
    for place in judged.indices where judged[place].reason == nil {
      // Where the lookup failed, a block may be there.
      let isUnknown =
        current[place].relationship == nil && judged[place].candidate.view.relationship != nil
      judged[place].candidate.view = current[place]
      judged[place].reason = isUnknown ? .notShown : reason(against: current[place])
    }
    await workspace.names().remember(judged.map(\.candidate.view))
    let wanted = judged.filter { $0.reason == nil }.map(\.candidate.view.account)
    let matching = try await matching(wanted)
    return judged.map { candidate, reason in
      (candidate, reason ?? (matching.contains(candidate.view.account) ? nil : .predicate))
    }
  }

  /// Whether its profile has to be read: an answer that says nothing of the relationship does not say that there is no
  /// block.
  private func needsProfile(_ candidate: Candidate) -> Bool {
    readsProfiles || viewer != nil && candidate.view.relationship == nil
  }

  private func reason(against view: AccountView) -> Reason? {
    guard let viewer else { return nil }
    if view.account == viewer.did { return isRecommendation ? .predicate : nil }
    if view.relationship?.isBlocked == true { return .blocked }
    return isRecommendation && view.relationship?.muted == true ? .muted : nil
  }

  /// Those of some accounts that match the filter.
  ///
  /// - Throws: `SessionError` if it is about the signed-in account, and there is none.
  private mutating func matching(_ accounts: [DID]) async throws -> Set<DID> {
    guard let predicate, let first = accounts.first else { return Set(accounts) }
    if viewer != nil { return try await workspace.accounts(accounts, matching: predicate, note) }
    if predicate.needs.asksAboutActor { _ = try await workspace.account() }
    // Its terms are about the accounts alone, so it does not matter whose they are.
    let listings = try await workspace.listings(
      for: ListingQuery(.follows(of: .did(first)), where: predicate), usingCache: true)
    var found: Set<DID> = []
    let listing = ActorListing.follows(of: .did(first))
    var matches = listings.accounts(among: accounts, of: listing.actor, where: predicate).makeAsyncIterator()
    while let view = try await matches.next() { found.insert(view.account) }
    fault = fault ?? matches.coverage.fault
    note(.listed(ListingReport(listing, matches.coverage, areGiven: true)))
    return found
  }

  /// Whether the first of some accounts ask to be left out.
  private mutating func optOuts(of accounts: [DID]) async throws -> (checked: Set<DID>, answers: [DID: Bool])
  {
    guard isRecommendation else { return ([], [:]) }
    // Of those that are asked some are left out, but not without end.
    let most = min(FindPeople.mostChecked - recommendable, 2 * FindPeople.mostChecked - asked)
    let chosen = Array(accounts.prefix(max(0, most)))
    let (known, failure) = try await optOuts.answers(of: chosen)
    asked += chosen.count
    recommendable += chosen.count { known[$0] == false }
    fault = fault ?? failure
    return (Set(chosen), known)
  }

  private mutating func nameLabelers(of candidates: [Candidate]) async throws {
    let sources = Set(candidates.flatMap { $0.view.marks?.labels.map(\.source) ?? [] })
    let unknown = sources.filter { labelers[$0] == nil }
    if unknown.isEmpty { return }
    labelers.merge(try await workspace.names().views(of: unknown, asking: true)) { known, _ in known }
  }
}
