// SPDX-License-Identifier: Apache-2.0

/// A transport whose exchanges run to their end though whoever asked for them is cancelled meanwhile; for what was
/// sent may have been done, and its answer must be heard. Who is cancelled already sends nothing.
struct UninterruptedTransport: HTTPTransport {
  let transport: any HTTPTransport

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    return try await Task { try await transport.send(request) }.value
  }
}
