// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Why an exchange ended without a whole answer.
public struct TransportError: CodedError {
  public static let domain = "transport"

  /// What went wrong.
  public let code: Code
  /// The host that was asked, with its port where the URL names one.
  public let host: String
  private let words: String

  /// Makes an error about an exchange with a host.
  ///
  /// - Parameter detail: the implementation's own words, without anything secret; empty where there are none.
  public init(_ code: Code, host: String, detail: String = "") {
    self.code = code
    self.host = host
    words = detail
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case invalidRequest, cannotResolveHost, cannotConnect, tlsFailure, proxyFailure, proxyRefused, timedOut
      case connectionLost, truncatedBody, responseTooLarge, malformedResponse, forbiddenAddress
      case tooManyRedirects, closed
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The request itself cannot be sent: no host, a scheme that is neither http nor https.
    public static let invalidRequest = Code(.invalidRequest)
    /// The name has no address.
    public static let cannotResolveHost = Code(.cannotResolveHost)
    /// No connection came about.
    public static let cannotConnect = Code(.cannotConnect)
    /// The handshake failed for good or the certificate does not verify.
    public static let tlsFailure = Code(.tlsFailure)
    /// The proxy could not be reached, or broke off before it led to the host.
    public static let proxyFailure = Code(.proxyFailure)
    /// The proxy refused: it wants a password, or does not lead to the host.
    public static let proxyRefused = Code(.proxyRefused)
    /// A limit of ``TransportRequest/Limits`` ran out: connect, stall or total.
    public static let timedOut = Code(.timedOut)
    /// The connection broke before the answer's head.
    public static let connectionLost = Code(.connectionLost)
    /// The connection ended within the body.
    public static let truncatedBody = Code(.truncatedBody)
    /// The body grew past ``TransportRequest/Limits/responseBytes``.
    public static let responseTooLarge = Code(.responseTooLarge)
    /// What came is not HTTP, or its compression is broken.
    public static let malformedResponse = Code(.malformedResponse)
    /// ``TransportRequest/Reach/publicOnly`` rules out the name, its address, the port or the scheme.
    public static let forbiddenAddress = Code(.forbiddenAddress)
    /// More redirects than allowed, or one that leads from https to http.
    public static let tooManyRedirects = Code(.tooManyRedirects)
    /// The transport was closed, before or during the exchange.
    public static let closed = Code(.closed)

    public var description: String { kind.rawValue }

    var words: String {
      switch kind {
      case .invalidRequest: "the request cannot be sent"
      case .cannotResolveHost: "the host name has no address"
      case .cannotConnect: "no connection could be made"
      case .tlsFailure: "the TLS handshake failed"
      case .proxyFailure: "the proxy failed"
      case .proxyRefused: "the proxy refused"
      case .timedOut: "it took too long"
      case .connectionLost: "the connection broke"
      case .truncatedBody: "the answer broke off"
      case .responseTooLarge: "the answer is too large"
      case .malformedResponse: "the answer is malformed"
      case .forbiddenAddress:
        "a host that the user did not name must be public, and answer by https on port 443"
      case .tooManyRedirects: "it redirects where it may not lead"
      case .closed: "the transport is closed"
      }
    }
  }

  /// Whether asking again may help, seen from the wire alone; whether it is safe is the caller's to know.
  public var isTransient: Bool {
    switch code {
    case .cannotResolveHost, .cannotConnect, .proxyFailure, .timedOut, .connectionLost, .truncatedBody,
      .malformedResponse:
      true
    default: false
    }
  }

  public var detail: String { code.words + (words.isEmpty ? "" : " (\(words))") }

  /// The host that was asked.
  public var subject: String { host }

  public var description: String { "asking \(host): \(detail)" }
}
