// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

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

/// Where relationships are learned: an AppView, repositories, or a double in a test.
public protocol RelationshipSource: Sendable {
  /// The most targets of one question about relationships.
  var batchSize: Int { get }

  /// The most accounts of one question about existence.
  var existenceBatchSize: Int { get }

  /// Asks for the relationships of an actor with up to ``batchSize`` targets, none of them twice.
  ///
  /// - Returns: what was learned of each target, in their order; none is missing.
  /// - Throws: ``RelationshipError`` when the question as a whole failed, `actorNotFound` when nobody is
  ///   the actor; `CancellationError` when the task is cancelled.
  func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding]

  /// Which of up to ``existenceBatchSize`` accounts exist; a suspended or deactivated one does.
  ///
  /// - Throws: as ``relationships(of:with:)``.
  func existing(among accounts: [DID]) async throws -> ExistenceFinding
}
