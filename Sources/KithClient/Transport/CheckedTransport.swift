// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A transport that only sends what it has the capabilities for.
///
/// Callers in this module store their transport as this type, so that no request bypasses the check.
struct CheckedTransport: HTTPTransport {
  /// The transport that does the work.
  let base: any HTTPTransport

  /// Wraps a transport, unless it is wrapped already.
  init(_ transport: any HTTPTransport) {
    // A cast that fails looks through all conformances of the program; to compare the types first does not.
    if type(of: transport) == CheckedTransport.self, let checked = transport as? CheckedTransport {
      base = checked.base
    } else {
      base = transport
    }
  }

  var capabilities: TransportCapabilities { base.capabilities }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try request.check(base.capabilities)
    return try await base.send(request)
  }

  func open(_ request: TransportRequest) async throws -> TransportStream {
    try request.check(base.capabilities)
    return try await base.open(request)
  }

  func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    try request.check(base.capabilities, and: .webSocket)
    return try await base.openWebSocket(request, limits: limits)
  }
}
