// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient

/// A transport of one's own: it carries out calls with another one, and tells of each.
///
/// A transport over another HTTP client has the same two requirements: what it enforces, and how it sends. Without
/// `.connectedAddress` and `.headLimit`, only hosts that the app has named are called.
public struct LoggingTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let log: @Sendable (_ line: String) -> Void

  public init(_ base: any HTTPTransport, log: @escaping @Sendable (_ line: String) -> Void) {
    (self.base, self.log) = (base, log)
  }

  public var capabilities: TransportCapabilities {
    base.capabilities.subtracting([.backpressure, .webSocket])
  }

  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    // The path alone: header fields hold tokens, and a body may hold a password.
    let call = "\(request.head.method) \(request.head.path ?? "")"
    do {
      let response = try await base.send(request)
      log("\(call): \(response.head.status.code), \(response.body.count) bytes")
      return response
    } catch {
      log("\(call): \(error)")
      throw error
    }
  }
}
