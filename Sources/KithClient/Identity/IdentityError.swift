// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why a handle or a DID could not be resolved to an identity.
public struct IdentityError: CodedError {
  public static let domain = "identity"

  /// The kind of failure.
  public let code: Code
  /// The handle or DID that was looked up, as text.
  public let subject: String
  /// What happened, as a phrase.
  public let detail: String
  /// How long the server asked to wait, for ``Code/rateLimited``, if it said so.
  public let retryAfter: Duration?
  /// The underlying error: an ``XRPCError``, a ``TransportError``, a `DecodingError`.
  public let underlying: (any Error)?

  /// Creates an error about an identifier.
  public init(
    _ code: Code, subject: some CustomStringConvertible, detail: String, retryAfter: Duration? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.subject = subject.description
    self.detail = detail
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case notFound, unsupportedMethod, malformedDocument, ambiguous, rateLimited, unavailable
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it appears in machine-readable output.
    public var description: String { kind.rawValue }

    /// The lookup succeeded: the name does not exist, or its owner has deleted it.
    public static let notFound = Code(.notFound)
    /// The AT Protocol does not use the method of the DID.
    public static let unsupportedMethod = Code(.unsupportedMethod)
    /// The response is not a DID document, or is the document of another DID.
    public static let malformedDocument = Code(.malformedDocument)
    /// The handle resolves to several accounts: its DNS records differ, or DNS and web server do.
    public static let ambiguous = Code(.ambiguous)
    /// The directory or the service is rate limiting; nothing was found out.
    public static let rateLimited = Code(.rateLimited)
    /// The lookup could not be completed; nothing was found out.
    public static let unavailable = Code(.unavailable)
  }

  /// Whether the lookup was completed, so that a retry would have the same result.
  public var isConclusive: Bool { code != .unavailable && code != .rateLimited }

  public var isTransient: Bool {
    switch code {
    case .rateLimited: true
    case .unavailable: codedCause?.isTransient ?? true
    default: false
    }
  }

  public var errorDescription: String? {
    switch code {
    case .notFound: "This account does not exist."
    case .unsupportedMethod: "This kind of account is not supported."
    case .malformedDocument: "The data of this account could not be read."
    case .ambiguous: "This handle belongs to several accounts."
    case .rateLimited: .tooManyRequests(retryAfter)
    default: sentenceOfCause ?? "The account could not be looked up; try again later."
    }
  }
}
