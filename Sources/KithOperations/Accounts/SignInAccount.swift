// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// Signs an account in: finds its server, asks for the password, stores the session, and makes it the current one.
///
/// Password and code go to that server only. They come from closures of their own, never as answers to a question, and
/// appear in no outcome, error or note. A name that leads elsewhere than at the last sign-in is asked about, unless the
/// workspace names the server.
public struct SignInAccount: KithOperation {
  public static let name = "signInAccount"

  public typealias Row = Never

  public var account: ATIdentifier
  /// Whether the password may be sent in plain text to another machine.
  public var allowsPlainText = false
  /// Returns the password for a target.
  public var password: @Sendable (SignInTarget) async throws -> Password
  /// Returns the code of the second factor: called with nil before anything is sent, for a code that is known already,
  /// and with the error of a server that requires one. Without a code, that error is thrown.
  public var authFactor: @Sendable (SessionError?) async throws -> String? = { _ in nil }

  public init(_ account: ATIdentifier, password: @escaping @Sendable (SignInTarget) async throws -> Password)
  {
    self.account = account
    self.password = password
  }

  /// How a sign-in ended. Its tokens are not encoded.
  public enum Outcome: OperationOutcome {
    case signedIn(Session)
    /// The answer was no: nothing was sent.
    case declined

    public var ending: Ending { if case .declined = self { .declined } else { .done } }
    public var fields: [OutputField] {
      if case .signedIn(let session) = self { session.fields } else { Session.fields(of: nil) }
    }
  }

  /// - Throws: `SessionError`; `IdentityError` if the account or its server cannot be found; what the closures throw.
  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let sessions = try workspace.sessions()
    let chosen = workspace.services.pds
    let target = try await sessions.target(of: account, at: chosen, allowsPlainText: allowsPlainText)
    let known = try workspace.stores.knownAccounts?()
    // Always read: a file that cannot be used is detected before anything is sent.
    let stored = try await sessions.store.readableSession(of: target.did)
    if let before = try known?.contradiction(of: target, beside: stored), chosen == nil {
      let question = Question.signInElsewhere(SignInContradiction(target: target, before: before))
      guard try await report.ask(question) else { return .declined }
    }
    let session = try await signIn(at: target, try await password(target), sessions)
    try known?.remember(account, session)
    return .signedIn(session)
  }

  private func signIn(
    at target: SignInTarget, _ password: Password, _ sessions: SessionDirectory
  ) async throws -> Session {
    let known = try await authFactor(nil)?.withoutSpaces
    do {
      return try await sessions.signIn(at: target, password: password, authFactorToken: known)
    } catch let error as SessionError where error.code == .secondFactorRequired && known == nil {
      guard let code = try await authFactor(error)?.withoutSpaces else { throw error }
      return try await sessions.signIn(at: target, password: password, authFactorToken: code)
    }
  }
}

extension Session {
  /// What may be said of it: no token.
  var fields: [OutputField] { Self.fields(of: self) }

  fileprivate static func fields(of session: Session?) -> [OutputField] {
    [OutputField]([
      "did": .text(session?.did), "handle": .text(session?.handle), "pds": .text(session?.pds),
    ])
  }
}

extension SessionStore {
  /// The session of an earlier sign-in; nil for one whose content cannot be read, which a new sign-in replaces.
  fileprivate func readableSession(of did: DID?) async throws -> Session? {
    guard let did else { return nil }
    do {
      return try await session(of: did)
    } catch let error as SessionError where [.malformedFile, .newerFile].contains(error.code) {
      return nil
    }
  }
}

extension String {
  fileprivate var withoutSpaces: String { filter { !$0.isWhitespace } }
}
