// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The answer about one target. A failure is an answer of its own, never a "no".
public struct RelationshipAnswer: Sendable, Equatable {
  /// A single reference, because answers are copied often: copying the facts would retain several.
  private let shared: SharedValue<Facts>

  /// The text that names the target; nil if it was given as a DID.
  package var input: String? { shared.value.input }
  /// The target; nil if its name could not be resolved.
  public var target: DID? { shared.value.target }
  /// What was learned.
  public var state: State { shared.value.state }
  /// Whether the target exists, if that was verified: see ``FollowRelationshipService/Verification``. What a
  /// hidden account has done may be unknown to the AppView, so a missing edge of it is not a "no".
  public var presence: AccountPresence? { shared.value.presence }
  /// The target with its names, if known from a listing or its handle.
  package var view: AccountView? { shared.value.view }
  /// Whether the AppView shows the target; nil if that was not asked for.
  package var isShown: Bool? { shared.value.presence.map { $0 == .shown } ?? shared.value.view?.isShown }
  /// Whether the AppView is known not to show the actor: what it has done may be unknown, too.
  package var isActorHidden: Bool { shared.value.isActorHidden }
  /// Whether the two are friends, or one waits for the other; nil if that was not asked for.
  public var friendship: Friendship.Summary? { shared.value.friendship }

  /// Creates an answer about an account, such as for a test of a view.
  public init(_ target: DID, _ state: State, presence: AccountPresence? = nil) {
    self.init(input: nil, target: target, state: state, presence: presence)
  }

  init(
    input: String?, target: DID?, state: State, presence: AccountPresence? = nil, view: AccountView? = nil,
    isActorHidden: Bool = false
  ) {
    self.init(
      Facts(
        input: input, target: target, state: state, presence: presence, view: view,
        isActorHidden: isActorHidden))
  }

  private init(_ facts: Facts) { shared = SharedValue(facts) }

  private func with(_ change: (inout Facts) -> Void) -> RelationshipAnswer {
    var facts = shared.value
    change(&facts)
    return RelationshipAnswer(facts)
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
    return with { $0.view = $0.view?.named(by: view) ?? view }
  }

  /// The answer that the target does not exist, for another reason.
  package func notFound(because reason: String) -> RelationshipAnswer {
    with { $0.state = .notFound(reason: reason) }
  }

  package func with(_ friendship: Friendship.Summary?) -> RelationshipAnswer {
    with { $0.friendship = friendship }
  }

  /// The relationship, if known.
  public var info: RelationshipInfo? {
    if case .known(let info) = state { info } else { nil }
  }

  private struct Facts: Sendable, Equatable {
    let input: String?
    let target: DID?
    var state: State
    let presence: AccountPresence?
    var view: AccountView?
    let isActorHidden: Bool
    var friendship: Friendship.Summary?
  }
}
