// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

/// What accounts of this machine did a short time ago, and where their records are read.
package struct OwnChanges: Sendable {
  fileprivate let changes: any RecentChanges
  private let time: TimeSource
  private let repository: @Sendable (_ account: DID) async throws -> XRPCClient

  /// - Parameters:
  ///   - changes: what the accounts did; if it cannot be read, answers stay as they are.
  ///   - repository: returns a client of the server of an account's repository.
  package init(
    _ changes: any RecentChanges, time: TimeSource,
    repository: @escaping @Sendable (_ account: DID) async throws -> XRPCClient
  ) {
    (self.changes, self.time, self.repository) = (changes, time, repository)
  }

  /// A source whose answers include the changes, even if the AppView lags behind.
  package func shown(in source: any RelationshipSource) -> any RelationshipSource {
    OwnChangesRelationshipSource(source, changes: changes, time: time, repository: repository)
  }

  /// Those of some accounts with which an account's relationship was changed from either side.
  func touched(by account: DID, among others: [DID]) async -> Set<DID> {
    guard let changed = try? await changes.accounts(), !changed.isEmpty else { return [] }
    var touched: Set<DID> = []
    if changed.contains(account), let edges = try? await changes.edges(of: account, about: others) {
      touched.formUnion(edges.keys)
    }
    for other in others where other != account && changed.contains(other) {
      if (try? await changes.edges(of: other, about: [account]))?[account] != nil { touched.insert(other) }
    }
    return touched
  }

  /// Those of some accounts whose follow or block an account has deleted.
  func removed(from collection: NSID, by account: DID, among others: [DID]) async -> Set<DID> {
    guard let edges = try? await changes.edges(of: account, about: others) else { return [] }
    return Set(
      edges.filter { _, recent in
        let change = collection == .block ? recent.block : recent.follow
        return change.map { $0.made == nil && !$0.deleted.isEmpty && !$0.isInDoubt } == true
      }.keys)
  }
}

/// Corrects another source's answers about pairs that one of their accounts changed a short time ago, which an
/// AppView may not show yet (Q21).
///
/// Where an answer contradicts such a change, the record in the account's own repository decides, one call per
/// record. If that cannot be read, the change itself decides; a change whose outcome is in doubt proves
/// nothing, so the lookup of that target fails. Answers that agree cost no call. Both directions of a pair are
/// corrected.
package struct OwnChangesRelationshipSource: RelationshipSource {
  /// The most records that are read while answers are cached; of further contradictions, the changes decide.
  package static let mostReads = 100

  private let base: any RelationshipSource
  private let changes: any RecentChanges
  private let records: ExpiringValue<OwnRecordReads>

  package var batchSize: Int { base.batchSize }
  package var existenceBatchSize: Int { base.existenceBatchSize }

  /// Creates a source that wraps another one.
  ///
  /// - Parameters:
  ///   - changes: what the accounts of this machine did; if it cannot be read, answers stay as they are.
  ///   - repository: returns a client of the server of an account's repository.
  package init(
    _ base: any RelationshipSource, changes: any RecentChanges, time: TimeSource,
    repository: @escaping @Sendable (_ account: DID) async throws -> XRPCClient
  ) {
    self.base = base
    self.changes = changes
    records = ExpiringValue(time) { OwnRecordReads(repository, most: Self.mostReads) }
  }

  package func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
    var findings = try await base.relationships(of: actor, with: targets)
    let doubts = await doubts(of: findings, by: actor, among: targets)
    guard let first = doubts.first else { return findings }
    let records = records.value
    // The first one alone: if the server fails, the others need not wait for it as well.
    var verdicts = [try await records.verdict(on: first)]
    verdicts += try await doubts.dropFirst().concurrentMap(atMost: OwnRecordReads.lanes) { doubt in
      try await records.verdict(on: doubt)
    }
    for (doubt, verdict) in zip(doubts, verdicts) {
      findings[doubt.position] = findings[doubt.position].settling(doubt, by: verdict)
    }
    return findings
  }

  package func existing(among accounts: [DID]) async throws -> ExistenceFinding {
    try await base.existing(among: accounts)
  }

  package func forget() {
    base.forget()
    records.forget()
  }

  /// The edges whose answers contradict changes.
  private func doubts(
    of findings: [RelationshipFinding], by actor: DID, among targets: [DID]
  ) async -> [EdgeDoubt] {
    guard let changed = try? await changes.accounts(), !changed.isEmpty else { return [] }
    let own = changed.contains(actor) ? try? await changes.edges(of: actor, about: targets) : nil
    var doubts: [EdgeDoubt] = []
    for (position, finding) in findings.enumerated() {
      guard case .known(let info) = finding else { continue }
      doubts += EdgeDoubt.doubts(on: info, own?[info.target], ofActor: true, at: position)
      guard changed.contains(info.target), info.target != actor else { continue }
      let others = try? await changes.edges(of: info.target, about: [actor])
      doubts += EdgeDoubt.doubts(on: info, others?[actor], ofActor: false, at: position)
    }
    return doubts
  }
}

