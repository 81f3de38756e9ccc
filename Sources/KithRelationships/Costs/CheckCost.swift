// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// Counts the calls needed to answer queries about one actor, from the queries alone.
package struct CheckCost: Sendable {
  private let actor: ATIdentifier
  /// Handles that the actor's own call resolves, including the actor's.
  private let resolvedFirst: Set<Handle>
  private let verification: FollowRelationshipService.Verification
  private let wantsNames: Bool
  private let tellsMutes: Bool
  /// Whether the verdict may depend on the AppView showing a target.
  private let needsPresence: Bool
  /// Listings that add targets, with their number of entries; nil if unknown.
  private var listings: [(kind: ActorListing, count: Int?, needs: AccountPredicate.Needs)] = []
  private var seen: Set<RelationshipQuestion.Target> = []
  private var inputs = 0
  private var repetitions = 0
  /// Distinct targets other than the actor.
  private var others = 0
  private var hasHandles = false
  /// Handles that the actor's call does not resolve.
  private var later = 0
  /// Handles in the current batch, and whether one of them needs a call.
  private var batch = (size: 0, needsCall: false)
  private var batchCalls = 0
  /// Recent changes that the answers may contradict.
  private var ownChanges = 0

  /// Creates a count without targets.
  ///
  /// - Parameters:
  ///   - companions: handles that the actor's own call may also resolve, as passed to
  ///     ``IdentityDirectory/did(of:with:)``.
  ///   - verification: which accounts are verified to exist.
  ///   - wantsNames: whether to look up the names of targets that do not come from a listing.
  ///   - tellsMutes: whether the actor is the viewer, so mutes are included.
  ///   - predicate: what is asked about each target; nil for nothing.
  package init(
    actor: ATIdentifier, companions: [Handle] = [],
    verification: FollowRelationshipService.Verification = .off, wantsNames: Bool = false,
    tellsMutes: Bool = false, predicate: AccountPredicate? = nil
  ) {
    self.actor = actor
    self.verification = verification
    self.wantsNames = wantsNames
    self.tellsMutes = tellsMutes
    needsPresence = predicate?.needs.contains(.presence) ?? false
    resolvedFirst =
      switch actor {
      case .did: []
      case .handle(let handle): Set(IdentityDirectory.firstCall(of: handle, with: companions))
      }
  }

  /// Adds a target; an unreadable one costs nothing.
  package mutating func add(_ target: RelationshipQuestion.Target) {
    inputs += 1
    guard seen.insert(target).inserted else {
      repetitions += 1
      return
    }
    switch target {
    case .unreadable: break
    case .did(let did):
      if actor != .did(did) { others += 1 }
    case .handle(let handle):
      hasHandles = true
      // A known handle takes a place in a batch but needs no call; `handle.invalid` is known not to
      // resolve.
      batch.size += 1
      if !handle.isInvalid, actor != .handle(handle) { others += 1 }
      if !handle.isInvalid, !resolvedFirst.contains(handle) {
        later += 1
        batch.needsCall = true
      }
      if batch.size == HandleResolver.batchSize { endBatch() }
    }
  }

  /// Adds a listing.
  ///
  /// - Parameters:
  ///   - count: its entries as the AppView counts them; nil if unknown.
  ///   - needs: the facts needed to filter its entries.
  package mutating func add(
    _ listing: ActorListing, count: Int?, needs: AccountPredicate.Needs = AccountPredicate.Needs()
  ) {
    listings.append((listing, count, needs))
  }

  /// Adds changes that were made on this machine a short time ago: an AppView that does not show one yet costs a
  /// call, see ``OwnChangesRelationshipSource``.
  package mutating func addOwnChanges(_ count: Int) { ownChanges += count }

  private mutating func endBatch() {
    if batch.needsCall { batchCalls += 1 }
    batch = (0, false)
  }

  /// The cost of everything added so far.
  ///
  /// - Parameters:
  ///   - isSlow: whether targets may arrive slowly, so calls are sent before they are full.
  ///   - concurrency: concurrent calls.
  package func plan(isSlow: Bool = false, concurrency: Int = 8) -> CostPlan {
    var total = self
    total.endBatch()
    return total.ended(isSlow: isSlow, concurrency: concurrency)
  }

  private func ended(isSlow: Bool, concurrency: Int) -> CostPlan {
    var plan = CostPlan(concurrency: concurrency)
    plan.addHandles(resolvedFirst.count)
    for listing in listings { plan.addListing(listing.kind, entries: listing.count, needs: listing.needs) }
    plan.addHandles(later, calls: batchCalls)
    var assumptions: CostPlan.Assumptions = listings.isEmpty ? [] : .counts
    if hasHandles || !resolvedFirst.isEmpty { assumptions.insert(.existence) }
    let window = FollowRelationshipService.windowSize(
      concurrency: concurrency, batch: AppViewRelationshipSource.targetsPerCall)
    if isSlow || repetitions > 0 && inputs > window { assumptions.insert(.input) }
    let listed = listings.reduce(into: Int?(0)) { sum, listing in
      sum = sum.flatMap { sum in listing.count.map { sum + $0 } }
    }
    plan.targets = listed.map { others + (seen.contains(itself) ? 1 : 0) + $0 }
    let asked = listed.map { others + $0 }
    // A page that arrives late leaves a partial batch behind.
    let cuts = listings.reduce(0) { $0 + CostPlan.pages($1.count ?? 0) }
    func calls(_ count: Int?, of size: Int) -> Int? { count.map { CostPlan.batches($0, of: size) + cuts } }
    plan.add(
      "\(App.Bsky.Graph.GetRelationships.nsid)",
      calls: calls(asked, of: AppViewRelationshipSource.targetsPerCall),
      payload: (asked ?? 0) * CostPlan.bytesPerTarget, assuming: assumptions)
    plan.add(
      "\(Com.Atproto.Repo.GetRecord.nsid)",
      calls: min(ownChanges, 2 * (asked ?? ownChanges), OwnChangesRelationshipSource.mostReads),
      assuming: .facts)
    if tellsMutes, asked != 0 { plan.addMutes(of: asked, assuming: assumptions) }
    switch verification {
    case .all where inputs > 0 || !listings.isEmpty:
      let verified = asked.map { $0 + 1 }
      plan.add(
        CostPlan.profiles, calls: calls(verified, of: HandleResolver.batchSize),
        payload: (verified ?? 0) * CostPlan.bytesPerProfile, assuming: assumptions.union(.existence))
    case .only(let accounts) where !accounts.isEmpty:
      plan.add(
        CostPlan.profiles, calls: CostPlan.batches(accounts.count, of: HandleResolver.batchSize),
        payload: accounts.count * CostPlan.bytesPerProfile, assuming: assumptions.union(.existence))
    default: break
    }
    // Targets of listings are shown, and verified ones are known.
    let unverified = needsPresence ? others - verifiedTargets : 0
    plan.add(
      CostPlan.profiles, calls: CostPlan.batches(unverified, of: AccountViews.batchSize),
      payload: unverified * CostPlan.bytesPerProfile, assuming: assumptions.union(.facts))
    if wantsNames {
      plan.add(
        CostPlan.profiles, calls: calls(others, of: AccountViews.batchSize),
        payload: others * CostPlan.bytesPerProfile, assuming: assumptions)
    }
    return plan
  }

  /// The number of targets whose existence is verified in any case.
  private var verifiedTargets: Int {
    switch verification {
    case .off: 0
    case .only(let accounts): accounts.count { actor != .did($0) && seen.contains(.did($0)) }
    case .all: others
    }
  }

  /// The actor as a target.
  private var itself: RelationshipQuestion.Target {
    switch actor {
    case .did(let did): .did(did)
    case .handle(let handle): .handle(handle)
    }
  }
}
