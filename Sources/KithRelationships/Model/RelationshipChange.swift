// SPDX-License-Identifier: Apache-2.0

/// An element of ``FollowRelationshipService/changes``.
public enum RelationshipChange: Sendable, Hashable {
  /// A relationship differs from what was known before.
  case changed(from: RelationshipInfo, to: RelationshipInfo)
  /// An optimistic update of a `RelationshipWriter` was rolled back because the server did not accept it.
  case rolledBack(from: RelationshipInfo, to: RelationshipInfo, because: ChangeFailure)
  /// The subscriber was too slow, and this many changes were dropped.
  case missed(Int)
}
