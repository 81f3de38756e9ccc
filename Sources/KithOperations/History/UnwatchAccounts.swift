// SPDX-License-Identifier: Apache-2.0

public import KithCore
import KithHistory

/// Removes accounts from those of regular snapshots. Their snapshots stay.
public struct UnwatchAccounts: KithOperation {
  public typealias Row = Never

  public var accounts: [DID]

  public init(_ accounts: [DID]) { self.accounts = accounts }

  public struct Outcome: Sendable {
    public fileprivate(set) var removed = 0
    /// The number of accounts that were not watched.
    public fileprivate(set) var unknown = 0
  }

  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    var outcome = Outcome()
    for account in accounts {
      if try await store.unwatch(account) { outcome.removed += 1 } else { outcome.unknown += 1 }
    }
    return outcome
  }
}
