// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What a source learned of the existence of some accounts; one that stands in neither set does not exist.
public struct ExistenceFinding: Sendable, Equatable {
  /// Accounts that exist, shown or hidden.
  public var existing: Set<DID>
  /// Accounts of which nothing was learned, each with the reason.
  public var faults: [DID: RelationshipError]

  /// Puts a finding together.
  public init(existing: Set<DID>, faults: [DID: RelationshipError] = [:]) {
    self.existing = existing
    self.faults = faults
  }
}
