// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Something that a stream told of the follows and blocks of accounts that are watched.
package struct ObservedEdge: Sendable, Hashable {
  /// What happened to the records.
  package enum Change: Sendable, Hashable {
    /// The record is there.
    case made(RecordKey)
    /// It was the last one, and is deleted.
    case gone(RecordKey)
    /// It was deleted, and there may be another one. Without a key, anything may have changed.
    case doubtful(RecordKey?)
  }

  /// How a count of an account changes: of its follows if it is the author, else of its followers.
  package struct Count: Sendable, Hashable {
    package let account: DID
    package let step: Int

    package init(of account: DID, by step: Int) { (self.account, self.step) = (account, step) }
  }

  /// The account whose records they are.
  package let author: DID
  /// The account that they are about; nil if only the key tells, for ``Change/doubtful(_:)``.
  package let subject: DID?
  package let kind: EdgeKind
  package let change: Change
  /// Nil if no count is known to change.
  package let count: Count?
  /// When it happened, by the clock of the stream.
  package let at: Instant

  package init(
    by author: DID, about subject: DID?, _ kind: EdgeKind, _ change: Change, count: Count? = nil,
    at moment: Instant
  ) {
    (self.author, self.subject, self.kind, self.change) = (author, subject, kind, change)
    (self.count, at) = (count, moment)
  }

  /// The URI of a record of the author.
  private func uri(_ key: RecordKey) -> ATURI {
    ATURI(authority: .did(author), collection: kind.collection, recordKey: key)
  }

  /// What answers should show from now on; nil if nothing certain is known of a record.
  var expected: OptimisticOverlay.Edge? {
    switch change {
    case .made(let key): .present(uri(key))
    case .gone(let key): .gone([key])
    case .doubtful: nil
    }
  }

  /// Whether a relationship shows what is in doubt now, such as a record that is deleted. A server that has not caught up may
  /// show that later as well.
  func castsDoubt(on info: RelationshipInfo) -> Bool {
    switch change {
    case .made: false
    case .gone(let key), .doubtful(let key?):
      (kind == .follow ? info.seen(by: author).following : info.seen(by: author).blocking) == uri(key)
    case .doubtful(nil): info.checkedAt.instant <= at
    }
  }

  /// A relationship of the author and the subject with this edge, seen by the same account; the same if it is later.
  func applied(to info: RelationshipInfo) -> RelationshipInfo {
    guard info.checkedAt.instant <= at else { return info }
    let (isAuthor, isFollow) = (info.actor == author, kind == .follow)
    let shown =
      isFollow ? (isAuthor ? info.following : info.followedBy) : (isAuthor ? info.blocking : info.blockedBy)
    let edge: ATURI?
    switch change {
    case .made(let key): edge = shown ?? uri(key)
    case .gone(let key): edge = shown == uri(key) ? nil : shown
    case .doubtful: return info
    }
    return RelationshipInfo(
      actor: info.actor, target: info.target, following: isFollow && isAuthor ? edge : info.following,
      followedBy: isFollow && !isAuthor ? edge : info.followedBy,
      blocking: !isFollow && isAuthor ? edge : info.blocking,
      blockedBy: !isFollow && !isAuthor ? edge : info.blockedBy,
      blockingByList: info.blockingByList, blockedByList: info.blockedByList, muted: info.muted,
      mutesFault: info.mutesFault, checkedAt: info.checkedAt, source: info.source)
  }
}
