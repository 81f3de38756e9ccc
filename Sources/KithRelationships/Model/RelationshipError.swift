// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore

/// Why a query about a relationship failed.
public struct RelationshipError: CodedError {
  public static let domain = "relationship"

  /// The kind of failure.
  public let code: Code
  /// What the error concerns: a handle, a DID, a typed text; empty if nothing in particular.
  public let subject: String
  /// What happened, as half a sentence, with the remedy if there is one.
  public let detail: String
  /// The JSON path of the invalid value, for ``Code/invalidResponse``: `relationships[1].did`. Nil if the
  /// fault is not in the JSON.
  public let path: String?
  /// How long the server asks to wait, for ``Code/rateLimited``.
  public let retryAfter: Duration?
  /// The underlying error: an `XRPCError`, an `IdentityError`, a `SyntaxError`.
  public let underlying: (any Error)?

  /// Creates an error, such as one of a source of the app's own; parameters are the properties.
  public init(
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

  public var isTransient: Bool {
    switch code {
    case .rateLimited: true
    case .networkError: codedCause?.isTransient ?? true
    case .clientNotConfigured: codedCause?.isTransient ?? false
    default: false
    }
  }

  public var errorDescription: String? {
    switch code {
    case .invalidInput: sentenceOfCause ?? detail.asSentence
    case .actorNotFound: "This account does not exist."
    case .accountTakenDown: "This account is suspended."
    case .accountDeactivated: "This account is deactivated."
    case .accountNotShown: "The service does not show this account."
    case .listNotFound: "This list does not exist."
    case .postNotFound: "This post does not exist."
    case .hiddenByBlock: "A block hides this."
    case .networkError: sentenceOfCause ?? "The service could not be reached."
    case .rateLimited: .tooManyRequests(retryAfter)
    case .refused: "The service refused the request."
    case .clientNotConfigured: underlying == nil ? detail.asSentence : sentenceOfCause ?? "Sign in first."
    default: "The answer of the service could not be read."
    }
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case invalidInput, actorNotFound, accountTakenDown, accountDeactivated, accountNotShown, listNotFound,
        postNotFound, hiddenByBlock, networkError, rateLimited, refused, invalidResponse,
        clientNotConfigured
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind in machine output.
    public var description: String { kind.rawValue }

    /// The text is not a handle, DID, profile URL or AT-URI.
    public static let invalidInput = Code(.invalidInput)
    /// The network does not show such an account.
    public static let actorNotFound = Code(.actorNotFound)
    /// The account exists, but moderators have suspended it or taken it down.
    public static let accountTakenDown = Code(.accountTakenDown)
    /// The account exists, but its owner has deactivated it.
    public static let accountDeactivated = Code(.accountDeactivated)
    /// The account exists, but the AppView does not show it, so what it follows or blocks is unknown.
    public static let accountNotShown = Code(.accountNotShown)
    /// The list does not exist, or is not shown.
    public static let listNotFound = Code(.listNotFound)
    /// The post does not exist, or is not shown.
    public static let postNotFound = Code(.postNotFound)
    /// A block between the account and the viewer hides it; nothing is known of what it hides.
    public static let hiddenByBlock = Code(.hiddenByBlock)
    /// The service could not be reached or failed.
    public static let networkError = Code(.networkError)
    /// Rate limit exceeded.
    public static let rateLimited = Code(.rateLimited)
    /// The service refuses the request; repeating it would not help.
    public static let refused = Code(.refused)
    /// The answer breaks the protocol.
    public static let invalidResponse = Code(.invalidResponse)
    /// The service requires sign-in, and the client is signed out or its session has expired.
    public static let clientNotConfigured = Code(.clientNotConfigured)
  }

  /// The detail for an account that does not exist.
  static let noSuchAccount = "no such account"

  /// The account does not exist.
  public static func actorNotFound(_ actor: some CustomStringConvertible) -> RelationshipError {
    RelationshipError(.actorNotFound, subject: actor.description, detail: noSuchAccount)
  }

  /// The account exists, but the AppView does not show it; the error's name says why (Q2, Q14).
  ///
  /// - Returns: nil for any other error.
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

  /// The AppView does not show the account, so its answers say nothing about what the account does (Q2).
  static func accountNotShown(_ account: DID) -> RelationshipError {
    RelationshipError(
      .accountNotShown, subject: account.description,
      detail: "not shown by the AppView, so it is unknown which accounts it follows or blocks")
  }

  /// The list does not exist, or is not shown.
  public static func listNotFound(_ list: some CustomStringConvertible) -> RelationshipError {
    RelationshipError(.listNotFound, subject: list.description, detail: "no such list")
  }

  /// The post does not exist, or is not shown.
  package static func postNotFound(_ post: ATURI) -> RelationshipError {
    RelationshipError(
      .postNotFound, subject: post.description, detail: "no such post, or not shown by the AppView")
  }

  /// The post is there, but a block in either direction hides it from the viewer.
  package static func postHiddenByBlock(_ post: ATURI) -> RelationshipError {
    RelationshipError(
      .hiddenByBlock, subject: post.description, detail: "a block hides the post from the signed-in account")
  }

  /// The service could not be reached or failed.
  public static func networkError(_ underlying: any Error) -> RelationshipError {
    RelationshipError(.networkError, detail: "\(underlying)", underlying: underlying)
  }

  /// The answer breaks the protocol.
  public static let invalidResponse = RelationshipError(
    .invalidResponse, detail: "invalid response")

  /// The service requires sign-in.
  public static let clientNotConfigured = RelationshipError(
    .clientNotConfigured, detail: "the service requires sign-in")

  /// Requires a backlink index, and there is none.
  static let noIndex = RelationshipError(
    .clientNotConfigured, detail: "requires a backlink index, and none is configured")

  /// The answer breaks the protocol at a given path.
  package static func invalidResponse(_ method: NSID, path: String, _ reason: String) -> RelationshipError {
    RelationshipError(.invalidResponse, detail: "\(method): \(path): \(reason)", path: path)
  }

  /// The answer breaks the protocol, as described by its decoder.
  static func invalidResponse(_ method: NSID, _ fault: DecodingFault) -> RelationshipError {
    RelationshipError(.invalidResponse, detail: "\(method): \(fault)", path: fault.path)
  }

  /// Elements of answers break the protocol; the others were used.
  package static func unreadableElements(
    _ method: NSID, _ count: Int, first: DecodingError
  ) -> RelationshipError {
    let fault = DecodingFault(first)
    return RelationshipError(
      .invalidResponse,
      detail: "\(method): \(count) \(count == 1 ? "element" : "elements") cannot be read: \(fault)",
      path: fault.path)
  }

  /// Converts a failed call.
  init(_ error: XRPCError, subject: String = "") {
    if let block = error.hidingBlock {
      self.init(.hiddenByBlock, subject: subject, detail: block.detail, underlying: error)
      return
    }
    let code: Code =
      switch error.code {
      case .rateLimited: .rateLimited
      case .invalidResponse: .invalidResponse
      case .notSignedIn: .clientNotConfigured
      case _ where error.status == 401 || error.name?.rawValue == "AuthMissing": .clientNotConfigured
      // A request that the lexicon does not allow is not sent, so repeating it would not help.
      case .refused, .invalidRequest: .refused
      default: .networkError
      }
    self.init(
      code, subject: subject, detail: "\(error)",
      path: (error.underlying as? DecodingError).map { DecodingFault($0).path }, retryAfter: error.retryAfter,
      underlying: error)
  }

  /// Converts a failed identity lookup.
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

  /// Converts any failure of a call; nil for a cancellation.
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

extension XRPCError.HidingBlock {
  fileprivate var detail: String {
    switch self {
    case .byViewer: "the viewer blocks the account, so the service does not show it"
    case .byAccount: "the account blocks the viewer, so the service does not show it"
    }
  }
}
