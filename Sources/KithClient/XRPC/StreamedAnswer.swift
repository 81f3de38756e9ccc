// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The body of a streamed call: converts its errors to ``XRPCError``, and counts its cost once at the end.
final class StreamedAnswer: TransportBodySource {
  private let body: TransportBody
  private let chunks: TransportBody.AsyncIterator
  private let fault: @Sendable (TransportError) -> XRPCError
  private let count: @Sendable (TransportResponse.Metrics) -> Void
  private let isCounted = PosixMutex(false)

  /// Wraps a body.
  ///
  /// - Parameters:
  ///   - fault: Converts a transport error to an error of the call.
  ///   - count: Called once with the cost of the exchange, when the body has ended or is released.
  init(
    _ body: TransportBody, fault: @escaping @Sendable (TransportError) -> XRPCError,
    count: @escaping @Sendable (TransportResponse.Metrics) -> Void
  ) {
    self.body = body
    self.fault = fault
    self.count = count
    chunks = body.makeAsyncIterator()
  }

  deinit { countOnce() }

  var metrics: TransportResponse.Metrics { body.metrics }

  func next() async throws -> [UInt8]? {
    var chunks = chunks
    let chunk: [UInt8]?
    do {
      chunk = try await chunks.next()
    } catch {
      countOnce()
      throw (error as? TransportError).map(fault) ?? error
    }
    if chunk == nil { countOnce() }
    return chunk
  }

  func stop() { chunks.stop() }

  private func countOnce() {
    let isFirst = isCounted.withLock { isCounted in
      defer { isCounted = true }
      return !isCounted
    }
    if isFirst { count(body.metrics) }
  }
}
