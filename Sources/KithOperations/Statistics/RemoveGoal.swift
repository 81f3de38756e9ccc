// SPDX-License-Identifier: Apache-2.0

package import KithCore
import KithHistory
package import KithRelationships

/// Removes the goal of an account.
package struct RemoveGoal: KithOperation {
  package typealias Row = Never

  package var actor: DID

  package init(of actor: DID) { self.actor = actor }

  package struct Outcome: Sendable {
    /// The names of the account.
    package let view: AccountView?
    /// Whether there was a goal.
    package let wasSet: Bool
  }

  package func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    let view = try await AccountViews(client: workspace.appview).views(of: [actor])[actor]
    let wasSet = try await store.goal(of: actor) != nil
    try await store.set(nil, of: actor)
    return Outcome(view: view, wasSet: wasSet)
  }
}
