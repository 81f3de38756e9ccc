// SPDX-License-Identifier: Apache-2.0

/// A relationship as an app shows it, and how well it is known; an element of a ``RelationshipObservation``.
public struct ObservedRelationship: Sendable, Hashable {
  /// How well a relationship is known.
  public enum State: Sendable, Hashable {
    /// From an earlier query or process, or nothing yet; it is being requested.
    case lastKnown
    /// As the AppView answered within the lifetime of the cache.
    case fresh
    /// With a change by one of the two accounts that no server has accepted yet.
    case pending
    /// With a change by one of the two accounts that its server has accepted, or a stream has told, and that the AppView has
    /// not shown yet.
    case accepted
    /// The last request failed; shown is what was known before.
    case failed(RelationshipError)
    /// The last change was not accepted; shown is what was known before it.
    case rolledBack(ChangeFailure)
  }

  /// The relationship, as seen by the account that asked; nil if nothing is known.
  ///
  /// If only a change of one's own is known, its source is ``RelationshipInfo/Source/change``, and the other
  /// account's edges are missing.
  public let info: RelationshipInfo?
  /// How well it is known.
  public let state: State

  /// Creates a value, such as for a test.
  public init(_ info: RelationshipInfo?, _ state: State) {
    self.info = info
    self.state = state
  }

  /// Whether both show the same, regardless of when and where it was learned.
  func showsSame(as other: ObservedRelationship) -> Bool {
    guard state == other.state else { return false }
    return switch (info, other.info) {
    case (nil, nil): true
    case (let info?, let other?): info.hasSameFacts(as: other) && info.isPartial == other.isPartial
    default: false
    }
  }
}

extension RelationshipInfo {
  /// Whether only changes of the actor itself are known.
  var isPartial: Bool { source == .change }
}
