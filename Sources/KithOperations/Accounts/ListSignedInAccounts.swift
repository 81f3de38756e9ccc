// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

/// Lists the accounts that are signed in. Makes no calls.
package struct ListSignedInAccounts: KithOperation {
  package init() {}

  /// How a listing ended.
  package struct Outcome: Sendable {
    /// Why sessions cannot be used.
    package fileprivate(set) var failures: [any Error] = []
    /// How the rows ended.
    package fileprivate(set) var rows = RowsOutcome()
  }

  package func run(in workspace: Workspace, _ report: Reporter<AccountRow>) async throws -> Outcome {
    let sessions = try workspace.sessions()
    let accounts = try await sessions.store.accounts()
    let current = try? await sessions.did(of: nil)
    var outcome = Outcome()
    outcome.rows = await report.deliver { rows in
      for account in accounts {
        let row = await Self.row(of: account, isCurrent: account == current, sessions)
        if let failure = row.failure { outcome.failures.append(failure) }
        try await rows.append(row)
      }
      try await rows.flush()
    }
    return outcome
  }

  private static func row(
    of account: DID, isCurrent: Bool, _ sessions: SessionDirectory
  ) async -> AccountRow {
    do {
      return AccountRow(
        did: account, session: try await sessions.store.session(of: account), isCurrent: isCurrent)
    } catch {
      return AccountRow(did: account, session: nil, isCurrent: isCurrent, failure: error)
    }
  }
}

/// Chooses the current account: the one that is used if none is named.
package struct SwitchAccount: KithOperation {
  package typealias Row = Never

  package var account: ATIdentifier

  package init(to account: ATIdentifier) { self.account = account }

  /// - Returns: the session of the account.
  /// - Throws: `SessionError` if it is not signed in.
  package func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Session {
    let sessions = try workspace.sessions()
    let session = try await sessions.session(of: account)
    try await sessions.store.setCurrent(session.did)
    return session
  }
}

/// Asks the server of the signed-in account whether its session still works.
package struct ConfirmSession: KithOperation {
  package init() {}

  /// - Throws: `SessionError` if no account is signed in, or its session has ended; `XRPCError`.
  package func run(in workspace: Workspace, _ report: Reporter<AccountRow>) async throws {
    let sessions = try workspace.sessions()
    let session = try await sessions.confirmed(sessions.session(of: workspace.chosenAccount))
    let isCurrent = (try? await sessions.did(of: nil)) == session.did
    try await report.rows([AccountRow(did: session.did, session: session, isCurrent: isCurrent)])
  }
}
