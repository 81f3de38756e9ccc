// SPDX-License-Identifier: Apache-2.0

/// What a source learned of one target.
public enum RelationshipFinding: Sendable, Equatable {
  /// The relationship.
  case known(RelationshipInfo)
  /// The source knows no such account.
  case notFound
  /// Nothing: the fault is this target's alone.
  ///
  /// Indirect, so that the many that are known take no more room than a reference.
  indirect case failed(RelationshipError)
}
