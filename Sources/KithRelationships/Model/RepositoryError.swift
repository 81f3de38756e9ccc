// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why a change failed, or why its outcome is unknown.
public struct RepositoryError: CodedError {
  public static let domain = "repository"

  /// The kind of failure.
  public let code: Code
  /// What happened, as half a sentence, with the remedy if there is one; never contains secrets.
  public let detail: String
  /// How long to wait, if the server said so.
  public let retryAfter: Duration?
  /// The underlying error: an `XRPCError`, a `SessionError`.
  public let underlying: (any Error)?

  /// Creates an error.
  public init(_ code: Code, detail: String, retryAfter: Duration? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  public var isTransient: Bool {
    switch code {
    case .rateLimited, .inDoubt, .outdated: true
    case .unavailable: codedCause?.isTransient ?? true
    case .notAuthorized: codedCause?.isTransient ?? false
    default: false
    }
  }

  public var errorDescription: String? {
    switch code {
    case .refused: "The server refused the change."
    case .taken, .partial: "Something else was changed at the same time."
    case .tooLarge: "The change is too large for the server."
    case .inDoubt: "It is unknown whether the change was made."
    case .rateLimited: .tooManyRequests(retryAfter)
    case .unavailable: sentenceOfCause ?? "The server could not be reached."
    case .notAuthorized: sentenceOfCause ?? "Sign in first."
    case .notPermitted: "This session may not do that."
    case .accountSuspended: "Your account is suspended."
    case .accountDeactivated: "Your account is deactivated."
    case .outdated: "The data has changed; try again."
    default: "The answer of the server could not be read."
    }
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case refused, taken, partial, tooLarge, inDoubt, rateLimited, unavailable, notAuthorized
      case invalidResponse, notPermitted, outdated, accountSuspended, accountDeactivated
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind in machine output.
    public var description: String { kind.rawValue }

    /// The server refuses these writes; nothing was written, and retrying would not help.
    public static let refused = Code(.refused)
    /// Another record exists under the key of a new one; nothing was written, and never will be under this
    /// key.
    public static let taken = Code(.taken)
    /// Only some of the records exist: they were written by different commits, one of them late, or another
    /// client has deleted some since.
    public static let partial = Code(.partial)
    /// More writes or bytes than the server accepts in one commit; nothing was written. A smaller commit
    /// may succeed.
    public static let tooLarge = Code(.tooLarge)
    /// Sent without a definite answer: the change may have happened, or may still happen.
    public static let inDoubt = Code(.inDoubt)
    /// Rate limit exceeded or write budget exhausted; nothing was written.
    public static let rateLimited = Code(.rateLimited)
    /// The server could not be reached, or failed before it accepted the change; nothing was written.
    public static let unavailable = Code(.unavailable)
    /// No longer signed in, or the account may not write; nothing was written.
    public static let notAuthorized = Code(.notAuthorized)
    /// The session may not do this, as that of an app password without the permission; nothing was written,
    /// and signing in again in the same way would not help.
    public static let notPermitted = Code(.notPermitted)
    /// The server has suspended the account or taken it down; nothing was written, and signing in again would not help.
    public static let accountSuspended = Code(.accountSuspended)
    /// The account is deactivated at this server: by its owner, or because it has moved to another one. Nothing was written.
    public static let accountDeactivated = Code(.accountDeactivated)
    /// Invalid response to a read-only request.
    public static let invalidResponse = Code(.invalidResponse)
    /// The repository has changed since it was read; nothing was written. It has to be read again.
    public static let outdated = Code(.outdated)
  }
}
