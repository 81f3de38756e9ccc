// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithCurlTransport

/// The sentences that this module adds to transport errors, in `errors.txt` (`make wording` writes it).
/// libcurl's own messages are left out, because they differ between versions.
@Suite struct ErrorCatalogueTests {
  @Test func holdsEverySentence() async throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    addReach(to: &catalogue)
    try addLength(to: &catalogue)
    try await addProxies(to: &catalogue)
    try await addWebSockets(to: &catalogue)
    #expect(try catalogue.differences() == [])
    let literals = try SourceLiterals(
      of: "KithCurlTransport", after: ["detail:", "(407, nil):", "(407, _):"])
    #expect(literals.all.count > 5)
    // A system without memory, descriptors or threads.
    #expect(
      catalogue.lacks(literals)
        == [
          "it has no head", "its thread did not start", "libcurl has no memory",
          "libcurl or its thread did not start", "no descriptors are left",
        ].sorted())
  }

  private func addReach(to catalogue: inout WordingCatalogue) {
    for url in [("https", "printer"), ("http", "a.example.com")] {
      let head = HTTPRequest(method: .get, scheme: url.0, authority: url.1, path: "/")
      let error = #expect(throws: TransportError.self) {
        try CurlExchange(TransportRequest(head: head, reach: .publicOnly), ProxyRules(.none))
      }
      if let error { catalogue.add("transport.\(error.code)", error) }
    }
  }

  private func addLength(to catalogue: inout WordingCatalogue) throws {
    let exchange = try CurlExchange(.get("a.example.com"), ProxyRules(.none))
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n"
    let error = #expect(throws: TransportError.self) { try exchange.parseHead(Array(head.utf8)) }
    if let error { catalogue.add("transport.\(error.code)", error) }
  }

  private func addProxies(to catalogue: inout WordingCatalogue) async throws {
    for (status, credentials) in [
      ("407 Proxy Authentication Required", ""), ("407 Proxy Authentication Required", "absent:x@"),
      ("403 Forbidden", ""),
    ] {
      let proxy = try ScriptedServer { connection in
        while connection.readRequest() != nil {
          connection.answer("no", status: status, fields: "Proxy-Authenticate: Basic realm=\"x\"\r\n")
        }
      }
      let transport = ProxyTests.transport("http://\(credentials)\(proxy.authority)")
      let request = TransportRequest(
        head: HTTPRequest(method: .get, scheme: "https", authority: "example.invalid", path: "/"))
      let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
      if let error { catalogue.add("transport.\(error.code)", error) }
    }
  }

  private func addWebSockets(to catalogue: inout WordingCatalogue) async throws {
    let refusal = "HTTP/1.1 400 Bad Request\r\n\r\n" + String(repeating: "x", count: 100)
    let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    for answer in [
      "", "hello\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", upgrade + "\r\n", refusal,
    ] {
      await addWebSocket(try ScriptedServer.once(answer.utf8), to: &catalogue)
    }
    let long = String(repeating: "X: x\r\n", count: 12_000)
    await addWebSocket(
      try ScriptedServer.once("HTTP/1.1 101 Switching Protocols\r\n\(long)".utf8), to: &catalogue)
    let silent = try ScriptedServer { connection in while connection.readRequest() != nil {} }
    await addWebSocket(silent, to: &catalogue, .init(total: .milliseconds(50)))
  }

  /// Without the server's port, which differs from run to run.
  private func addWebSocket(
    _ server: ScriptedServer, to catalogue: inout WordingCatalogue,
    _ limits: TransportRequest.Limits = .init(responseBytes: 10)
  ) async {
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/"), limits: limits)
    let transport = CurlTransport.direct()
    let error = await #expect(throws: TransportError.self) {
      try await transport.openWebSocket(request, limits: .init())
    }
    if let error { catalogue.add("transport.\(error.code)", error.detail) }
  }
}
