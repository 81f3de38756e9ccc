// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Something about the records, the identity or the server of an account that its owner should know.
public struct AuditFinding: Sendable, Hashable {
  /// What is found, by the word that stands in machine output.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Several records are one edge (Q16).
    case duplicate
    /// A follow or block of the account itself (Q24).
    case selfEdge = "self"
    /// The AppView shows a follow that the repository has no record of (Q20); nothing can delete it.
    case ghost
    /// The AppView does not know a follow that the repository has held for more than an hour.
    case unindexed
    /// A follow of an account that is deleted.
    case deleted
    /// A follow of an account that is suspended or taken down.
    case suspended
    /// A follow of an account that its owner has deactivated.
    case deactivated
    /// A follow of an account whose repository has not changed for long.
    case inactive
    /// A follow of an account that blocks this one, directly or by a list.
    case blocker
    /// A follow of an account that this one blocks, directly or by a list.
    case blocked
    /// A block of a list that is gone; it outlives the list (Q24).
    case deadListBlock = "dead-list-block"
    /// Records that put accounts on a list that is gone.
    case orphanMembers = "orphan-members"
    /// A record that cannot be read.
    case malformed
    /// The account is not active, or the AppView does not show it.
    case status
    /// The handle does not lead to the account, or the AppView does not show it.
    case handle
    /// The server of the repository is another one, does not answer, or does not serve the account.
    case pds
    /// The clock of this machine and the server's differ; records are named and dated by this machine's.
    case clock
    /// A list that the account blocks or mutes.
    case subscription
    /// A list of somebody else that the account is on, as far as an index knows.
    case onList = "on-list"

    /// Whether something is wrong; else it is only told.
    public var isProblem: Bool { self != .subscription && self != .onList }

    /// The kinds that only following tells of.
    static let ofFollows: Set<Kind> = [
      .ghost, .unindexed, .deleted, .suspended, .deactivated, .inactive, .blocker, .blocked,
    ]
  }

  public let kind: Kind
  /// The account that the finding is about, with its names where they are known; nil where it is about none.
  public var subject: AccountView?
  /// The list that the finding is about.
  public var list: ATURI?
  /// The records that it rests on; of duplicates all, the oldest first.
  public var records: [ATURI]
  /// What was found, as half a sentence; empty where the kind says it all.
  public var detail: String
  /// When the repository of the subject last changed, for ``Kind/inactive``.
  public var since: Datetime?
  /// The edge that several records are, for ``Kind/duplicate``.
  public var edge: RecordEdge?

  /// Puts a finding together.
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

/// How much of an account could be examined.
public struct AuditCoverage: Sendable {
  /// A part of an account, by the word that stands in machine output.
  public enum Part: String, Sendable, Hashable, CaseIterable {
    case follows, blocks, lists, identity, server, subscriptions
    case onLists = "on-lists"
  }

  /// Parts that could not be examined to their end, each with the reason.
  public package(set) var faults: [(part: Part, error: any Error)] = []
  /// Accounts and lists of which no server told enough to say anything.
  public package(set) var undecided = 0
  /// Why that was, of the first of them; nil where servers answered and did not tell.
  public package(set) var undecidedFault: (any Error)?
  /// Follow records that were read.
  public package(set) var follows = 0

  /// Nothing was examined yet.
  public init() {}
}
