// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why there is no usable session.
public struct SessionError: CodedError {
  public static let domain = "session"

  /// The kind of failure.
  public let code: Code
  /// The account or file, as text; empty if there is none.
  public let subject: String
  /// What happened and, for files, the remedy, as a phrase. It may contain a server's words.
  public let detail: String
  /// The account to sign in with, if that is the remedy.
  public let account: ATIdentifier?
  /// The underlying error: an ``XRPCError``, an ``IdentityError``.
  public let underlying: (any Error)?

  /// Creates an error about an account or a file.
  public init(
    _ code: Code, subject: some CustomStringConvertible, detail: String, account: ATIdentifier? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.subject = subject.description
    self.detail = detail
    self.account = account
    self.underlying = underlying
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case notSignedIn, noneChosen, ended, refused, secondFactorRequired, wrongAnswer, unavailable
      case unverifiedHandle, ambiguousHandle, plainText
      case unsafeFile, malformedFile, newerFile, fileTrouble, locked
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it appears in machine-readable output.
    public var description: String { kind.rawValue }

    /// No session of the account is stored.
    public static let notSignedIn = Code(.notSignedIn)
    /// Several accounts are signed in, and none is selected.
    public static let noneChosen = Code(.noneChosen)
    /// The server no longer accepts the session's tokens: revoked, expired, or lost in a refresh.
    public static let ended = Code(.ended)
    /// The server refused the sign-in, usually because of a wrong password.
    public static let refused = Code(.refused)
    /// The server requires a second factor, which it has sent or an app shows.
    public static let secondFactorRequired = Code(.secondFactorRequired)
    /// The handle could not be verified, so the right server for the password is unknown.
    public static let unverifiedHandle = Code(.unverifiedHandle)
    /// Several accounts are signed in under the handle.
    public static let ambiguousHandle = Code(.ambiguousHandle)
    /// A password or tokens would be sent in plain text, beyond this machine.
    public static let plainText = Code(.plainText)
    /// The server returned a session of another account, or none.
    public static let wrongAnswer = Code(.wrongAnswer)
    /// The server could not be reached; see the underlying error. The session is unchanged.
    public static let unavailable = Code(.unavailable)
    /// Other users can read or change a file of the store.
    public static let unsafeFile = Code(.unsafeFile)
    /// A file of the store is damaged.
    public static let malformedFile = Code(.malformedFile)
    /// A newer version of this library wrote a file of the store, in an unknown format.
    public static let newerFile = Code(.newerFile)
    /// The system refused to read or write the store.
    public static let fileTrouble = Code(.fileTrouble)
    /// Another process has held the lock of the session for too long.
    public static let locked = Code(.locked)
  }

  /// Whether signing in again is the remedy.
  public var asksForSignIn: Bool { code == .notSignedIn || code == .ended }

  public var isTransient: Bool {
    switch code {
    case .locked: true
    case .unavailable: codedCause?.isTransient ?? true
    default: false
    }
  }

  public var errorDescription: String? {
    switch code {
    case .notSignedIn: "Sign in first."
    case .noneChosen: "Choose an account first."
    case .ended: "Your session has ended; sign in again."
    case .refused: "The server refused the sign-in; check the password."
    case .secondFactorRequired: "Enter the sign-in code as well."
    case .wrongAnswer: "The server did not open a session of this account."
    case .unavailable: sentenceOfCause ?? "The server could not be reached."
    case .unverifiedHandle: "The handle could not be verified."
    case .ambiguousHandle: "Several accounts are signed in with this handle."
    case .plainText: "The connection is not encrypted, so nothing was sent."
    case .unsafeFile: "Other users can read or change the stored session."
    case .malformedFile: "The stored session is damaged; sign in again."
    case .newerFile: "A newer program stored the session."
    case .locked: "Another process is using the session; try again later."
    default: "The session could not be read or stored."
    }
  }
}

extension SessionError {
  /// Creates an error for an account without a stored session.
  public static func notSignedIn(_ account: ATIdentifier) -> SessionError {
    SessionError(.notSignedIn, subject: account, detail: "not signed in", account: account)
  }

  /// Creates an error for a plain http service, to which no secret is sent unless the user allows it.
  static func plainDecision(_ service: ServiceURL) -> SessionError {
    SessionError(
      .plainText, subject: service,
      detail:
        "nothing was sent: it says where the password goes, and with plain http others on the network can change that"
    )
  }

  static func plainText(_ service: ServiceURL) -> SessionError {
    SessionError(
      .plainText, subject: service,
      detail:
        "nothing was sent: without https, others on the network could read password and tokens")
  }

  /// Creates an error for a session that can no longer be used.
  static func ended(_ session: Session, _ reason: String, _ underlying: (any Error)? = nil) -> SessionError {
    SessionError(
      .ended, subject: session.handle, detail: reason,
      account: session.handle.isInvalid ? .did(session.did) : .handle(session.handle), underlying: underlying)
  }
}
