// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
import KithRelationships

/// Remembers that accounts are not to be suggested to the signed-in account again, or forgets it.
public struct DismissPeople: KithOperation {
  public static let name = "dismissPeople"

  public typealias Row = Never

  public var accounts: [DID]
  /// Whether earlier dismissals are taken back.
  public var takesBack: Bool

  public init(_ accounts: [DID], takingBack takesBack: Bool = false) {
    (self.accounts, self.takesBack) = (accounts, takesBack)
  }

  public struct Outcome: OperationOutcome {
    /// How many accounts were dismissed, or are suggested again.
    public fileprivate(set) var changed = 0
    /// For how many nothing had to be done.
    public fileprivate(set) var unchanged = 0
    /// Whether earlier dismissals were taken back.
    public let areTakenBack: Bool

    public var ending: Ending { .done }
    public var fields: [OutputField] {
      [OutputField]([
        "changed": .integer(changed),
        "unchanged": .integer(unchanged),
        "areTakenBack": .bool(areTakenBack),
      ])
    }
  }

  /// - Throws: `SessionError` if no account is signed in; errors of the history.
  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let account = try await workspace.account()
    let accounts = Array(Set(accounts))
    let store = try workspace.history()
    var outcome = Outcome(areTakenBack: takesBack)
    let dismissed = Set(try await store.dismissals(by: account.did).map(\.account))
    let open = accounts.filter { dismissed.contains($0) == takesBack }
    outcome.changed =
      takesBack
      ? try await store.takeBack(dismissalsOf: open, by: account.did)
      : try await store.dismiss(open, by: account.did, at: workspace.time.instant)
    outcome.unchanged = accounts.count - outcome.changed
    await workspace.remember(
      "people dismiss", by: account.did, changed: outcome.changed > 0,
      reversal: .dismiss(open.sorted { "\($0)" < "\($1)" }, takesBack: !takesBack))
    return outcome
  }
}

/// Lists the accounts that are not suggested to the signed-in account again, the latest first.
public struct ListDismissedPeople: KithOperation {
  public static let name = "listDismissedPeople"

  public init() {}

  /// - Throws: `SessionError` if no account is signed in; errors of the history.
  public func run(in workspace: Workspace, _ report: Reporter<AccountViewRow>) async throws -> RowsOutcome {
    let account = try await workspace.account()
    let dismissals = try await workspace.stores.history(.leave)?.dismissals(by: account.did) ?? []
    let views = try await workspace.names().views(of: dismissals.map(\.account), asking: true)
    return await report.deliver(
      dismissals.map { dismissal in
        let view = AccountView(dismissal.account, since: Datetime(at: dismissal.since))
        return AccountViewRow(view: view.named(by: views[dismissal.account]))
      })
  }
}
