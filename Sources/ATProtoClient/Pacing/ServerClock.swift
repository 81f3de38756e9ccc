// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import HTTPTypes

/// Compares the clock of a server with that of this machine, by the `Date` of its answers (RFC 9110, 6.6.1).
package final class ServerClock: HTTPTransport {
  private let transport: any HTTPTransport
  private let time: TimeSource
  private let lead = PosixMutex<Duration?>(nil)

  /// Listens to the answers that a transport brings.
  package init(_ transport: any HTTPTransport, time: TimeSource) {
    self.transport = transport
    self.time = time
  }

  /// How far the server's clock is ahead of this machine's, to about a second and the time of a call; negative where
  /// it is behind. Nil where no answer had a date, or where a shared cache had kept it.
  package var serverLead: Duration? { lead.withLock { $0 } }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let start = time.microsecondsSinceEpoch
    let answer = try await transport.send(request)
    hear(answer.head, since: start)
    return answer
  }

  package func open(_ request: TransportRequest) async throws -> TransportStream {
    let start = time.microsecondsSinceEpoch
    let answer = try await transport.open(request)
    hear(answer.head, since: start)
    return answer
  }

  private func hear(_ head: HTTPResponse, since start: Int64) {
    guard head.headerFields[.age] == nil, let date = head.headerFields[.date].flatMap(RateLimit.date) else {
      return
    }
    let now = time.microsecondsSinceEpoch
    // The date is cut to the second, and was set at some moment between the two.
    let server = date * 1_000_000 + 500_000
    let ahead = server > now ? server - now : server < start ? server - start : 0
    lead.withLock { $0 = .microseconds(ahead) }
  }
}
