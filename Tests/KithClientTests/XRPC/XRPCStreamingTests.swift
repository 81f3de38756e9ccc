// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@Suite struct XRPCStreamingTests {
  private let method = "com.atproto.sync.getBlob"

  private func client(_ transport: ScriptedTransport) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      time: ManualClock().timeSource())
  }

  private func request() throws -> XRPCRequest {
    XRPCRequest(
      method: try NSID(parsing: method), verb: .get, items: [XRPCQueryItem("cid", "x")], accept: "*/*")
  }

  private func answer(
    _ body: [UInt8], status: HTTPResponse.Status = .ok, type: String = "image/png"
  ) -> TransportResponse {
    TransportResponse(
      head: HTTPResponse(status: status, headerFields: [.contentType: type]), body: body,
      metrics: .init(bytesSent: 10, bytesReceived: 100, connectionsOpened: 1))
  }

  @Test func givesTypeAndBytes() async throws {
    let transport = ScriptedTransport(responses: [answer([0, 255, 0], type: "Image/PNG; q=1")])
    let stream = try await client(transport).stream(request(), repeatable: true)
    #expect(stream.mediaType == "image/png")
    #expect(try await stream.body.collect(upTo: .max) == [0, 255, 0])
    #expect(transport.paths == ["/xrpc/com.atproto.sync.getBlob?cid=x"])
    #expect(transport.requests.first?.limits == .streamed)
  }

  @Test func countsTheCostWhenTheBodyIsReadOrLetGoOf() async throws {
    let transport = ScriptedTransport(responses: [answer([1]), answer([2])])
    let client = try client(transport)
    _ = try await client.stream(request(), repeatable: true).body.collect(upTo: .max)
    #expect(client.meter.costByMethod[method]?.bytesReceived == 100)
    _ = try await client.stream(request(), repeatable: true)
    #expect(client.meter.costByMethod[method]?.calls == 2)
    #expect(client.meter.costByMethod[method]?.bytesReceived == 200)
  }

  @Test func reportsTheMessagesOfRefusals() async throws {
    let body = Array(#"{"error":"BlobNotFound","message":"no such blob"}"#.utf8)
    let transport = ScriptedTransport(responses: [answer(body, status: .badRequest)])
    let error = await #expect(throws: XRPCError.self) {
      try await client(transport).stream(request(), repeatable: true)
    }
    #expect(error?.name?.rawValue == "BlobNotFound")
    #expect(error?.message == "no such blob")
    #expect(error?.status == 400)
  }

  @Test func faultsOfTheWireNameTheCall() async throws {
    let transport = ScriptedTransport([.failure(TransportError(.tlsFailure, host: "pds.test"))])
    let error = await #expect(throws: XRPCError.self) {
      try await client(transport).stream(request(), repeatable: true)
    }
    #expect(error?.code == .transport)
    #expect((error?.underlying as? TransportError)?.code == .tlsFailure)
    #expect(transport.requests.count == 1)
  }

  @Test func doesNotRetryAProcedure() async throws {
    let transport = ScriptedTransport([.failure(TransportError(.connectionLost, host: "pds.test"))])
    await #expect(throws: XRPCError.self) { try await client(transport).stream(request(), repeatable: false) }
    #expect(transport.requests.count == 1)
  }
}
