// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithCore

/// Compares a server's clock with the local one, by the `Date` of its responses (RFC 9110, 6.6.1).
package final class ServerClock: HTTPTransport {
  private let transport: any HTTPTransport
  private let time: TimeSource
  private let lead = PosixMutex<Duration?>(nil)

  /// Wraps a transport.
  package init(_ transport: any HTTPTransport, time: TimeSource) {
    self.transport = transport
    self.time = time
  }

  /// How far the server's clock is ahead of the local one, accurate to about a second and the duration of a
  /// call; negative if it is behind. Nil if no response had a date, or only responses from a shared cache had
  /// one.
  package var serverLead: Duration? { lead.withLock { $0 } }

  /// Clocks that differ by more give records dates that are plainly wrong, and end things at a wrong time.
  private static let tolerance = Duration.seconds(300)

  /// ``serverLead``, if it is more than clocks usually differ.
  package var difference: Duration? {
    serverLead.flatMap { $0 > Self.tolerance || $0 < .zero - Self.tolerance ? $0 : nil }
  }

  package var capabilities: TransportCapabilities { transport.capabilities }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let start = time.instant
    let answer = try await transport.send(request)
    observe(answer.head, since: start)
    return answer
  }

  package func open(_ request: TransportRequest) async throws -> TransportStream {
    let start = time.instant
    let answer = try await transport.open(request)
    observe(answer.head, since: start)
    return answer
  }

  package func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    try await transport.openWebSocket(request, limits: limits)
  }

  private func observe(_ head: HTTPResponse, since start: Instant) {
    guard head.headerFields[.age] == nil, let date = head.headerFields[.date].flatMap(RateLimit.date) else {
      return
    }
    let now = time.instant
    // The date is truncated to the second, and was set at some time between the two.
    let server = date + .milliseconds(500)
    let ahead = server > now ? server - now : server < start ? server - start : .zero
    lead.withLock { $0 = ahead }
  }
}
