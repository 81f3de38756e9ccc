// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Performs one HTTP exchange. A boundary of this library's I/O: everything above is independent of the
/// transport.
///
/// Implementations pool connections, verify certificates, and enforce the size and time limits of
/// ``TransportRequest/limits``. They only retry a GET or HEAD whose pooled connection turned out to be
/// closed, a few times at most; other retries are decided by their callers.
///
/// Redirects are followed only as ``TransportRequest/redirects`` says: never from https to http, without
/// credentials when they lead to another host, and to another host only at public addresses.
public protocol HTTPTransport: Sendable {
  /// What the transport enforces. Requests that need more are not sent.
  ///
  /// A wrapper returns those of its transport, without ``TransportCapabilities/backpressure`` if it uses the
  /// default ``open(_:)``, and without ``TransportCapabilities/webSocket`` if it opens no WebSockets.
  var capabilities: TransportCapabilities { get }

  /// Sends a request and waits for the complete response.
  ///
  /// Any status code is a response, not an error. Cancelling the task aborts the transfer.
  /// - Throws: ``TransportError`` if there is no complete response; `CancellationError` when cancelled.
  func send(_ request: TransportRequest) async throws -> TransportResponse

  /// Sends a request and waits for the head of the response; the body is read as it arrives.
  ///
  /// For responses that are too large for memory. With ``TransportCapabilities/backpressure`` a slow reader
  /// slows the sender down, and the time in which the reader does not read does not count towards the limits.
  /// - Throws: ``TransportError`` if no head arrived; `CancellationError` when cancelled before it did.
  func open(_ request: TransportRequest) async throws -> TransportStream

  /// Asks a server to speak WebSocket (RFC 6455), and waits for its answer.
  ///
  /// Needs ``TransportCapabilities/webSocket``. Redirects are not followed. ``TransportRequest/Limits`` hold until the answer
  /// is there; a refusal's body is limited as any other.
  ///
  /// - Parameters:
  ///   - request: a GET without a body, with `http` or `https` as the scheme of its URL. Subprotocols are its field
  ///     `Sec-WebSocket-Protocol`; the other fields of the handshake are added.
  ///   - limits: the bounds of the messages.
  /// - Throws: ``TransportError`` if there is no answer; `CancellationError` when cancelled.
  func openWebSocket(_ request: TransportRequest, limits: WebSocketLimits) async throws -> WebSocketAnswer
}

/// What a server answered to a request for a WebSocket.
public enum WebSocketAnswer: Sendable {
  /// It speaks WebSocket, with one of the subprotocols that were offered, or none.
  case opened(any WebSocketConnection, subprotocol: String?)
  /// Any status other than 101.
  case refused(TransportResponse)
}

extension HTTPTransport {
  /// Waits for the complete response and returns its body as one chunk.
  public func open(_ request: TransportRequest) async throws -> TransportStream {
    let answer = try await send(request)
    return TransportStream(head: answer.head, body: TransportBody(answer.body, metrics: answer.metrics))
  }

  /// Fails with `unsupported`.
  public func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    throw TransportError(missing: .webSocket, for: request)
  }
}
