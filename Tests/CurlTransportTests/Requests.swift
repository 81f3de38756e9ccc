// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import Dispatch
import HTTPTypes
import Testing

extension CurlTransport {
  /// A transport that ignores the proxy variables of the environment.
  static func direct() -> CurlTransport { CurlTransport(Configuration(proxy: .none)) }

  func get(
    _ server: ScriptedServer, _ path: String = "/", limits: TransportRequest.Limits = .init()
  ) async throws -> TransportResponse {
    try await send(.get(server.authority, path, limits: limits))
  }
}

extension TransportRequest {
  static func get(
    _ authority: String, _ path: String = "/", limits: Limits = .init(), redirects: Redirects = .refuse,
    reach: Reach = .anywhere
  ) -> TransportRequest {
    TransportRequest(
      head: HTTPRequest(method: .get, scheme: "http", authority: authority, path: path), limits: limits,
      redirects: redirects, reach: reach)
  }

  static func post(
    _ authority: String, _ path: String = "/", body: String?, redirects: Redirects = .refuse
  ) -> TransportRequest {
    TransportRequest(
      head: HTTPRequest(method: .post, scheme: "http", authority: authority, path: path),
      body: body.map { Array($0.utf8) }, redirects: redirects)
  }
}

extension TransportResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Returns the code of the ``TransportError`` that an exchange ends with; any other outcome is an issue.
func code(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> TransportResponse
) async -> TransportError.Code? {
  let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { try await body() }
  return error?.code
}

/// Blocks a script's thread until the test releases it.
func blockUntilNext(_ stream: AsyncStream<Void>) {
  let semaphore = DispatchSemaphore(value: 0)
  Task {
    for await _ in stream { break }
    semaphore.signal()
  }
  semaphore.wait()
}
