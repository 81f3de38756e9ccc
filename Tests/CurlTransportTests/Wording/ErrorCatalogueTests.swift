// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import HTTPTypes
import TestSupport
import Testing

@testable import CurlTransport

/// The sentences that this module adds to transport errors, in `errors.txt` (`make wording` writes it).
/// libcurl's own messages are left out, because they differ between versions.
@Suite struct ErrorCatalogueTests {
  @Test func holdsEverySentence() async throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    try addRedirects(to: &catalogue)
    try await addProxies(to: &catalogue)
    #expect(try catalogue.differences() == [])
    let literals = try SourceLiterals(of: "CurlTransport", after: ["detail:", "(407, nil):", "(407, _):"])
    #expect(literals.all.count > 5)
    // A server that does not speak HTTP, and a system without memory.
    #expect(
      catalogue.lacks(literals)
        == [
          "its head cannot be parsed", "it has no head", "libcurl has no memory",
          "libcurl or its thread did not start",
        ].sorted())
  }

  private func addRedirects(to catalogue: inout WordingCatalogue) throws {
    let cases: [(scheme: String, method: HTTPRequest.Method, location: String, most: Int)] = [
      ("https", .get, "/to", 0), ("https", .get, "mailto:alice", 3), ("https", .get, "http://b.test/", 3),
      ("https", .put, "https://b.test/", 3),
    ]
    for (scheme, method, location, most) in cases {
      var request = TransportRequest(
        head: HTTPRequest(method: method, scheme: scheme, authority: "a.test", path: "/from"))
      request.redirects = .follow(most: most)
      if method == .put { request.body = Array("{}".utf8) }
      var redirect = Redirect(request)
      let answer = HTTPResponse(status: .temporaryRedirect, headerFields: [.location: location])
      let error = #expect(throws: TransportError.self) { try redirect.next(after: request, answer) }
      if let error { catalogue.add("transport.\(error.code)", error) }
    }
  }

  private func addProxies(to catalogue: inout WordingCatalogue) async throws {
    for (status, credentials) in [
      ("407 Proxy Authentication Required", ""), ("407 Proxy Authentication Required", "nobody:x@"),
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
