// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A call that did not lead to an answer: what was asked, and why there is none.
public struct XRPCError: CodedError {
  public static let domain = "xrpc"

  /// The kind of failure.
  public let code: Code
  /// The method that was called.
  public let method: NSID
  /// The service that was asked, as `https://host`.
  public let service: String
  /// The HTTP status, where an answer came.
  public let status: Int?
  /// The error's name in the method's lexicon or the server's own: `ActorNotFound`. Names are open.
  public let name: XRPCErrorName?
  /// The server's words, or ours where it had none. Not yet cleaned for a terminal.
  public let message: String
  /// How long the server asked to wait, or how long a call that was not sent would have had to; nil for neither.
  public let retryAfter: Duration?
  /// What lies underneath: a ``TransportError``, a ``SessionError``, a `DecodingError`, a
  /// `ValidationError`.
  public let underlying: (any Error)?
  /// Whether the call went out at all; false only where it is certain that nobody heard of it.
  public let wasSent: Bool

  init(
    _ code: Code, method: NSID, service: String, status: Int? = nil, name: XRPCErrorName? = nil,
    message: String,
    retryAfter: Duration? = nil, underlying: (any Error)? = nil, wasSent: Bool = true
  ) {
    self.code = code
    self.method = method
    self.service = service
    self.status = status
    self.name = name
    self.message = message
    self.retryAfter = retryAfter
    self.underlying = underlying
    self.wasSent = wasSent
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case invalidRequest, notSignedIn, transport, refused, rateLimited, unavailable, invalidResponse
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// Parameters or input break the method's lexicon; nothing was sent.
    public static let invalidRequest = Code(.invalidRequest)
    /// There is no session to sign the call with; a ``SessionError`` lies underneath.
    public static let notSignedIn = Code(.notSignedIn)
    /// No whole answer came.
    public static let transport = Code(.transport)
    /// The server answered with an error, 4xx as a rule.
    public static let refused = Code(.refused)
    /// 429: asked too often.
    public static let rateLimited = Code(.rateLimited)
    /// The server failed: 5xx.
    public static let unavailable = Code(.unavailable)
    /// The answer came but is not what the lexicon promises.
    public static let invalidResponse = Code(.invalidResponse)
  }

  /// Whether the same call may succeed later, seen from the failure alone.
  public var isTransient: Bool {
    switch code {
    case .transport: (underlying as? TransportError)?.isTransient ?? false
    case .rateLimited: true
    case .unavailable: status.map(RetryPolicy.passingStatuses.contains) ?? false
    default: false
    }
  }

  /// What was called, and where.
  public var subject: String { "\(method) at \(service)" }

  /// What was answered: status, name and words.
  public var detail: String {
    let answer = [status.map(String.init), name?.rawValue].compactMap(\.self).joined(separator: " ")
    return (answer.isEmpty ? "" : "\(answer): ") + message
  }
}
