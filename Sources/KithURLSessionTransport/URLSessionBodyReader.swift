// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient

/// The reader's side of a response. Neither the session nor the exchange retains it: releasing it ends the
/// exchange.
final class URLSessionBodyReader: TransportBodySource {
  private let exchange: URLSessionExchange
  /// Retained while there is a reader, because a deallocated transport ends its exchanges.
  private let transport: URLSessionTransport

  init(_ exchange: URLSessionExchange, _ transport: URLSessionTransport) {
    self.exchange = exchange
    self.transport = transport
  }

  deinit { stop() }

  var metrics: TransportResponse.Metrics { exchange.metrics }

  /// Waits for the head.
  func head() async throws -> HTTPResponse {
    switch try await taken() {
    case .head(let head): return head
    case .end(.failure(let error)): throw error
    default: throw TransportError(.malformedResponse, host: exchange.host, detail: "it has no head")
    }
  }

  func next() async throws -> [UInt8]? {
    switch try await taken() {
    case .bytes(let bytes): return bytes
    case .end(let result):
      try result.get()
      return nil
    // Invariant: ``head()`` was called first and took the head, and `nothing` never leaves the exchange.
    case .head, .nothing: return nil
    }
  }

  func stop() { exchange.stop() }

  private func taken() async throws -> URLSessionTransfer.Taken {
    await withTaskCancellationHandler {
      await exchange.next()
    } onCancel: {
      stop()
    }
  }
}
