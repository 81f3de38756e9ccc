// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Why a handle or a DID did not lead to an identity.
public struct IdentityError: CodedError {
  public static let domain = "identity"

  /// The kind of failure.
  public let code: Code
  /// The handle or DID that was looked up, as text.
  public let subject: String
  /// What happened, as a half-sentence.
  public let detail: String
  /// How long the server asked to wait, for ``Code/rateLimited``, where it said so.
  public let retryAfter: Duration?
  /// What lies underneath: an ``XRPCError``, a ``TransportError``, a `DecodingError`.
  public let underlying: (any Error)?

  /// Makes an error about an identifier.
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

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case notFound, unsupportedMethod, malformedDocument, ambiguous, rateLimited, unavailable
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// The look-up was completed: nobody has this name, or its owner has deleted it.
    public static let notFound = Code(.notFound)
    /// The DID is of a method that the AT Protocol does not use.
    public static let unsupportedMethod = Code(.unsupportedMethod)
    /// The answer is not a DID document, or one of somebody else.
    public static let malformedDocument = Code(.malformedDocument)
    /// The handle leads to several accounts: its DNS records differ, or DNS and web server do.
    public static let ambiguous = Code(.ambiguous)
    /// The directory or the service was asked too often; nothing was learned.
    public static let rateLimited = Code(.rateLimited)
    /// The look-up could not be completed; nothing was learned.
    public static let unavailable = Code(.unavailable)
  }

  /// Whether the look-up was completed, so that asking again would bring the same.
  public var isConclusive: Bool { code != .unavailable && code != .rateLimited }
}
