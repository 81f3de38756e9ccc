// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import KithCore

/// Authorizes the calls of an ``XRPCClient``: with a bearer token, with a proof that is made for each request (DPoP,
/// RFC 9449), or with whatever the session of an app needs.
///
/// For each call the client asks it to ``prepare()`` before the call waits for its turn, to ``authorize(_:body:)`` each
/// attempt, and, if the service refuses the call for its authorization, once whether it
/// ``canRetry(_:)``. The values of the header fields that it sets are secrets, and are
/// removed from what a server says about the call. An error that it throws is the cause of that of the call, which does not quote it.
public protocol RequestAuthorizer: Sendable {
  /// The only service whose calls it authorizes.
  var service: ServiceURL { get }

  /// Gets ready for a call, such as by renewing a token that is about to expire. By default does nothing.
  ///
  /// - Throws: What the call then fails with: ``XRPCError`` and `CancellationError` as they are, anything else as the
  ///   cause of ``XRPCError/Code/notSignedIn``.
  func prepare() async throws

  /// Sets the header fields that authorize a request.
  ///
  /// Makes no calls: the request holds a place at its host.
  /// - Parameters:
  ///   - head: Method, URL and the other header fields are those that are sent.
  ///   - body: The body; nil for none.
  /// - Throws: As ``prepare()``.
  func authorize(_ head: inout HTTPRequest, body: [UInt8]?) async throws

  /// Takes from an answer, whatever its status, what the next request needs, such as a nonce. By default does nothing.
  func received(_ answer: HTTPResponse) async

  /// Whether a refused call may succeed if it is authorized again; renews what is needed for that.
  ///
  /// The call had no effect. It is made once more, even if it is not idempotent.
  /// - Throws: As ``prepare()``.
  func canRetry(_ refused: RefusedCall) async throws -> Bool
}

extension RequestAuthorizer {
  public func prepare() async throws {}

  public func received(_ answer: HTTPResponse) async {}
}

/// A call that its service refused for its authorization.
public struct RefusedCall: Sendable {
  /// The head as it was sent, with what authorized it.
  public let request: HTTPRequest
  /// The head of the answer.
  public let answer: HTTPResponse
  /// The name of the error; nil if the answer has none.
  public let error: XRPCErrorName?

  /// Creates a refused call.
  public init(request: HTTPRequest, answer: HTTPResponse, error: XRPCErrorName?) {
    (self.request, self.answer, self.error) = (request, answer, error)
  }
}

extension RefusedCall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without the head that was sent, which is secret.
  public var description: String { "refused with \(answer.status)" + (error.map { ": \($0)" } ?? "") }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Authorizes calls with the bearer tokens of a ``CredentialSource`` (RFC 6750).
public final class BearerAuthorizer: RequestAuthorizer {
  /// Where the tokens come from.
  package let credentials: any CredentialSource
  /// The token from ``prepare()``: ``authorize(_:body:)`` must not make calls, and asking the source may.
  private let current = PosixMutex<SessionToken?>(nil)

  /// Creates an authorizer.
  public init(_ credentials: any CredentialSource) { self.credentials = credentials }

  public var service: ServiceURL { credentials.service }

  public func prepare() async throws {
    let before = current.withLock(\.self)
    let token = try await credentials.token()
    // Another call may have been given a newer one meanwhile.
    current.withLock { if $0 == before { $0 = token } }
  }

  public func authorize(_ head: inout HTTPRequest, body: [UInt8]?) async throws {
    guard let token = current.withLock(\.self) else { return }
    head.headerFields[.authorization] = token.authorization
  }

  public func canRetry(_ refused: RefusedCall) async throws -> Bool {
    guard let field = refused.request.headerFields[.authorization],
      let old = SessionToken(authorization: field)
    else { return false }
    let new = try await credentials.token(after: old, isExpired: refused.error == .expiredToken)
    current.withLock { $0 = new }
    return new != old
  }
}

extension SessionToken {
  private static let scheme = "Bearer "

  /// The field `Authorization` with this token.
  var authorization: String { Self.scheme + secret }

  fileprivate init?(authorization field: String) {
    guard field.hasPrefix(Self.scheme) else { return nil }
    self.init(String(field.dropFirst(Self.scheme.count)))
  }
}
