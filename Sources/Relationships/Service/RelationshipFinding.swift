// SPDX-License-Identifier: Apache-2.0

/// What a source learned of one target.
///
/// Indirect, for it goes through many hands: a copy is a reference, not six AT-URIs.
public indirect enum RelationshipFinding: Sendable, Equatable {
  /// The relationship.
  case known(RelationshipInfo)
  /// The source knows no such account.
  case notFound
  /// Nothing: the fault is this target's alone.
  case failed(RelationshipError)
}
