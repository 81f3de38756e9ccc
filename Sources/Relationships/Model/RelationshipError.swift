// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
public import ATProtoCore

/// Why a question about a relationship has no answer.
public struct RelationshipError: CodedError {
  public static let domain = "relationship"

  /// The kind of failure.
  public let code: Code
  /// Whom or what it concerns: a handle, a DID, a text that was typed; empty where it is nobody in particular.
  public let subject: String
  /// What happened, as a half-sentence that names the way out where there is one.
  public let detail: String
  /// Where the answer breaks the protocol, for ``Code/invalidResponse``: `relationships[1].did`. Nil where that is
  /// not in its JSON.
  public let path: String?
  /// How long the server asked to wait, for ``Code/rateLimited``.
  public let retryAfter: Duration?
  /// What lies underneath: an `XRPCError`, an `IdentityError`, a `SyntaxError`.
  public let underlying: (any Error)?

  init(
    _ code: Code, subject: String = "", detail: String, path: String? = nil, retryAfter: Duration? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.subject = subject
    self.detail = detail
    self.path = path
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case invalidInput, actorNotFound, accountTakenDown, accountDeactivated, listNotFound, networkError,
        rateLimited, refused, invalidResponse,
        clientNotConfigured
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// A text is no handle, DID, profile URL or AT-URI.
    public static let invalidInput = Code(.invalidInput)
    /// The account does not exist, as far as the network tells.
    public static let actorNotFound = Code(.actorNotFound)
    /// The account exists, but moderators have suspended it or taken it down.
    public static let accountTakenDown = Code(.accountTakenDown)
    /// The account exists, but its owner has deactivated it.
    public static let accountDeactivated = Code(.accountDeactivated)
    /// The list does not exist, or is not shown.
    public static let listNotFound = Code(.listNotFound)
    /// The service could not be reached or failed.
    public static let networkError = Code(.networkError)
    /// The service was asked too often.
    public static let rateLimited = Code(.rateLimited)
    /// The service refuses the question; asking again would bring the same.
    public static let refused = Code(.refused)
    /// The answer breaks the protocol.
    public static let invalidResponse = Code(.invalidResponse)
    /// The service answers only who is signed in, and nobody is, or the session has ended.
    public static let clientNotConfigured = Code(.clientNotConfigured)
  }

  /// What is said of an account that does not exist.
  static let noSuchAccount = "no such account"

  /// The account does not exist.
  public static func actorNotFound(_ actor: some CustomStringConvertible) -> RelationshipError {
    RelationshipError(.actorNotFound, subject: actor.description, detail: noSuchAccount)
  }

  /// The account exists, but the AppView does not show it: the error's name says why (Q2, Q14).
  ///
  /// - Returns: nil for an error that says something else.
  static func hiddenAccount(_ account: DID, _ error: XRPCError) -> RelationshipError? {
    guard error.saysHidden else { return nil }
    return error.name?.rawValue == "AccountDeactivated"
      ? RelationshipError(
        .accountDeactivated, subject: account.description, detail: "the account is deactivated",
        underlying: error)
      : RelationshipError(
        .accountTakenDown, subject: account.description, detail: "the account is suspended or taken down",
        underlying: error)
  }

  /// The list does not exist, or is not shown.
  public static func listNotFound(_ list: some CustomStringConvertible) -> RelationshipError {
    RelationshipError(.listNotFound, subject: list.description, detail: "no such list")
  }

  /// The service could not be reached or failed.
  public static func networkError(_ underlying: any Error) -> RelationshipError {
    RelationshipError(.networkError, detail: "\(underlying)", underlying: underlying)
  }

  /// The answer breaks the protocol.
  public static let invalidResponse = RelationshipError(
    .invalidResponse, detail: "the answer breaks the protocol")

  /// The service answers only who is signed in.
  public static let clientNotConfigured = RelationshipError(
    .clientNotConfigured, detail: "the service answers only who is signed in")

  /// Only an index of backlinks could tell, and none was given.
  static let noIndex = RelationshipError(
    .clientNotConfigured, detail: "no AppView tells it, and no index was given that could")

  /// The answer breaks the protocol, in a way that can be named.
  static func invalidResponse(_ method: NSID, path: String, _ reason: String) -> RelationshipError {
    RelationshipError(.invalidResponse, detail: "\(method): \(path): \(reason)", path: path)
  }

  /// The answer breaks the protocol, in a way that its reader has put into words.
  static func invalidResponse(_ method: NSID, _ fault: DecodingFault) -> RelationshipError {
    RelationshipError(.invalidResponse, detail: "\(method): \(fault)", path: fault.path)
  }

  /// Puts a failed call into the terms of relationships.
  init(_ error: XRPCError, subject: String = "") {
    let code: Code =
      switch error.code {
      case .rateLimited: .rateLimited
      case .invalidResponse: .invalidResponse
      case .notSignedIn: .clientNotConfigured
      case _ where error.status == 401 || error.name?.rawValue == "AuthMissing": .clientNotConfigured
      // What the lexicon does not allow was not sent, and would not be the next time.
      case .refused, .invalidRequest: .refused
      default: .networkError
      }
    self.init(
      code, subject: subject, detail: "\(error)",
      path: (error.underlying as? DecodingError).map { DecodingFault($0).path }, retryAfter: error.retryAfter,
      underlying: error)
  }

  /// Puts a failed look-up of an identity into the terms of relationships.
  init(_ error: IdentityError) {
    if error.code != .notFound, error.code != .unsupportedMethod, let call = error.underlying as? XRPCError {
      self.init(call, subject: error.subject)
      return
    }
    let code: Code =
      switch error.code {
      case .notFound: .actorNotFound
      case .rateLimited: .rateLimited
      case .malformedDocument: .invalidResponse
      case .unsupportedMethod: .invalidInput
      default: .networkError
      }
    self.init(
      code, subject: error.subject, detail: error.detail, retryAfter: error.retryAfter, underlying: error)
  }

  /// Puts any failure of a call into the terms of relationships; nil for a cancellation.
  package static func wrapping(_ error: any Error) -> RelationshipError? {
    switch error {
    case let error as RelationshipError: error
    case let error as XRPCError: RelationshipError(error)
    case let error as IdentityError: RelationshipError(error)
    case is CancellationError: nil
    default: networkError(error)
    }
  }
}
