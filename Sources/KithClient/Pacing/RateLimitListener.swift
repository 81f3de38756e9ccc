// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithCore

/// A transport that passes on reported rate limits, for callers that track them beyond this process.
package struct RateLimitListener: HTTPTransport {
  private let transport: any HTTPTransport
  private let time: TimeSource
  private let listen: @Sendable (TransportRequest, RateLimit, Instant) async -> Void

  /// Wraps a transport.
  ///
  /// - Parameter listen: Called for each response that reports the caller's own rate limit, with the request,
  ///   the limit and the time of the response. The response is passed on after it
  ///   returns.
  package init(
    _ transport: any HTTPTransport, time: TimeSource = .system,
    to listen:
      @escaping @Sendable (_ request: TransportRequest, _ limit: RateLimit, _ now: Instant) async -> Void
  ) {
    self.transport = transport
    self.time = time
    self.listen = listen
  }

  package var capabilities: TransportCapabilities { transport.capabilities }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let answer = try await transport.send(request)
    await observe(answer.head, request)
    return answer
  }

  package func open(_ request: TransportRequest) async throws -> TransportStream {
    let answer = try await transport.open(request)
    await observe(answer.head, request)
    return answer
  }

  package func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    try await transport.openWebSocket(request, limits: limits)
  }

  private func observe(_ head: HTTPResponse, _ request: TransportRequest) async {
    let now = time.instant
    guard let limit = RateLimit(ofCaller: head.headerFields, at: now) else { return }
    await listen(request, limit, now)
  }
}
