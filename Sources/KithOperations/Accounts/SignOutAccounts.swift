// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// Signs accounts out: revokes their sessions, and removes them.
public struct SignOutAccounts: KithOperation {
  public static let name = "signOutAccounts"

  /// Whether all accounts are signed out, instead of the one of the workspace.
  public var all: Bool

  public init(all: Bool = false) { self.all = all }

  /// What became of one account.
  public struct Row: Sendable {
    public let account: DID
    /// Its last handle; nil if its session cannot be read.
    public let handle: Handle?
    /// How the sign-out ended; an error if the session could not be removed.
    public let ending: Result<SessionDirectory.SignOut, SessionError>
    /// The jobs that wait for a new session, or why they are unknown; nil if it is still signed in.
    public let unfinishedWork: Result<UnfinishedWork, any Error>?

    /// Why the session was not revoked or not removed; nil if it was.
    public var failure: (any Error)? {
      switch ending {
      case .success(.notRevoked(let error)): error
      case .success: nil
      case .failure(let error): error
      }
    }
  }

  /// How a sign-out ended.
  public struct Outcome: OperationOutcome {
    /// The number of accounts.
    public fileprivate(set) var count = 0
    /// Why sessions were not revoked or not removed.
    public fileprivate(set) var failures: [any Error] = []
    /// The session of the account that is the current one from now on; nil if that did not change.
    public fileprivate(set) var next: Session?
    /// What ended the run before the last account; nil if nothing did.
    public fileprivate(set) var interruption: (any Error)?

    public var ending: Ending {
      Ending(interruption, failure: FailureKind(worstOf: failures, otherwise: .unavailable))
    }
    public var fields: [OutputField] {
      [OutputField]([
        "accounts": .integer(count),
        "failures": .array(failures.map { .cause($0) }),
        "next": .text(next?.did),
      ])
    }
  }

  /// - Throws: `SessionError` if no account is signed in, or the sessions cannot be listed.
  public func run(in workspace: Workspace, _ report: Reporter<Row>) async throws -> Outcome {
    let sessions = try workspace.sessions()
    let accounts =
      all ? try await sessions.store.accounts() : [try await sessions.did(of: workspace.chosenAccount)]
    let current = try? await sessions.did(of: nil)
    var outcome = Outcome()
    do {
      for account in accounts {
        let row = try await Self.signOut(account, sessions, workspace)
        outcome.count += 1
        if let failure = row.failure { outcome.failures.append(failure) }
        try await report.rows([row])
      }
    } catch {
      outcome.interruption = error
      return outcome
    }
    if let current, accounts.contains(current) { outcome.next = try? await sessions.session(of: nil) }
    return outcome
  }

  private static func signOut(
    _ account: DID, _ sessions: SessionDirectory, _ workspace: Workspace
  ) async throws -> Row {
    let handle = try? await sessions.session(of: .did(account)).handle
    do {
      let ending = try await sessions.signOut(account)
      workspace.accounts.forget(account)
      return Row(
        account: account, handle: handle, ending: .success(ending),
        unfinishedWork: await unfinishedWork(of: account, workspace))
    } catch let error as SessionError {
      // An unusable session file does not stop the others from being signed out.
      return Row(account: account, handle: handle, ending: .failure(error), unfinishedWork: nil)
    }
  }

  /// Neither the jobs nor an unreadable journal prevent signing out.
  private static func unfinishedWork(
    of account: DID, _ workspace: Workspace
  ) async -> Result<UnfinishedWork, any Error> {
    do {
      return .success(try await UnfinishedWork(of: account, in: workspace))
    } catch {
      return .failure(error)
    }
  }
}
