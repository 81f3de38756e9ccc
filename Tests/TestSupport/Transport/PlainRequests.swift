// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import HTTPTypes
package import KithClient
package import Testing

extension HTTPTransport {
  /// Sends a GET without TLS to a server.
  package func get(
    _ server: ScriptedServer, _ path: String = "/", limits: TransportRequest.Limits = .init()
  ) async throws -> TransportResponse {
    try await send(.get(server.authority, path, limits: limits))
  }
}

extension TransportRequest {
  /// Returns a GET without TLS.
  package static func get(
    _ authority: String, _ path: String = "/", limits: Limits = .init(), redirects: Redirects = .refuse,
    reach: Reach = .anywhere
  ) -> TransportRequest {
    TransportRequest(
      head: HTTPRequest(method: .get, scheme: "http", authority: authority, path: path), limits: limits,
      redirects: redirects, reach: reach)
  }

  /// Returns a POST without TLS and without a media type.
  package static func post(
    _ authority: String, _ path: String = "/", body: String?, redirects: Redirects = .refuse
  ) -> TransportRequest {
    TransportRequest(
      head: HTTPRequest(method: .post, scheme: "http", authority: authority, path: path),
      body: body.map { Array($0.utf8) }, redirects: redirects)
  }
}

extension TransportResponse {
  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }
}

extension TransportBody {
  /// Reads to the end and returns the body as text.
  package func text() async throws -> String {
    String(decoding: try await collect(upTo: .max), as: UTF8.self)
  }
}

extension [UInt8] {
  /// Parses pairs of hexadecimal digits.
  package init?(hex: String) {
    self = []
    var rest = hex[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      append(byte)
      rest = rest.dropFirst(2)
    }
  }
}

/// Returns the code of the ``TransportError`` that an exchange ends with; any other outcome is an issue.
package func code<Answer>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Answer
) async -> TransportError.Code? {
  let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { try await body() }
  return error?.code
}

/// Blocks a script's thread until the test releases it.
package func blockUntilNext(_ stream: AsyncStream<Void>) {
  let semaphore = DispatchSemaphore(value: 0)
  Task {
    for await _ in stream { break }
    semaphore.signal()
  }
  semaphore.wait()
}
