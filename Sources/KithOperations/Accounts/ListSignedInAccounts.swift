// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// Lists the accounts that are signed in. Makes no calls.
public struct ListSignedInAccounts: KithOperation {
  public static let name = "listSignedInAccounts"

  public init() {}

  /// How a listing ended.
  public struct Outcome: OutcomeOfRows {
    /// Why sessions cannot be used.
    public fileprivate(set) var failures: [any Error] = []
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    public var ending: Ending {
      Ending(rows, failure: FailureKind(worstOf: failures, otherwise: .fileTrouble))
    }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "failures": .array(failures.map { .cause($0) }),
      ])
    }
  }

  public func run(in workspace: Workspace, _ report: Reporter<AccountRow>) async throws -> Outcome {
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
public struct SwitchAccount: KithOperation {
  public static let name = "switchAccount"

  public typealias Row = Never

  public var account: ATIdentifier

  public init(to account: ATIdentifier) { self.account = account }

  /// The account that is the current one from now on.
  public struct Outcome: OperationOutcome {
    /// Its session. The tokens are not encoded.
    public let session: Session

    public var ending: Ending { .done }
    public var fields: [OutputField] { session.fields }
  }

  /// - Throws: `SessionError` if it is not signed in.
  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let sessions = try workspace.sessions()
    let session = try await sessions.session(of: account)
    try await sessions.store.setCurrent(session.did)
    return Outcome(session: session)
  }
}

/// Asks the server of the signed-in account whether its session still works.
public struct ConfirmSession: KithOperation {
  public static let name = "confirmSession"

  public init() {}

  /// - Throws: `SessionError` if no account is signed in, or its session has ended; `XRPCError`.
  public func run(in workspace: Workspace, _ report: Reporter<AccountRow>) async throws -> CompletedOutcome {
    let sessions = try workspace.sessions()
    let session = try await sessions.confirmed(sessions.session(of: workspace.chosenAccount))
    let isCurrent = (try? await sessions.did(of: nil)) == session.did
    try await report.rows([AccountRow(did: session.did, session: session, isCurrent: isCurrent)])
    return CompletedOutcome()
  }
}
