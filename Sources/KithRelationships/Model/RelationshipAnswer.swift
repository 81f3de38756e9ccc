// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The answer about one target. A failure is an answer of its own, never a "no".
public struct RelationshipAnswer: Sendable, Equatable {
  /// The target; nil if its name could not be resolved.
  public let target: DID?
  /// What was learned.
  public private(set) var state: State
  /// Whether the target exists, if that was verified: see ``FollowRelationshipService/Verification``. What a
  /// hidden account has done may be unknown to the AppView, so a missing edge of it is not a "no".
  public let presence: AccountPresence?
  /// Nil if there are none, the most common case: an answer about a DID needs no memory of its own.
  private var details: SharedValue<Details>?

  /// The text that names the target; nil if it was given as a DID.
  package var input: String? { details?.value.input }
  /// The target with its names, if known from a listing or its handle.
  package var view: AccountView? { details?.value.view }
  /// Whether the AppView shows the target; nil if that was not asked for.
  package var isShown: Bool? { presence.map { $0 == .shown } ?? view?.isShown }
  /// Whether the AppView is known not to show the actor: what it has done may be unknown, too.
  package var isActorHidden: Bool { details?.value.isActorHidden ?? false }
  /// Whether the two are friends, or one waits for the other; nil if that was not asked for.
  public var friendship: Friendship.Summary? { details?.value.friendship }

  /// Creates an answer about an account, such as for a test of a view.
  public init(_ target: DID, _ state: State, presence: AccountPresence? = nil) {
    self.init(input: nil, target: target, state: state, presence: presence)
  }

  init(
    input: String?, target: DID?, state: State, presence: AccountPresence? = nil, view: AccountView? = nil,
    isActorHidden: Bool = false
  ) {
    self.target = target
    self.state = state
    self.presence = presence
    if input != nil || view != nil || isActorHidden {
      details = SharedValue(Details(input: input, view: view, isActorHidden: isActorHidden))
    }
  }

  private func with(_ change: (inout Details) -> Void) -> RelationshipAnswer {
    var (answer, details) = (self, details?.value ?? Details())
    change(&details)
    answer.details = details == Details() ? nil : SharedValue(details)
    return answer
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
    var answer = self
    answer.state = .notFound(reason: reason)
    return answer
  }

  package func with(_ friendship: Friendship.Summary?) -> RelationshipAnswer {
    with { $0.friendship = friendship }
  }

  /// The relationship, if known.
  public var info: RelationshipInfo? {
    if case .known(let info) = state { info } else { nil }
  }

  private struct Details: Sendable, Equatable {
    var input: String?
    var view: AccountView?
    var isActorHidden = false
    var friendship: Friendship.Summary?
  }
}
