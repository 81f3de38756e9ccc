// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Where relationships are learned: an AppView, repositories, or a double in a test.
public protocol RelationshipSource: Sendable {
  /// The most targets of one question about relationships.
  var batchSize: Int { get }

  /// The most accounts of one question about existence.
  var existenceBatchSize: Int { get }

  /// Asks for the relationships of an actor with up to ``batchSize`` targets, none of them twice.
  ///
  /// - Returns: what was learned of each target; none is missing.
  /// - Throws: ``RelationshipError`` when the question as a whole failed, `actorNotFound` when nobody is
  ///   the actor; `CancellationError` when the task is cancelled.
  func relationships(of actor: DID, with targets: [DID]) async throws -> [DID: RelationshipFinding]

  /// Which of up to ``existenceBatchSize`` accounts exist; a suspended or deactivated one does.
  ///
  /// - Throws: as ``relationships(of:with:)``.
  func existing(among accounts: [DID]) async throws -> ExistenceFinding
}
