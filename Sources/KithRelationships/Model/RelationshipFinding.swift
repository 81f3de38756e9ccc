// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// What a source returned for one target.
public enum RelationshipFinding: Sendable, Equatable {
  /// The relationship.
  case known(RelationshipInfo)
  /// The source does not know the account.
  case notFound
  /// The lookup failed for this target alone.
  ///
  /// Indirect, so that the common cases take no more space than a reference.
  indirect case failed(RelationshipError)
}

/// What a source returned about the existence of accounts; an account in no collection does not exist, as its
/// directory or its own server says. An AppView alone cannot prove that (Q2).
public struct ExistenceFinding: Sendable, Equatable {
  /// Accounts that exist, shown or hidden.
  public var existing: Set<DID>
  /// Those of them that the AppView does not show, so that it may not know their records.
  public var hidden: Set<DID>
  /// Accounts whose lookup failed, each with the error.
  public var faults: [DID: RelationshipError]

  /// Creates a finding.
  public init(
    existing: Set<DID>, hidden: Set<DID> = [], faults: [DID: RelationshipError] = [:]
  ) {
    self.existing = existing
    self.hidden = hidden
    self.faults = faults
  }
}

extension ExistenceFinding {
  /// Whether an account exists; nil if its lookup failed.
  package func presence(of account: DID) -> AccountPresence? {
    if faults[account] != nil { return nil }
    guard existing.contains(account) else { return .absent }
    return hidden.contains(account) ? .hidden : .shown
  }
}

/// A source of relationships: an AppView, repositories, or a test double.
public protocol RelationshipSource: Sendable {
  /// The most targets per query about relationships.
  var batchSize: Int { get }

  /// The most accounts per query about existence.
  var existenceBatchSize: Int { get }

  /// Requests the relationships of an actor with up to ``batchSize`` targets, without duplicates.
  ///
  /// - Returns: one finding per target, in order.
  /// - Throws: ``RelationshipError`` if the query as a whole failed, `actorNotFound` if the actor does not
  ///   exist; `CancellationError` when the task is cancelled.
  func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding]

  /// Which of up to ``existenceBatchSize`` accounts exist, including suspended and deactivated ones.
  ///
  /// - Throws: like ``relationships(of:with:)``.
  func existing(among accounts: [DID]) async throws -> ExistenceFinding

  /// Discards what the source keeps between queries; called when the cache of the service is cleared.
  func forget()
}

extension RelationshipSource {
  /// Does nothing.
  public func forget() {}
}
