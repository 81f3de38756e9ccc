// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// An element of ``FollowRelationshipService/changes``.
public enum RelationshipChange: Sendable, Hashable {
  /// A relationship differs from what was known before.
  case changed(from: RelationshipInfo, to: RelationshipInfo)
  /// An optimistic update of a `RelationshipWriter` was rolled back because the server did not accept it.
  case rolledBack(from: RelationshipInfo, to: RelationshipInfo, because: ChangeFailure)
  /// The subscriber was too slow, and this many changes were dropped.
  case missed(Int)
}

extension RelationshipChange {
  /// The change as an account sees it; nil if it concerns none of the others. How many were missed concerns all.
  func seen(by actor: DID, among others: Set<DID>) -> RelationshipChange? {
    func turned(_ info: RelationshipInfo) -> RelationshipInfo? {
      let other = info.actor == actor ? info.target : info.actor
      guard info.actor == actor || info.target == actor, others.contains(other) else { return nil }
      return info.seen(by: actor)
    }
    switch self {
    case .changed(let before, let now):
      guard let before = turned(before), let now = turned(now) else { return nil }
      return .changed(from: before, to: now)
    case .rolledBack(let before, let now, let failure):
      guard let before = turned(before), let now = turned(now) else { return nil }
      return .rolledBack(from: before, to: now, because: failure)
    case .missed: return self
    }
  }
}
