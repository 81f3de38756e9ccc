// SPDX-License-Identifier: Apache-2.0

/// What a listener of ``FollowRelationshipService/changes`` hears.
public enum RelationshipChange: Sendable, Hashable {
  /// A relationship turned out to differ from what was known before.
  case changed(from: RelationshipInfo, to: RelationshipInfo)
  /// What a ``RelationshipWriter`` showed ahead of the server is taken back, for the server did not take it.
  case rolledBack(from: RelationshipInfo, to: RelationshipInfo, because: ChangeFailure)
  /// So many changes came faster than the listener took them, and are lost to it.
  case missed(Int)
}
