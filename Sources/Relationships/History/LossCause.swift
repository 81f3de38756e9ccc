// SPDX-License-Identifier: Apache-2.0

/// Why an account is no longer on a listing.
public enum LossCause: String, Sendable, Hashable, CaseIterable {
  /// Its owner took the follow back.
  case unfollowed
  /// It blocks the actor, directly or by a list, so that the AppView hides the follow; or the follow is gone besides.
  case blockedBy = "blocked-by"
  /// The actor blocks it, directly or by a list, so that the AppView hides its follow.
  case blocking
  case deleted
  case deactivated
  /// Suspended or taken down: AppViews do not tell these apart.
  case suspended
  /// The actor took the block, the mute or the list item back.
  case removed
  /// The edge is gone, and so is the account, as far as servers tell; nobody says why.
  case unknown
}

/// What becomes of an edge whose account is missing from a listing.
public enum LossVerdict: Sendable, Hashable {
  case lost(LossCause)
  /// The edge is there though the listing leaves it out, or nobody could tell: nothing is concluded.
  case unconfirmed

  /// Judges a follower that `getFollowers` no longer lists.
  ///
  /// A follow that stands while the AppView shows both accounts, and no block between them, was left out for a reason
  /// of the AppView's own, such as an outage: that is no loss. An AppView that does not know the account knows nothing of
  /// its follows either (Q2). Where a question failed it is asked again the next time. A block by a list explains why a
  /// follow is hidden, not why it is gone (Q6).
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
      // The directory names no server that could tell more.
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
  /// The block that hides a follow; nil where none does.
  init?(hidingBlockIn evidence: Evidence) {
    if evidence.has(.blocking, .blockingByList) {
      self = .blocking
    } else if evidence.has(.blockedByList) {
      self = .blockedBy
    } else {
      return nil
    }
  }

  /// The cause that an account's status is; nil for one that is there, or where it is not known.
  init?(_ status: AccountStatus?) {
    switch status {
    case .deleted?: self = .deleted
    case .deactivated?: self = .deactivated
    case .suspended?, .takenDown?: self = .suspended
    case .active?, .invalidHandle?, nil: return nil
    }
  }
}
