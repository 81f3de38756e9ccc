// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory

/// Adds accounts to those of regular snapshots.
public struct WatchAccounts: KithOperation {
  public static let name = "watchAccounts"

  public typealias Row = Never

  public var accounts: [DID]

  public init(_ accounts: [DID]) { self.accounts = accounts }

  public struct Outcome: OperationOutcome {
    public fileprivate(set) var added = 0
    /// The number of accounts that were watched already.
    public fileprivate(set) var known = 0

    public var ending: Ending { .done }
    public var fields: [OutputField] {
      [OutputField]([
        "added": .integer(added),
        "known": .integer(known),
      ])
    }
  }

  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    var outcome = Outcome()
    var added: [DID] = []
    for account in accounts {
      if try await store.watch(account, at: workspace.time.instant) {
        outcome.added += 1
        added.append(account)
      } else {
        outcome.known += 1
      }
    }
    await workspace.remember(
      "watch add", by: nil, changed: !added.isEmpty, reversal: .watch(added, isWatched: false))
    return outcome
  }
}
