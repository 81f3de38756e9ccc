// SPDX-License-Identifier: Apache-2.0

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
  /// default ``open(_:)``.
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
}

extension HTTPTransport {
  /// Waits for the complete response and returns its body as one chunk.
  public func open(_ request: TransportRequest) async throws -> TransportStream {
    let answer = try await send(request)
    return TransportStream(head: answer.head, body: TransportBody(answer.body, metrics: answer.metrics))
  }
}
