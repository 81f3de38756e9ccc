// SPDX-License-Identifier: Apache-2.0

/// Carries one HTTP exchange. The edge of this library's I/O: everything above is transport-neutral.
///
/// Implementations pool connections, verify certificates, bound sizes and times by
/// ``TransportRequest/limits``, and repeat nothing but a GET that a pooled connection swallowed in its death:
/// what else is safe to repeat is decided above.
public protocol HTTPTransport: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// Any status code is an answer, not an error. Cancelling the task aborts the transfer.
  /// - Throws: ``TransportError`` when there is no whole answer; `CancellationError` when cancelled.
  func send(_ request: TransportRequest) async throws -> TransportResponse
}