/// An edge of an answer that contradicts a change.
private struct EdgeDoubt: Sendable {
  /// The place of the answer.
  let position: Int
  /// Whether the edge is the actor's; else it is the target's.
  let isActors: Bool
  let collection: NSID
  let account: DID
  let other: DID
  let change: RecentEdges.Change
  let shown: ATURI?
  /// The record that decides.
  let rkey: RecordKey

  var record: ATURI { ATURI(authority: .did(account), collection: collection, recordKey: rkey) }

  static func doubts(
    on info: RelationshipInfo, _ edges: RecentEdges?, ofActor isActors: Bool, at position: Int
  ) -> [EdgeDoubt] {
    let sides: [(NSID, RecentEdges.Change?, ATURI?)] = [
      (.follow, edges?.follow, isActors ? info.following : info.followedBy),
      (.block, edges?.block, isActors ? info.blocking : info.blockedBy),
    ]
    return sides.compactMap { collection, change, shown in
      guard let change, let rkey = change.decidingRecord(for: shown, in: collection) else { return nil }
      return EdgeDoubt(
        position: position, isActors: isActors, collection: collection,
        account: isActors ? info.actor : info.target, other: isActors ? info.target : info.actor,
        change: change, shown: shown, rkey: rkey)
    }
  }

  /// The edge according to the repository.
  func edge(isThere: Bool) -> ATURI? { isThere ? record : nil }

  /// The edge according to the change; the answer's own one if the change is not about it.
  var journaled: Verdict {
    if change.made == rkey { return .decided(record, by: .journal) }
    return change.deleted.contains(rkey) ? .decided(nil, by: .journal) : .undecided
  }

  /// How a doubt was settled.
  enum Verdict: Sendable {
    /// The edge, or nil if there is none.
    case decided(ATURI?, by: RelationshipInfo.Source)
    /// Nothing but the answer itself is known.
    case undecided
    /// It is unknown whether the edge exists.
    case unknown(RelationshipError)
  }
}

/// Reads records of accounts' own repositories, up to a number, and not again from a server that fails.
private actor OwnRecordReads {
  static let lanes = 8

  private let repository: @Sendable (DID) async throws -> XRPCClient
  private var left: Int
  /// The first failure of each account's server.
  private var failures: [DID: RelationshipError] = [:]

  init(_ repository: @escaping @Sendable (DID) async throws -> XRPCClient, most: Int) {
    self.repository = repository
    left = most
  }

  /// - Throws: `CancellationError`.
  func verdict(on doubt: EdgeDoubt) async throws -> EdgeDoubt.Verdict {
    if let failure = failures[doubt.account] { return fallback(of: doubt, after: failure) }
    guard left > 0 else { return fallback(of: doubt, after: nil) }
    left -= 1
    do {
      let reader = RecordReader(of: doubt.account, client: try await repository(doubt.account))
      let value = try await reader.record(doubt.rkey, in: doubt.collection)
      let subject = value.flatMap { RecordEdge($0, in: doubt.collection)?.account }
      return .decided(doubt.edge(isThere: subject == doubt.other), by: .repository)
    } catch {
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      let cause = (error as? RepositoryError)?.underlying ?? error
      let failure = RelationshipError.wrapping(cause) ?? .networkError(cause)
      failures[doubt.account] = failure
      return fallback(of: doubt, after: failure)
    }
  }

  private func fallback(of doubt: EdgeDoubt, after failure: RelationshipError?) -> EdgeDoubt.Verdict {
    if doubt.change.isInDoubt { return .unknown(failure ?? .invalidResponse) }
    return doubt.journaled
  }
}

extension RelationshipFinding {
  /// The finding with a settled edge.
  fileprivate func settling(_ doubt: EdgeDoubt, by verdict: EdgeDoubt.Verdict) -> RelationshipFinding {
    guard case .known(let info) = self else { return self }
    switch verdict {
    case .undecided: return self
    case .unknown(let error): return .failed(error)
    case .decided(let edge, let source):
      // If two edges were settled, the less certain source is named.
      return .known(info.showing(edge, of: doubt).from(info.source == .journal ? .journal : source))
    }
  }
}

extension RelationshipInfo {
  fileprivate func showing(_ edge: ATURI?, of doubt: EdgeDoubt) -> RelationshipInfo {
    let isFollow = doubt.collection == .follow
    return RelationshipInfo(
      actor: actor, target: target,
      following: doubt.isActors && isFollow ? edge : following,
      followedBy: !doubt.isActors && isFollow ? edge : followedBy,
      blocking: doubt.isActors && !isFollow ? edge : blocking,
      blockedBy: !doubt.isActors && !isFollow ? edge : blockedBy,
      blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      mutesFault: mutesFault, checkedAt: checkedAt, source: source)
  }
}
