// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The answer about one target. A failure is an answer of its own, never a "no".
public struct RelationshipAnswer: Sendable, Equatable {
  /// The text that names the target; nil if it was given as a DID.
  package let input: String?
  /// The target; nil if its name could not be resolved.
  public let target: DID?
  /// What was learned.
  public let state: State
  /// Whether the target exists, if that was verified: see ``FollowRelationshipService/Verification``. What a
  /// hidden account has done may be unknown to the AppView, so a missing edge of it is not a "no".
  public let presence: AccountPresence?
  /// The target with its names, if known from a listing or its handle.
  package let view: AccountView?
  /// Whether the AppView is known not to show the actor: what it has done may be unknown, too.
  package let isActorHidden: Bool
  /// Whether the two are friends, or one waits for the other; nil if that was not asked for.
  public internal(set) var friendship: Friendship.Summary?

  init(
    input: String?, target: DID?, state: State, presence: AccountPresence? = nil, view: AccountView? = nil,
    isActorHidden: Bool = false
  ) {
    self.input = input
    self.target = target
    self.state = state
    self.presence = presence
    self.view = view
    self.isActorHidden = isActorHidden
  }

  /// What was learned about a target. Rare cases are indirect, as in ``RelationshipFinding``.
  public enum State: Sendable, Equatable {
    /// The relationship.
    case known(RelationshipInfo)
    /// The target is the actor: servers ignore relationships of an account with itself (Q4).
    case itself
    /// The target does not exist.
    indirect case notFound(reason: String)
    /// The lookup failed.
    indirect case failed(RelationshipError)
  }

  /// The same answer with the names of a view.
  package func named(by view: AccountView?) -> RelationshipAnswer {
    guard let view else { return self }
    var named = RelationshipAnswer(
      input: input, target: target, state: state, presence: presence,
      view: self.view?.named(by: view) ?? view, isActorHidden: isActorHidden)
    named.friendship = friendship
    return named
  }

  /// The answer that the target does not exist, for another reason.
  package func notFound(because reason: String) -> RelationshipAnswer {
    RelationshipAnswer(
      input: input, target: target, state: .notFound(reason: reason), presence: presence, view: view,
      isActorHidden: isActorHidden)
  }

  package func with(_ friendship: Friendship.Summary?) -> RelationshipAnswer {
    var answer = self
    answer.friendship = friendship
    return answer
  }

  /// The relationship, if known.
  public var info: RelationshipInfo? {
    if case .known(let info) = state { info } else { nil }
  }
}
