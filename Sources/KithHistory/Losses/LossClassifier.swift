// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// Finds out what happened to accounts that are missing from a listing, in batches.
struct LossClassifier: Sendable {
  private let client: XRPCClient
  private let relationships: FollowRelationshipService
  private let statuses: AccountStatuses
  private let repository: Listings.RepositoryClient?
  private let listings: Listings

  init(_ listings: Listings) {
    self.listings = listings
    client = listings.client
    repository = listings.repository
    relationships = listings.freshRelationships
    statuses = listings.statuses
  }

  /// The record keys of accounts' follows of an actor, for the accounts that the AppView answers for, and whether all
  /// of them were answered.
  func recordKeys(
    of accounts: [DID], following actor: DID
  ) async throws -> (edges: [HistoryEdge], isComplete: Bool) {
    var (edges, isComplete) = ([HistoryEdge](), true)
    for try await answer in relationships.relationships(of: actor, with: accounts) {
      switch answer.state {
      case .known(let info):
        if let key = info.followedBy?.recordKey { edges.append(HistoryEdge(info.target, rkey: key)) }
      case .failed: isComplete = false
      case .itself, .notFound: break
      }
    }
    return (edges, isComplete)
  }

  /// The relationships of an actor with accounts, and the accounts that the AppView does not know. Those whose lookup fails
  /// are left out.
  func known(
    of actor: DID, with accounts: Set<DID>
  ) async throws -> (found: [DID: RelationshipInfo], unknown: Set<DID>) {
    var (found, unknown) = ([DID: RelationshipInfo](), Set<DID>())
    for try await answer in relationships.relationships(of: actor, with: accounts) {
      switch answer.state {
      case .known(let info): found[info.target] = info
      case .notFound: if let account = answer.target { unknown.insert(account) }
      case .itself, .failed: break
      }
    }
    return (found, unknown)
  }

  /// The missing accounts that are lost.
  ///
  /// - Parameters:
  ///   - malformed: keys of records that exist but cannot be read.
  ///   - single: how many accounts or records may be asked about one by one; lowered by those that were.
  ///     Nothing is concluded about the others.
  /// - Throws: errors that concern all of them: the actor does not exist, its repository cannot be read;
  ///   `CancellationError`. Nothing is concluded about an account whose lookup fails.
  func losses(
    among batch: [HistoryEdge], of listing: HistoryListing, _ malformed: Set<RecordKey>,
    _ single: inout Int
  ) async throws -> [HistoryLoss] {
    switch listing.side {
    case .followers where listing.graph != .bluesky:
      return try await classifyFollowers(batch, of: listing, &single)
    case .followers: return try await classifyFollowers(batch.map(\.account), of: listing.actor, &single)
    case .mutes: return try await judgeMuted(batch.map(\.account), &single)
    case .follows, .blocks, .members:
      let evidence = Evidence([.init(.records, .noRecord)])
      let cause: LossCause = listing.side == .follows ? .unfollowed : .removed
      // A malformed record may be the edge of the missing account.
      let readable = batch.filter { edge in edge.rkey.map { !malformed.contains($0) } ?? true }
      let missing = readable.prefix(max(0, single))
      single -= missing.count
      let present = try await present(Array(missing), of: listing)
      return missing.filter { edge in edge.rkey.map { !present.contains($0) } ?? true }
        .map { HistoryLoss($0.account, cause, evidence) }
    }
  }

  /// Records that exist although the listing leaves them out. Each is requested by its key, because reading
  /// the listing again would leave out the same ones.
  private func present(_ edges: [HistoryEdge], of listing: HistoryListing) async throws -> Set<RecordKey> {
    guard let repository else { return [] }
    let lookup = RecordLookup(of: listing.actor, client: try await repository(listing.actor))
    let names = edges.compactMap { edge in
      listing.record(of: edge)?.collection.flatMap { collection in
        edge.rkey.map { RecordName($0, in: collection) }
      }
    }
    return Set(try await lookup.each(Set(names)).keys.map(\.rkey))
  }

