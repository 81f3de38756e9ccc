// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore
import KithHistory

/// Adds accounts to those of regular snapshots.
package struct WatchAccounts: KithOperation {
  package typealias Row = Never

  package var accounts: [DID]

  package init(_ accounts: [DID]) { self.accounts = accounts }

  package struct Outcome: Sendable {
    package fileprivate(set) var added = 0
    /// The number of accounts that were watched already.
    package fileprivate(set) var known = 0
  }

  package func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    var outcome = Outcome()
    for account in accounts {
      if try await store.watch(account, at: workspace.time.instant) {
        outcome.added += 1
      } else {
        outcome.known += 1
      }
    }
    return outcome
  }
}
