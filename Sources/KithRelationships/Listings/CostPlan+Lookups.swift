// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// The calls of which lookups and listings consist.
extension CostPlan {
  package static let profiles = "app.bsky.actor.getProfiles"
  /// Assumed size of a profile in an answer of `getProfiles`.
  package static let bytesPerProfile = 900

  /// Assumed bytes of a DID in a query for relationships and of its row in the answer, with an edge in every second
  /// row.
  static let bytesPerTarget = 190

  /// Adds the cost of looking up the profiles of this many accounts.
  mutating func addNames(of count: Int?, assuming assumptions: Assumptions) {
    add(
      Self.profiles, calls: count.map { Self.batches($0, of: AccountViews.batchSize) + Self.pages($0) },
      payload: (count ?? 0) * Self.bytesPerProfile, assuming: assumptions)
  }

  /// Adds the cost of learning the relationships with this many accounts, 30 per call.
  ///
  /// - Parameter more: further calls, for batches that are not full.
  package mutating func addRelationships(
    of count: Int?, more: Int? = 0, assuming assumptions: Assumptions = [.counts, .facts]
  ) {
    add(
      "\(App.Bsky.Graph.GetRelationships.nsid)",
      calls: count.map { Self.batches($0, of: AppViewRelationshipSource.targetsPerCall) + (more ?? 0) },
      payload: (count ?? 0) * Self.bytesPerTarget, assuming: assumptions)
  }

  /// Adds the cost of learning which of this many targets the viewer mutes; see
  /// ``MutingRelationshipSource``.
  ///
  /// - Parameter count: nil if unknown.
  package mutating func addMutes(of count: Int?, assuming assumptions: Assumptions) {
    let size = AppViewRelationshipSource.targetsPerCall
    let most = MutingRelationshipSource.profiledTargets
    add(
      Self.profiles, calls: MutingRelationshipSource.profileCalls(for: count ?? .max, inBatchesOf: size),
      payload: min(count ?? most, most) * Self.bytesPerProfile, assuming: assumptions)
    guard count.map({ $0 > most }) ?? true else { return }
    add("\(App.Bsky.Graph.GetListMutes.nsid)", calls: 1, assuming: assumptions)
    add("\(App.Bsky.Graph.GetMutes.nsid)", calls: 1, assuming: assumptions.union(.mutes))
  }

  /// Adds the cost of asking this many accounts' servers for the last change of the repository.
  mutating func addActivity(of count: Int?) {
    let upTo: Assumptions = [.counts, .facts]
    add(CallMeter.documents, calls: count, payload: 1_000 * (count ?? 0), assuming: upTo)
    add(
      "\(Com.Atproto.Sync.GetLatestCommit.nsid)", calls: count, payload: 200 * (count ?? 0), assuming: upTo)
  }

  /// Adds what it takes to read friend records of other accounts: who they are, this many records of each, and, because
  /// a block makes a request void, the relationships with those where there is one.
  package mutating func addFriendRecords(targets: Int?, each records: Int) {
    add(CallMeter.documents, calls: targets, payload: 1_000 * (targets ?? 0), assuming: .counts)
    addRecords(FriendRequest.collection, count: nil)
    addRecords(FriendAnswer.collection, count: nil)
    add(
      "\(Com.Atproto.Repo.GetRecord.nsid)", calls: targets.map { records * $0 },
      payload: 500 * records * (targets ?? 0), assuming: .counts)
    addRelationships(of: targets, more: targets.map(Self.pages))
  }

  /// Adds the cost of reading an AppView listing with this many entries.
  ///
  /// A page holds up to 100 entries. Servers count entries that they leave out, skip them page by page, and
  /// may send an empty page after each full one (Q11, Q12).
  /// - Parameter count: entries as the server counts them; nil if unknown.
  package mutating func addListing(_ method: NSID, entries count: Int?) {
    add(
      "\(method)", calls: count.map { 2 * Self.pages($0) }, payload: (count ?? 0) * 600, inTurn: true,
      assuming: .counts)
  }

  /// Adds the cost of listing this many records of a repository.
  ///
  /// - Parameters:
  ///   - count: number of records as an AppView counts them; nil if it does not.
  ///   - times: how often they are listed.
  package mutating func addRecords(
    _ collection: NSID, count: Int?, times: Int = 1, assuming assumptions: Assumptions = .counts
  ) {
    add(
      "com.atproto.repo.listRecords", of: collection, calls: count.map { times * Self.recordPages($0) },
      payload: times * (count ?? 0) * 300, inTurn: true, assuming: assumptions)
  }

  /// Adds the cost of resolving handles.
  ///
  /// - Parameter calls: nil for full batches of 25.
  package mutating func addHandles(_ count: Int, calls: Int? = nil) {
    add(
      Self.profiles, calls: calls ?? Self.batches(count, of: HandleResolver.batchSize),
      payload: count * Self.bytesPerProfile, assuming: .existence)
  }

  /// Pages of a listing with this many entries; the last one may be empty.
  static func pages(_ count: Int) -> Int { count / Listings.pageSize + 1 }

  /// Pages for this many records: an inclusive cursor gives 99 new ones per page, and the end may be an
  /// empty page (table of PDSes).
  static func recordPages(_ count: Int) -> Int { batches(count, of: 99) + 1 }
}

extension MutingRelationshipSource {
  /// The most calls for profiles that a number of targets takes, which come in batches.
  package static func profileCalls(for count: Int, inBatchesOf size: Int) -> Int {
    let profiled = min(count, profiledTargets)
    return profiled / size * CostPlan.batches(size, of: HandleResolver.batchSize)
      + CostPlan.batches(profiled % size, of: HandleResolver.batchSize)
  }
}
