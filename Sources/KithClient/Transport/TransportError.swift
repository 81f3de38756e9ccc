// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why an exchange ended without a complete response.
public struct TransportError: CodedError {
  public static let domain = "transport"

  /// The kind of failure.
  public let code: Code
  /// The host, with its port if the URL has one.
  public let host: String
  private let words: String

  /// Creates an error about an exchange with a host.
  ///
  /// - Parameter detail: Details from the implementation, without anything secret; empty if there are none.
  public init(_ code: Code, host: String, detail: String = "") {
    self.code = code
    self.host = host
    words = detail
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case invalidRequest, cannotResolveHost, cannotConnect, tlsFailure, proxyFailure, proxyRefused, timedOut
      case connectionLost, truncatedBody, responseTooLarge, malformedResponse, forbiddenAddress
      case tooManyRedirects, closed, unsupported
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The request cannot be sent: no host, or a scheme that is neither http nor https.
    public static let invalidRequest = Code(.invalidRequest)
    /// The host name has no address.
    public static let cannotResolveHost = Code(.cannotResolveHost)
    /// The connection could not be established.
    public static let cannotConnect = Code(.cannotConnect)
    /// The TLS handshake failed permanently, or the certificate is not valid.
    public static let tlsFailure = Code(.tlsFailure)
    /// The proxy could not be reached, or closed the connection before it reached the host.
    public static let proxyFailure = Code(.proxyFailure)
    /// The proxy refused: it requires a password, or does not connect to the host.
    public static let proxyRefused = Code(.proxyRefused)
    /// A limit of ``TransportRequest/Limits`` was exceeded: connect, stall or total.
    public static let timedOut = Code(.timedOut)
    /// The connection broke before the head of the response.
    public static let connectionLost = Code(.connectionLost)
    /// The connection broke within the body.
    public static let truncatedBody = Code(.truncatedBody)
    /// The body exceeded ``TransportRequest/Limits/responseBytes``.
    public static let responseTooLarge = Code(.responseTooLarge)
    /// The response is not HTTP, or its compression is broken.
    public static let malformedResponse = Code(.malformedResponse)
    /// ``TransportRequest/Reach/publicOnly`` forbids the name, its address, the port or the scheme.
    public static let forbiddenAddress = Code(.forbiddenAddress)
    /// More redirects than allowed, or a redirect from https to http.
    public static let tooManyRedirects = Code(.tooManyRedirects)
    /// The transport was closed, before or during the exchange.
    public static let closed = Code(.closed)
    /// The transport lacks ``TransportCapabilities`` that the request needs.
    public static let unsupported = Code(.unsupported)

    public var description: String { kind.rawValue }

    var words: String {
      switch kind {
      case .invalidRequest: "the request cannot be sent"
      case .cannotResolveHost: "the host name has no address"
      case .cannotConnect: "the connection could not be established"
      case .tlsFailure: "the TLS handshake failed"
      case .proxyFailure: "the proxy failed"
      case .proxyRefused: "the proxy refused"
      case .timedOut: "it took too long"
      case .connectionLost: "the connection broke"
      case .truncatedBody: "the response was cut off"
      case .responseTooLarge: "the response is too large"
      case .malformedResponse: "the response is malformed"
      case .forbiddenAddress:
        "a host that was not named explicitly must be public and use https on port 443"
      case .tooManyRedirects: "the redirect is not allowed"
      case .closed: "the transport is closed"
      case .unsupported: "the transport does not enforce what this request needs"
      }
    }
  }

  /// Whether a retry may help, judged from the failure alone; whether it is safe is up to the caller.
  public var isTransient: Bool {
    switch code {
    case .cannotResolveHost, .cannotConnect, .proxyFailure, .timedOut, .connectionLost, .truncatedBody,
      .malformedResponse:
      true
    default: false
    }
  }

  public var isOffline: Bool { code == .cannotResolveHost || code == .cannotConnect }

  public var errorDescription: String? {
    switch code {
    case .cannotResolveHost, .cannotConnect: "You seem to be offline."
    case .tlsFailure: "The secure connection to the server failed."
    case .proxyFailure, .proxyRefused: "The proxy could not be used."
    case .timedOut: "The server took too long to answer."
    case .connectionLost, .truncatedBody: "The connection to the server broke."
    case .responseTooLarge, .malformedResponse: "The answer of the server could not be read."
    case .forbiddenAddress: "This server may not be contacted."
    case .tooManyRedirects: "The server redirected the request too often."
    default: "The request could not be sent."
    }
  }

  public var detail: String { code.words + (words.isEmpty ? "" : " (\(words))") }

  /// The host that was asked.
  public var subject: String { host }

  public var description: String { "asking \(host): \(detail)" }
}
