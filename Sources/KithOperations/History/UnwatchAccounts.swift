// SPDX-License-Identifier: Apache-2.0

public import KithCore
import KithHistory

/// Removes accounts from those of regular snapshots. Their snapshots stay.
public struct UnwatchAccounts: KithOperation {
  public static let name = "unwatchAccounts"

  public typealias Row = Never

  public var accounts: [DID]

  public init(_ accounts: [DID]) { self.accounts = accounts }

  public struct Outcome: OperationOutcome {
    public fileprivate(set) var removed = 0
    /// The number of accounts that were not watched.
    public fileprivate(set) var unknown = 0

    public var ending: Ending { .done }
    public var fields: [OutputField] {
      [OutputField]([
        "removed": .integer(removed),
        "unknown": .integer(unknown),
      ])
    }
  }

  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    var outcome = Outcome()
    var removed: [DID] = []
    for account in accounts {
      if try await store.unwatch(account) { removed.append(account) } else { outcome.unknown += 1 }
    }
    outcome.removed = removed.count
    await workspace.remember(
      "watch remove", by: nil, changed: !removed.isEmpty, reversal: .watch(removed, isWatched: true))
    return outcome
  }
}
