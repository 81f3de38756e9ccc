// SPDX-License-Identifier: Apache-2.0

/// Carries one HTTP exchange. The edge of this library's I/O: everything above is transport-neutral.
///
/// Implementations pool connections, verify certificates, bound sizes and times by
/// ``TransportRequest/limits``, and repeat nothing but a GET or a HEAD that a pooled connection swallowed in its
/// death, a few times at most: what else is safe to repeat is decided above.
public protocol HTTPTransport: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// Any status code is an answer, not an error. Cancelling the task aborts the transfer.
  /// - Throws: ``TransportError`` when there is no whole answer; `CancellationError` when cancelled.
  func send(_ request: TransportRequest) async throws -> TransportResponse

  /// Sends a request and waits for the answer's head; the body is read as it comes.
  ///
  /// For answers that are too large to be held. Who reads slowly slows the sender down, and time in which
  /// the reader lets the answer wait counts for none of the limits.
  /// - Throws: ``TransportError`` when no head came; `CancellationError` when cancelled before it did.
  func open(_ request: TransportRequest) async throws -> TransportStream
}

extension HTTPTransport {
  /// Waits for the whole answer and gives its body as one chunk.
  public func open(_ request: TransportRequest) async throws -> TransportStream {
    let answer = try await send(request)
    return TransportStream(head: answer.head, body: TransportBody(answer.body, metrics: answer.metrics))
  }
}
