// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A call without a valid response: what was called, and what went wrong.
public struct XRPCError: CodedError {
  public static let domain = "xrpc"

  /// The kind of failure.
  public let code: Code
  /// The method that was called.
  public let method: NSID
  /// The service that was called, as `https://host`.
  public let service: String
  /// The HTTP status, if there was a response.
  public let status: Int?
  /// The error's name in the method's lexicon or the server's own: `ActorNotFound`. The set is open.
  public let name: XRPCErrorName?
  /// The server's message, or one of this library if it sent none. Not cleaned for a terminal.
  public let message: String
  /// The wait that the server asked for, or that an unsent call would have needed; nil for neither.
  public let retryAfter: Duration?
  /// The underlying error: a ``TransportError``, a ``SessionError``, a `DecodingError`, a `ValidationError`.
  public let underlying: (any Error)?
  /// Whether the call was sent; false only if it certainly did not reach the server.
  public let wasSent: Bool

  /// Creates an error, such as for a test of how an app handles it; parameters are the properties.
  public init(
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

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case invalidRequest, notSignedIn, transport, refused, rateLimited, unavailable, invalidResponse
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it appears in machine-readable output.
    public var description: String { kind.rawValue }

    /// Parameters or input violate the method's lexicon; nothing was sent.
    public static let invalidRequest = Code(.invalidRequest)
    /// There is no session to authorize the call; the underlying error is a ``SessionError``.
    public static let notSignedIn = Code(.notSignedIn)
    /// There was no complete response.
    public static let transport = Code(.transport)
    /// The server responded with an error, usually 4xx.
    public static let refused = Code(.refused)
    /// 429: too many requests.
    public static let rateLimited = Code(.rateLimited)
    /// The server failed: 5xx, or 408, 421 or 425.
    public static let unavailable = Code(.unavailable)
    /// The response does not fit the lexicon.
    public static let invalidResponse = Code(.invalidResponse)
  }

  /// Whether the same call may succeed later, judged from the failure alone.
  public var isTransient: Bool {
    switch code {
    case .transport: (underlying as? TransportError)?.isTransient ?? false
    case .rateLimited: true
    case .unavailable: status.map(RetryPolicy.mayPass) ?? false
    case .notSignedIn: codedCause?.isTransient ?? false
    default: false
    }
  }

  public var errorDescription: String? {
    switch code {
    case .invalidRequest: "The request is not valid, so it was not sent."
    case .notSignedIn: sentenceOfCause ?? "Sign in first."
    case .transport: sentenceOfCause ?? "The server could not be reached."
    case .rateLimited: .tooManyRequests(retryAfter)
    case .unavailable: "The server has a problem; try again later."
    case .invalidResponse: "The answer of the server could not be read."
    default: status == 401 ? "Sign in first." : "The server refused the request."
    }
  }

  /// The method and the service.
  public var subject: String { "\(method) at \(service)" }

  /// The response: status, error name and message.
  public var detail: String {
    let answer = [status.map(String.init), name?.rawValue].compactMap(\.self).joined(separator: " ")
    return (answer.isEmpty ? "" : "\(answer): ") + message
  }
}
