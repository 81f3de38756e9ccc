// SPDX-License-Identifier: Apache-2.0

package import KithCore
import KithHistory

/// Removes accounts from those of regular snapshots. Their snapshots stay.
package struct UnwatchAccounts: KithOperation {
  package typealias Row = Never

  package var accounts: [DID]

  package init(_ accounts: [DID]) { self.accounts = accounts }

  package struct Outcome: Sendable {
    package fileprivate(set) var removed = 0
    /// The number of accounts that were not watched.
    package fileprivate(set) var unknown = 0
  }

  package func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    var outcome = Outcome()
    for account in accounts {
      if try await store.unwatch(account) { outcome.removed += 1 } else { outcome.unknown += 1 }
    }
    return outcome
  }
}