  private func classifyFollowers(
    _ accounts: [DID], of actor: DID, _ single: inout Int
  ) async throws -> [HistoryLoss] {
    var evidence: [DID: Evidence] = [:]
    for try await answer in relationships.relationships(of: actor, with: accounts) {
      switch answer.state {
      case .known(let info): evidence[info.target] = Evidence(info)
      case .itself, .notFound, .failed: break
      }
    }
    // A block is explanation enough; the others need their profiles.
    let open = accounts.filter { account in
      evidence[account].map { !$0.has(.blockedBy) } ?? false
    }
    let found = try await statuses.survey(open, &single)
    for account in open {
      // An account whose status was not asked for must not count as one that is there.
      guard let outcome = found[account]?.outcome else {
        evidence[account] = nil
        continue
      }
      evidence[account]?.findings += outcome.evidence.findings
    }
    return accounts.compactMap { account in
      guard let evidence = evidence[account], case .lost(let cause) = LossVerdict(follower: evidence) else {
        return nil
      }
      return HistoryLoss(account, cause, evidence)
    }
  }

  /// Followers in the graph of another app, by their own repositories: an index may lack a record that is there.
  private func classifyFollowers(
    _ edges: [HistoryEdge], of listing: HistoryListing, _ single: inout Int
  ) async throws -> [HistoryLoss] {
    let asked = Array(edges.prefix(max(0, single)))
    single -= asked.count
    var losses: [HistoryLoss] = []
    var unseen: [DID] = []
    for (edge, answer) in zip(asked, try await follows(of: asked, on: listing)) {
      switch answer {
      case .absent(unreadable: 0):
        losses.append(HistoryLoss(edge.account, .unfollowed, Evidence([.noRecord])))
      case .unseen: unseen.append(edge.account)
      case .absent, .found, .tooLong, .failed, nil: break
      }
    }
    for (account, found) in try await statuses.survey(unseen, &single) {
      let evidence = found.outcome.evidence
      if let cause = LossCause(evidence.status) { losses.append(HistoryLoss(account, cause, evidence)) }
    }
    return losses
  }

  /// What the repositories of followers say about their follows; nil for one that decides nothing: it does not answer,
  /// or is not read to its end.
  func repositories(
    of followers: [HistoryEdge], about listing: HistoryListing
  ) async throws -> [RepositoryPoll.Answer?] {
    try await follows(of: followers, on: listing).map { answer in
      switch answer {
      case .found(let view): .follows(view.record?.recordKey)
      case .absent(unreadable: 0): .noFollow
      case .absent, .unseen, .tooLong, .failed, nil: nil
      }
    }
  }

  /// Repositories that are read at the same time.
  private static let repositoriesAtOnce = 8
  /// How far one is read: 2,000 follows.
  private static let bounds = FollowSearchBounds(pages: 20, time: .seconds(20))
  /// After this time, no further repository is asked.
  private static let mostTime = Duration.seconds(300)

  /// Nil for a repository that was not asked anymore.
  private func follows(
    of followers: [HistoryEdge], on listing: HistoryListing
  ) async throws -> [Listings.FollowAnswer?] {
    let (graph, start) = (listing.graph ?? .bluesky, client.time.now)
    return try await followers.concurrentMap(atMost: Self.repositoriesAtOnce) { [client, listings] edge in
      guard client.time.now - start < Self.mostTime else { return nil }
      return try await listings.follow(
        from: edge.account, to: listing.actor, in: graph, knownAs: edge.rkey, within: Self.bounds)
    }
  }

  private func judgeMuted(_ accounts: [DID], _ single: inout Int) async throws -> [HistoryLoss] {
    var states: [DID: MuteState] = [:]
    for (account, outcome) in try await MuteStates(client: client).outcomes(of: accounts) {
      if case .success(let state?) = outcome { states[account] = state }
    }
    // A mute that holds but is not listed shows that the listing is incomplete.
    let isListingWhole = !states.values.contains { $0.direct == .scope(.everything) }
    var evidence: [DID: Evidence] = [:]
    for account in accounts {
      guard let state = states[account] else { continue }
      let answer: Evidence.Answer =
        switch state.direct {
        case .scope(.everything): .muted
        // A muted list hides whether there is also a direct mute: only the listing shows that (Q9).
        case .hidden: state.list != nil && isListingWhole ? .mutedByList : .muted
        case .absent, .scope: .notMuted
        }
      evidence[account] = Evidence([.init(.profiles, answer)])
    }
    for (account, found) in try await statuses.survey(accounts.filter { evidence[$0] == nil }, &single) {
      evidence[account] = found.outcome.evidence
    }
    return accounts.compactMap { account in
      guard let evidence = evidence[account], case .lost(let cause) = LossVerdict(muted: evidence) else {
        return nil
      }
      return HistoryLoss(account, cause, evidence)
    }
  }
}
