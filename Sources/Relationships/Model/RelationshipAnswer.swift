// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// The answer to one ``RelationshipQuestion``. A fault is an answer too, and never a "no".
public struct RelationshipAnswer: Sendable, Equatable {
  /// The text that the target was named by; nil where it was named by its DID.
  public let input: String?
  /// The target; nil where its name did not lead to an account.
  public let target: DID?
  /// What was learned.
  public let state: State
  /// The target with its names, where a listing or its handle brought them.
  public let view: AccountView?

  init(input: String?, target: DID?, state: State, view: AccountView? = nil) {
    self.input = input
    self.target = target
    self.state = state
    self.view = view
  }

  /// What was learned about a target. What is rare is indirect, as in ``RelationshipFinding``.
  public enum State: Sendable, Equatable {
    /// The relationship.
    case known(RelationshipInfo)
    /// The target is the actor: servers ignore what one would have with oneself (Q4).
    case itself
    /// The target does not exist.
    indirect case notFound(reason: String)
    /// Nothing was learned.
    indirect case failed(RelationshipError)
  }

  /// The same answer, with the names that a view of the target has.
  public func named(by view: AccountView?) -> RelationshipAnswer {
    guard let view else { return self }
    return RelationshipAnswer(
      input: input, target: target, state: state, view: self.view?.named(by: view) ?? view)
  }

  /// The relationship, where it is known.
  public var info: RelationshipInfo? {
    if case .known(let info) = state { info } else { nil }
  }
}
