// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships
public import KithWriting

/// Looks for problems of the signed-in account: in its records, its identity and its server. Changes nothing.
public struct AuditAccount: EstimatedOperation {
  public static let name = "auditAccount"

  /// What to look for; nil for all that needs no calls for each follow.
  public var kinds: Set<AuditFinding.Kind>?
  /// Look also for follows of accounts that have not changed for so long; nil to do so only if ``kinds`` says so.
  public var inactiveFor: Duration?

  public init(_ kinds: Set<AuditFinding.Kind>? = nil, inactiveFor: Duration? = nil) {
    self.kinds = kinds
    self.inactiveFor = inactiveFor
  }

  /// How an audit ended.
  public struct Outcome: OutcomeOfRows {
    /// The account that was examined.
    public let account: AuthorizedAccount
    /// The number of findings by kind.
    public fileprivate(set) var counts: [AuditFinding.Kind: Int] = [:]
    /// The changes that fix findings.
    public fileprivate(set) var repairs: [Repair] = []
    /// What could not be examined. Empty if the audit was interrupted.
    public fileprivate(set) var coverage = AuditCoverage()
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    fileprivate init(_ account: AuthorizedAccount) { self.account = account }

    fileprivate mutating func add(_ row: AuditRow) {
      counts[row.finding.kind, default: 0] += 1
      if let repair = row.repair { repairs.append(Repair(subject: row.subject, change: repair)) }
    }

    /// What could not be examined, or only incompletely, makes a part of the account unknown.
    public var ending: Ending {
      let faults = coverage.faults.map(\.error) + [coverage.undecidedFault].compactMap(\.self)
      return Ending(rows, failure: FailureKind(worstOf: faults, otherwise: .unavailable))
    }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "account": .text(account.did),
        "findings": .counts(counts.map { ($0.rawValue, $1) }),
        "repairs": .integer(repairs.count),
        "follows": .integer(coverage.follows),
        "undecided": .integer(coverage.undecided),
        "notExamined": .array(coverage.faults.map { .string($0.part.rawValue) }),
      ])
    }
  }

  /// A change that fixes a finding.
  public struct Repair: Sendable {
    /// The display name of the account or list.
    public let subject: String
    public let change: ChangeIntent
  }

  /// - Throws: ``OperationError`` `onListNeedsIndex`; `SessionError` if no account is signed in.
  public func run(in workspace: Workspace, _ report: Reporter<AuditRow>) async throws -> Outcome {
    let options = try options(in: workspace)
    let account = try await workspace.account()
    let audit = AccountAudit(
      of: account.did, pds: account.pds, listings: workspace.listings(by: workspace.appview),
      own: workspace.listings(by: account.appview, as: account.did))
    var documents = Workspace.mostNamingDocuments
    let read = PosixMutex(0)
    var outcome = Outcome(account)
    outcome.rows = await report.deliver { rows in
      outcome.coverage = try await audit.run(options) { count in
        let count = read.withLock { read in
          read += count
          return read
        }
        report.progress?(.reached(count))
      } onFindings: { findings in
        // No server returns the name of an account that is gone, so the cache is used.
        let known = try await workspace.namesFromAnywhere(of: findings.flatMap(\.unnamed), &documents)
        for finding in findings {
          var row = AuditRow(
            finding: finding.named(by: known), repair: ChangeIntent(mending: finding, of: account.did))
          row.listOwner = finding.listOwner.flatMap { known[$0] ?? finding.subject(is: $0) }
          outcome.add(row)
          try await rows.append(row)
        }
        try await rows.flush()
      }
    }
    return outcome
  }

  private func options(in workspace: Workspace) throws(OperationError) -> AccountAudit.Options {
    var options = AccountAudit.Options()
    if let kinds { options.kinds = kinds }
    if let inactiveFor {
      options.kinds.insert(.inactive)
      options.inactiveFor = inactiveFor
    }
    if workspace.index == nil {
      if kinds?.contains(.onList) == true { throw .onListNeedsIndex }
      options.kinds.remove(.onList)
    }
    return options
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    let options = try options(in: workspace)
    let follows = ActorListing.follows(of: .did(try await workspace.account().did))
    let counts = try await NetworkCounts(client: workspace.appview).entries(of: [follows])
    var plan = CostPlan(concurrency: workspace.concurrency)
    plan.addAudit(options.kinds, follows: counts[0])
    return plan
  }
}

extension AuditFinding.Kind {
  /// Whether a change of the account's own records can fix some findings of the kind.
  public var isRepairable: Bool {
    switch self {
    case .duplicate, .selfEdge, .deleted, .suspended, .deactivated, .inactive, .blocker, .blocked,
      .deadListBlock, .orphanMembers:
      true
    case .ghost, .unindexed, .malformed, .status, .handle, .pds, .clock, .subscription, .onList: false
    }
  }
}

extension AuditFinding {
  /// The owner of the list that it is about.
  fileprivate var listOwner: DID? {
    if case .did(let owner)? = list?.authority { owner } else { nil }
  }

  /// The accounts that it mentions without their names.
  fileprivate var unnamed: [DID] {
    let others = [subject.flatMap { $0.handle == nil ? $0.account : nil }, listOwner].compactMap(\.self)
    return others.filter { $0 != subject?.account || subject?.handle == nil }
  }

  fileprivate func named(by known: [DID: AccountView]) -> AuditFinding {
    var finding = self
    finding.subject = subject.map { $0.named(by: known[$0.account]) }
    return finding
  }

  /// Its subject, if that is an account.
  fileprivate func subject(is account: DID) -> AccountView? { subject?.account == account ? subject : nil }
}

extension OperationError {
  package static let onListNeedsIndex = OperationError(
    .onListNeedsIndex, .usage,
    "no AppView lists the lists of others that an account is on: name a backlink index")
}
