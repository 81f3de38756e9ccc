// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import TestSupport
import Testing

@Suite struct TransportBodyTests {
  private func chunks(_ body: TransportBody) async throws -> [[UInt8]] {
    try await body.reduce(into: []) { $0.append($1) }
  }

  @Test func aTransportThatOnlySendsGivesTheBodyAsOneChunk() async throws {
    let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])
    let transport = ScriptedTransport(responses: [
      TransportResponse(head: head, body: [1, 2, 3], metrics: .init(bytesReceived: 30))
    ])
    let request = TransportRequest(head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil))
    let stream = try await transport.open(request)
    #expect(stream.head == head)
    #expect(stream.body.metrics.bytesReceived == 30)
    #expect(try await chunks(stream.body) == [[1, 2, 3]])
    #expect(try await chunks(stream.body) == [])
  }

  @Test func anEmptyBodyHasNoChunk() async throws {
    #expect(try await chunks(TransportBody([])) == [])
  }

  @Test func collectsAtMostTheRequestedBytes() async throws {
    #expect(try await TransportBody([1, 2, 3]).collect(upTo: 2) == [1, 2])
    #expect(try await TransportBody([1, 2, 3]).collect(upTo: 5) == [1, 2, 3])
  }

  @Test func isGivenUpWithItsIterator() async throws {
    let source = ScriptedSource()
    let body = TransportBody(source)
    for try await chunk in body {
      #expect(chunk == [0])
      break
    }
    #expect(source.isStopped)
  }

  @Test func aCancelledReaderGetsNothing() async throws {
    let body = TransportBody([1])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await body.collect(upTo: 1)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) { try await body.collect(upTo: 1) }
  }
}
