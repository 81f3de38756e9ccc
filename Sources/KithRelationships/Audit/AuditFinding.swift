// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Something about an account's records, identity or server that its owner should know.
public struct AuditFinding: Sendable, Hashable {
  /// The kind of finding; the raw value appears in machine output.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Several records for the same edge (Q16).
    case duplicate
    /// A follow or block of the account itself (Q24).
    case selfEdge = "self"
    /// The AppView shows a follow that has no record in the repository (Q20); it cannot be deleted.
    case ghost
    /// The AppView does not know a follow whose record is more than an hour old.
    case unindexed
    /// A follow of a deleted account.
    case deleted
    /// A follow of a suspended or taken-down account.
    case suspended
    /// A follow of a deactivated account.
    case deactivated
    /// A follow of an account whose repository has not changed for a long time.
    case inactive
    /// A follow of an account that blocks this one, directly or by a list.
    case blocker
    /// A follow of an account that this one blocks, directly or by a list.
    case blocked
    /// A block of a deleted list; the block outlives the list (Q24).
    case deadListBlock = "dead-list-block"
    /// Member records of a deleted list.
    case orphanMembers = "orphan-members"
    /// An unreadable record.
    case malformed
    /// The account is not active, or the AppView does not show it.
    case status
    /// The handle does not resolve to the account, or the AppView does not show it.
    case handle
    /// The repository is on another server, or its server does not answer or does not host the account.
    case pds
    /// This machine's clock differs from the server's; new record keys and dates come from this machine's
    /// clock.
    case clock
    /// A list that the account blocks or mutes.
    case subscription
    /// Another account's list that includes the account, if an index knows it.
    case onList = "on-list"

    /// Whether something is wrong; otherwise the finding is for information.
    public var isProblem: Bool { self != .subscription && self != .onList }

    /// Kinds that are found by examining follows.
    static let ofFollows: Set<Kind> = [
      .ghost, .unindexed, .deleted, .suspended, .deactivated, .inactive, .blocker, .blocked,
    ]
  }

  public let kind: Kind
  /// The account that the finding is about, with its names if known; nil if it is not about an account.
  public var subject: AccountView?
  /// The list that the finding is about.
  public var list: ATURI?
  /// The records behind the finding; for duplicates all of them, oldest first.
  public var records: [ATURI]
  /// What was found, as half a sentence; empty if the kind says it all.
  public var detail: String
  /// When the subject's repository last changed, for ``Kind/inactive``.
  public var since: Datetime?
  /// The edge that has several records, for ``Kind/duplicate``.
  public var edge: RecordEdge?

  /// Creates a finding.
  public init(
    _ kind: Kind, _ subject: AccountView? = nil, list: ATURI? = nil, records: [ATURI] = [],
    detail: String = "",
    since: Datetime? = nil, edge: RecordEdge? = nil
  ) {
    self.kind = kind
    self.subject = subject
    self.list = list
    self.records = records
    self.detail = detail
    self.since = since
    self.edge = edge
  }
}

/// How much of an account could be checked.
public struct AuditCoverage: Sendable {
  /// A part of an account; the raw value appears in machine output.
  public enum Part: String, Sendable, Hashable, CaseIterable {
    case follows, blocks, lists, identity, server, subscriptions
    case onLists = "on-lists"
  }

  /// Parts that could not be checked completely, each with the error.
  public var faults: [(part: Part, error: any Error)] = []
  /// Number of accounts and lists without enough information for a decision.
  public var undecided = 0
  /// The first error behind ``undecided``; nil if servers answered, but not clearly.
  public var undecidedFault: (any Error)?
  /// Number of follow records read.
  public var follows = 0

  /// Creates an empty coverage.
  public init() {}
}
