// SPDX-License-Identifier: Apache-2.0

public import KithCore
import KithHistory
public import KithRelationships

/// Removes the goal of an account.
public struct RemoveGoal: KithOperation {
  public static let name = "removeGoal"

  public typealias Row = Never

  public var actor: DID

  public init(of actor: DID) { self.actor = actor }

  public struct Outcome: OperationOutcome {
    /// The account.
    public let actor: DID
    /// Its names.
    public let view: AccountView?
    /// Whether there was a goal.
    public let wasSet: Bool

    public var ending: Ending { .done }
    public var fields: [OutputField] {
      [OutputField]([
        "account": .text(actor),
        "wasSet": .bool(wasSet),
      ])
    }
  }

  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    let view = try await AccountViews(client: workspace.appview).views(of: [actor])[actor]
    let former = try await store.goal(of: actor)
    try await store.set(nil, of: actor)
    await workspace.remember(
      "goal", by: nil, changed: former != nil, reversal: .goal(actor, former.map(ChangeReversal.Goal.init)))
    return Outcome(actor: actor, view: view, wasSet: former != nil)
  }
}
