// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import Synchronization

/// The reader's side of a streamed response. The loop does not retain it: releasing it ends the exchange.
final class CurlBodyReader: TransportBodySource {
  private let exchange: CurlExchange
  private let buffer: CurlBodyBuffer
  private let mailbox: CurlMailbox
  /// Retained while there is a reader, because a deallocated transport ends its exchanges.
  private let transport: CurlTransport

  /// Starts the exchange.
  /// - Throws: ``TransportError`` with `closed`.
  init(_ exchange: CurlExchange, _ mailbox: CurlMailbox, _ transport: CurlTransport) throws(TransportError) {
    self.exchange = exchange
    self.mailbox = mailbox
    self.transport = transport
    buffer = CurlBodyBuffer()
    guard mailbox.post(.start(exchange, .stream(buffer))) else {
      throw TransportError(.closed, host: exchange.host)
    }
  }

  deinit { stop() }

  var metrics: TransportResponse.Metrics { buffer.metrics }

  /// Waits for the head.
  func head() async throws -> HTTPResponse {
    switch try await taken() {
    case .head(let bytes): return try exchange.parseHead(bytes)
    case .end(.failure(let error)): throw error
    // Invariant: the queue delivers the head before any other part of a response.
    default: throw TransportError(.malformedResponse, host: exchange.host, detail: "it has no head")
    }
  }

  func next() async throws -> [UInt8]? {
    switch try await taken() {
    case .bytes(let bytes, let resume):
      if resume { _ = mailbox.post(.resume(exchange)) }
      return bytes
    case .end(let result):
      try result.get()
      return nil
    // Invariant: ``head()`` was called first and took the head, and `nothing` never leaves the buffer.
    case .head, .nothing: return nil
    }
  }

  func stop() {
    exchange.isCancelled.store(true, ordering: .releasing)
    if buffer.update({ $0.stop() }) { _ = mailbox.post(.cancel(exchange)) }
  }

  private func taken() async throws -> CurlBodyQueue.Taken {
    await withTaskCancellationHandler {
      await buffer.next()
    } onCancel: {
      stop()
    }
  }
}
