// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
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
    #expect(try catalogue.differences() == [])
    let literals = try SourceLiterals(
      of: "KithCurlTransport", after: ["detail:", "(407, nil):", "(407, _):"])
    #expect(literals.all.count > 5)
    // A server that does not speak HTTP, and a system without memory.
    #expect(
      catalogue.lacks(literals)
        == [
          "its head cannot be parsed", "it has no head", "libcurl has no memory",
          "libcurl or its thread did not start",
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
}
