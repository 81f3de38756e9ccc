// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import Synchronization

/// Lets something happen in the middle of many exchanges: when so many have begun, the next waits for it while
/// the others go on.
final class InterruptedTransport: HTTPTransport {
  private let transport: any HTTPTransport
  private let moment: Int
  private let event: @Sendable () async throws -> Void
  private let begun = Atomic(0)

  init(
    _ transport: any HTTPTransport, after moment: Int, _ event: @escaping @Sendable () async throws -> Void
  ) {
    self.transport = transport
    self.moment = moment
    self.event = event
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    if begun.wrappingAdd(1, ordering: .relaxed).oldValue == moment { try await event() }
    return try await transport.send(request)
  }
}
