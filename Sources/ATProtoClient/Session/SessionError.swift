// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Why there is no session to act with.
public struct SessionError: CodedError {
  public static let domain = "session"

  /// The kind of failure.
  public let code: Code
  /// The account or the file that it is about, as text; empty where there is none.
  public let subject: String
  /// What happened and, for files, the way out, as a half-sentence. May hold words of a server.
  public let detail: String
  /// The account to sign in with, where that is the way out.
  public let account: ATIdentifier?
  /// What lies underneath: an ``XRPCError``, an ``IdentityError``.
  public let underlying: (any Error)?

  /// Makes an error about an account or a file.
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

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case notSignedIn, noneChosen, ended, refused, secondFactorRequired, wrongAnswer, unavailable
      case unverifiedHandle, ambiguousHandle, plainText
      case unsafeFile, malformedFile, newerFile, fileTrouble, locked
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// No session of the account is stored.
    public static let notSignedIn = Code(.notSignedIn)
    /// Several accounts are signed in, and it is not known which of them is meant.
    public static let noneChosen = Code(.noneChosen)
    /// The server does not take the session's tokens any more: revoked, expired, or lost in a refresh.
    public static let ended = Code(.ended)
    /// The server refused the sign-in: a wrong password as a rule.
    public static let refused = Code(.refused)
    /// The server wants a second factor, which it has sent or an app shows.
    public static let secondFactorRequired = Code(.secondFactorRequired)
    /// The handle could not be verified, so it is not known which server the password belongs to.
    public static let unverifiedHandle = Code(.unverifiedHandle)
    /// Several accounts are signed in under the handle.
    public static let ambiguousHandle = Code(.ambiguousHandle)
    /// A password or tokens would travel in plain text, beyond this machine.
    public static let plainText = Code(.plainText)
    /// The server answered with a session of somebody else, or with none.
    public static let wrongAnswer = Code(.wrongAnswer)
    /// The server could not be asked; what lies underneath tells why. The session is as it was.
    public static let unavailable = Code(.unavailable)
    /// Others can read or change a file of the store.
    public static let unsafeFile = Code(.unsafeFile)
    /// A file of the store is damaged.
    public static let malformedFile = Code(.malformedFile)
    /// A newer version of this library wrote a file of the store, in a form that this version does not know.
    public static let newerFile = Code(.newerFile)
    /// The system refused to read or write the store.
    public static let fileTrouble = Code(.fileTrouble)
    /// Somebody else has the session locked for too long.
    public static let locked = Code(.locked)
  }

  /// Whether signing in again is the way out.
  public var asksForSignIn: Bool { code == .notSignedIn || code == .ended }
}

extension SessionError {
  /// No session of an account is stored.
  public static func notSignedIn(_ account: ATIdentifier) -> SessionError {
    SessionError(.notSignedIn, subject: account, detail: "not signed in", account: account)
  }

  /// Nothing secret is sent to a server by plain http unless the user allows it.
  static func plainText(_ service: ServiceURL) -> SessionError {
    SessionError(
      .plainText, subject: service,
      detail:
        "nothing was sent, for it does not speak https: others on the network could read password and tokens")
  }

  /// The session of an account is of no use any more.
  static func ended(_ session: Session, _ reason: String, _ underlying: (any Error)? = nil) -> SessionError {
    SessionError(
      .ended, subject: session.handle, detail: reason,
      account: session.handle.isInvalid ? .did(session.did) : .handle(session.handle), underlying: underlying)
  }
}
