// SPDX-License-Identifier: Apache-2.0

/// A transport that completes its exchanges even if the caller's task is cancelled meanwhile, because the
/// request may have taken effect and its response is needed. A task that is already cancelled sends nothing.
struct CancellationShieldedTransport: HTTPTransport {
  let transport: any HTTPTransport

  var capabilities: TransportCapabilities { transport.capabilities.subtracting(.backpressure) }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    return try await Task { try await transport.send(request) }.value
  }
}
