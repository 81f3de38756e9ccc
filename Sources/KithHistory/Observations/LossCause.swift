// SPDX-License-Identifier: Apache-2.0

public import KithRelationships

/// Why an account is no longer on a listing.
public enum LossCause: String, Sendable, Hashable, CaseIterable {
  /// The account's owner deleted the follow.
  case unfollowed
  /// The account blocks the actor, directly or by a list, so the AppView hides the follow; the follow may
  /// also be gone.
  case blockedBy = "blocked-by"
  /// The actor blocks the account, directly or by a list, so the AppView hides its follow.
  case blocking
  case deleted
  case deactivated
  /// Suspended or taken down: AppViews do not distinguish these.
  case suspended
  /// The actor deleted the block, the mute or the list item.
  case removed
  /// By what servers show, the edge and the account are gone; the reason is unknown.
  case unknown

  /// Whether it is a block between the account and the actor.
  package var isBlock: Bool { self == .blockedBy || self == .blocking }

  /// Whether it hides the record of the edge, which may be there: the account may return without a new record.
  package var isHiding: Bool { isBlock || self == .deactivated || self == .suspended }
}

/// What happened to the edge of an account that is missing from a listing.
public enum LossVerdict: Sendable, Hashable {
  case lost(LossCause)
  /// The edge still exists, or its state is unknown: nothing is concluded.
  case unconfirmed

  /// Judges a follower that `getFollowers` no longer lists.
  ///
  /// If the follow exists, the AppView shows both accounts, and no block is between them, then the AppView
  /// left it out for reasons of its own, such as an outage: that is not a loss. An AppView that does not
  /// know the account does not know its follows either (Q2). A failed lookup is repeated with the next
  /// snapshot. A block by a list explains why a follow is hidden, not why it is gone (Q6).
  public init(follower evidence: Evidence) {
    guard evidence.has(.follows, .noFollow), !evidence.has(.failed) else {
      self = .unconfirmed
      return
    }
    let isThere = evidence.has(.follows)
    if evidence.has(.blockedBy) {
      self = .lost(.blockedBy)
    } else if let cause = LossCause(evidence.status) {
      self = .lost(cause)
    } else if isThere {
      self = LossCause(hidingBlockIn: evidence).map { .lost($0) } ?? .unconfirmed
    } else if !evidence.has(.notFound) {
      self = .lost(.unfollowed)
    } else {
      // The directory names no server that could answer.
      let isNowhere = evidence.has(.registered) && !evidence.findings.contains { $0.question == .server }
      self = isNowhere ? .lost(.unknown) : .unconfirmed
    }
  }

  /// Judges an account that `getMutes` no longer lists.
  public init(muted evidence: Evidence) {
    if evidence.has(.muted) {
      self = .unconfirmed
    } else if evidence.has(.notMuted, .mutedByList) {
      self = .lost(.removed)
    } else if let cause = LossCause(evidence.status) {
      self = .lost(cause)
    } else {
      self = .unconfirmed
    }
  }
}

extension LossCause {
  /// The block that hides a follow; nil if there is none.
  init?(hidingBlockIn evidence: Evidence) {
    if evidence.has(.blocking, .blockingByList) {
      self = .blocking
    } else if evidence.has(.blockedByList) {
      self = .blockedBy
    } else {
      return nil
    }
  }

  /// The cause for an account's status; nil if the account is active or its status is unknown.
  init?(_ status: AccountStatus?) {
    switch status {
    case .deleted?: self = .deleted
    case .deactivated?: self = .deactivated
    case .suspended?: self = .suspended
    case .active?, .invalidHandle?, nil: return nil
    }
  }
}
