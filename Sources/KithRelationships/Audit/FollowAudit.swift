// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

/// Compares an account's follow records with what the AppView shows.
///
/// `getFollows` leaves out accounts that are gone, and accounts that block the actor or that it blocks
/// (Q11). Only the accounts that it leaves out are looked up.
struct FollowAudit: Sendable {
  /// Eight calls for relationships, and ten for profiles.
  private static let batchSize = ListingFilter.batchSize
  /// Accounts per batch of repository status calls.
  private static let activityBatch = 64
  /// How long an AppView may take to index a record.
  private static let mostLag: Duration = .seconds(3_600)

  private let account: DID
  private let pds: XRPCClient
  private let listings: Listings
  private let kinds: Set<AuditFinding.Kind>
  private let now: Instant
  private let inactiveSince: Instant

  init(of account: DID, pds: XRPCClient, listings: Listings, _ options: AccountAudit.Options) {
    self.account = account
    self.pds = pds
    self.listings = listings
    kinds = options.kinds
    now = pds.time.instant
    inactiveSince = now - options.inactiveFor
  }

  /// - Throws: ``RepositoryError``, ``RelationshipError``, `CancellationError`.
  func run(
    _ findings: inout [AuditFinding], _ coverage: inout AuditCoverage,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws {
    let follows = try await OwnEdges(.follow, of: account, client: pds) { progress(1) }
    coverage.follows = follows.count
    findings += follows.findings(in: account)
    guard !kinds.isDisjoint(with: AuditFinding.Kind.ofFollows) else { return }

    let followed = Set(follows.accounts)
    var unlisted = followed.subtracting([account])
    var unrecorded: [AccountView] = []
    var active: [AccountView] = []
    for try await view in listings.pages(of: .follows(of: .did(account))) {
      progress(1)
      if !followed.contains(view.account) {
        unrecorded.append(view)
      } else if unlisted.remove(view.account) != nil, kinds.contains(.inactive) {
        active.append(view)
      }
    }
    try await findGhosts(unrecorded, &findings, &coverage)
    for batch in unlisted.sorted(by: { "\($0)" < "\($1)" }).parts(of: Self.batchSize) {
      active += try await examine(batch, follows, &findings, &coverage)
    }
    guard kinds.contains(.inactive) else { return }
    for batch in active.parts(of: Self.activityBatch) {
      try await findInactive(batch, follows, &findings, &coverage)
    }
  }

  /// Relationships according to the AppView; failed lookups are added to the coverage.
  private func relationships(
    with accounts: [DID], _ coverage: inout AuditCoverage
  ) async throws -> [DID: RelationshipInfo] {
    var found: [DID: RelationshipInfo] = [:]
    for try await answer in listings.freshRelationships.relationships(of: account, with: accounts) {
      switch answer.state {
      case .known(let info): found[info.target] = info
      case .itself, .notFound: break
      case .failed(let error): coverage.add(undecided: 0, error)
      }
    }
    return found
  }

  /// Follows that the AppView lists but that have no record. A follow made since the records were read is
  /// not a ghost.
  private func findGhosts(
    _ views: [AccountView], _ findings: inout [AuditFinding], _ coverage: inout AuditCoverage
  ) async throws {
    guard kinds.contains(.ghost), !views.isEmpty else { return }
    let shown = try await relationships(with: views.map(\.account), &coverage)
    let lookup = RecordLookup(of: account, client: pds)
    let names = shown.values.compactMap { $0.following?.recordKey }.map { RecordName($0, in: .follow) }
    let present = Set(try await lookup.records(Set(names)).keys)
    for view in views {
      guard let info = shown[view.account] else {
        coverage.add(undecided: 1, nil)
        continue
      }
      guard let record = info.following, let rkey = record.recordKey,
        !present.contains(RecordName(rkey, in: .follow))
      else { continue }
      findings.append(AuditFinding(.ghost, view, records: [record]))
    }
  }

  /// Finds out why the AppView does not list some follows.
  ///
  /// - Returns: the accounts that are active.
  private func examine(
    _ batch: [DID], _ follows: OwnEdges, _ findings: inout [AuditFinding], _ coverage: inout AuditCoverage
  ) async throws -> [AccountView] {
    let relationships = try await relationships(with: batch, &coverage)
    let found = try await listings.statuses.survey(batch)
    var active: [AccountView] = []
    var unindexed: [AuditFinding] = []
    for other in batch {
      let (view, outcome) = found[other] ?? (nil, AccountStatuses.Outcome())
      func finding(_ kind: AuditFinding.Kind, list: ATURI? = nil) -> AuditFinding {
        // Servers return either the list or the `listblock` record (Q6).
        AuditFinding(
          kind, view ?? AccountView(other), list: list?.collection == .list ? list : nil,
          records: follows.uris(other, in: account), detail: list == nil ? "" : "by a list")
      }
      let info = relationships[other]
      if let info {
        let lists = (blocker: info.blockedByList, blocked: info.blockingByList)
        if info.isBlockedBy {
          findings.append(finding(.blocker, list: info.blockedBy == nil ? lists.blocker : nil))
        }
        if info.isBlocking {
          findings.append(finding(.blocked, list: info.blocking == nil ? lists.blocked : nil))
        }
      }
      switch outcome.evidence.status {
      case .deleted?: findings.append(finding(.deleted))
      case .suspended?: findings.append(finding(.suspended))
      case .deactivated?: findings.append(finding(.deactivated))
      case .active?, .invalidHandle?:
        active.append(view ?? AccountView(other))
        if let info, !info.blocked, !info.isFollowing, follows.uris(other, in: account).allSatisfy(isOld) {
          unindexed.append(finding(.unindexed))
        } else if info?.blocked != true {
          // Nothing explains why the account is not listed.
          coverage.add(undecided: 1, nil)
        }
      case nil: coverage.add(undecided: 1, outcome.fault)
      }
    }
    findings += try await present(unindexed)
    return active
  }

  /// Keeps findings whose records still exist: a follow deleted since the records were read is not
  /// unindexed.
  private func present(_ findings: [AuditFinding]) async throws -> [AuditFinding] {
    let names = findings.flatMap(\.records).compactMap(\.recordKey).map { RecordName($0, in: .follow) }
    guard !names.isEmpty else { return [] }
    let present = try await RecordLookup(of: account, client: pds).records(Set(names))
    return findings.filter { finding in
      finding.records.compactMap(\.recordKey).contains { present[RecordName($0, in: .follow)] != nil }
    }
  }

  private func isOld(_ record: ATURI) -> Bool {
    record.claimedDate.map { $0.instant < now - Self.mostLag } ?? true
  }

  private func findInactive(
    _ batch: [AccountView], _ follows: OwnEdges, _ findings: inout [AuditFinding],
    _ coverage: inout AuditCoverage
  ) async throws {
    guard let repository = listings.repository else { throw RelationshipError.clientNotConfigured }
    let activity = AccountActivity(
      repository: repository, identities: listings.identities, time: pds.time)
    let changes = try await activity.lastChanges(of: batch.map(\.account))
    for view in batch {
      switch changes[view.account] {
      case .success(let last?)?:
        guard last.instant < inactiveSince else { continue }
        findings.append(
          AuditFinding(
            .inactive, view, records: follows.uris(view.account, in: account),
            detail: "last change \(String(last.description.prefix(10)))", since: last))
      case .success(nil)?, nil: coverage.add(undecided: 1, nil)
      case .failure(let fault)?: coverage.add(undecided: 1, fault)
      }
    }
  }
}
