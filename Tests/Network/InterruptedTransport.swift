// SPDX-License-Identifier: Apache-2.0

import KithClient
import Synchronization

/// Runs an interruption in the middle of many exchanges: after a number of answers, the next exchange waits
/// for it while the others continue.
///
/// It counts answers, not requests: to a client, a server that goes down before its first answer is unknown,
/// and the client gives up within a second.
final class InterruptedTransport: HTTPTransport {
  private let transport: any HTTPTransport
  private let moment: Int
  private let event: @Sendable () async throws -> Void
  private let answered = Atomic(0)
  private let hasBegun = Atomic(false)
  private let hasEnded = Atomic(false)

  /// Whether an exchange has waited for the interruption and was made after it.
  var hasInterrupted: Bool { hasEnded.load(ordering: .relaxed) }

  init(
    _ transport: any HTTPTransport, after moment: Int, _ event: @escaping @Sendable () async throws -> Void
  ) {
    self.transport = transport
    self.moment = moment
    self.event = event
  }

  var capabilities: TransportCapabilities { transport.capabilities.subtracting(.backpressure) }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let isDue = answered.load(ordering: .relaxed) >= moment
    if isDue, !hasBegun.exchange(true, ordering: .relaxed) {
      try await event()
      hasEnded.store(true, ordering: .relaxed)
    }
    let response = try await transport.send(request)
    answered.wrappingAdd(1, ordering: .relaxed)
    return response
  }
}
