// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import HTTPTypes
import Testing

@Suite struct RedirectTests {
  let transport = CurlTransport.direct()

  /// A server that redirects `/from` to a location and responds to everything else with its target.
  static func redirecting(to location: String, status: String = "302 Found") throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = connection.readRequest() {
        if request.target == "/from" {
          connection.answer("moved", status: status, fields: "Location: \(location)\r\n")
        } else {
          connection.answer(String(request.target))
        }
      }
    }
  }

  func follow(_ server: ScriptedServer, most: Int = 3) async throws -> TransportResponse {
    try await transport.send(.get(server.authority, "/from", redirects: .follow(most: most)))
  }

  @Test func givesTheRedirectItselfUnlessAsked() async throws {
    let server = try Self.redirecting(to: "/to")
    #expect(try await transport.get(server, "/from").head.status.code == 302)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [
    ("/to?x=1", "/to?x=1"), ("to", "/to"), ("?x=1", "/from?x=1"), ("/a b", "/a%20b"), ("/a#b", "/a"),
  ])
  func resolvesRelativeLocations(location: String, target: String) async throws {
    let server = try Self.redirecting(to: location)
    #expect(try await follow(server).text == target)
  }

  @Test func addsUpTheCost() async throws {
    let server = try Self.redirecting(to: "/to")
    let direct = try await transport.get(server, "/to").metrics
    let followed = try await follow(server).metrics
    #expect(followed.bytesReceived > direct.bytesReceived)
    #expect(followed.bytesSent > direct.bytesSent)
  }

  @Test func endsALoop() async throws {
    let server = try Self.redirecting(to: "/from")
    #expect(await code { try await follow(server, most: 4) } == .tooManyRedirects)
    #expect(server.requests.count == 5)
  }

  @Test func carriesNoCredentials() async throws {
    let server = try Self.redirecting(to: "/to")
    var request = TransportRequest.get(server.authority, "/from", redirects: .follow(most: 1))
    request.head.headerFields = [.authorization: "Bearer s3cret", .cookie: "a=b", .accept: "text/plain"]
    request.head.headerFields[try #require(HTTPField.Name("DPoP"))] = "s3cret"
    _ = try await transport.send(request)
    let hop = try #require(server.requests.last)
    #expect(hop.target == "/to")
    #expect(hop.fields.contains("accept: text/plain"))
    #expect(!hop.head.contains("s3cret") && !hop.fields.contains { $0.hasPrefix("cookie") })
  }

  @Test(arguments: [
    ("301 Moved", "GET", ""), ("302 Found", "GET", ""), ("303 See Other", "GET", ""),
    ("307 Temporary", "POST", "body"), ("308 Permanent", "POST", "body"),
  ])
  func repeatsAPostOnlyIfTheStatusSaysSo(status: String, method: String, body: String) async throws {
    let server = try Self.redirecting(to: "/to", status: status)
    _ = try await transport.send(
      .post(server.authority, "/from", body: "body", redirects: .follow(most: 1)))
    let hop = try #require(server.requests.last)
    #expect(hop.head.hasPrefix("\(method) /to "))
    #expect(String(decoding: hop.body, as: UTF8.self) == body)
  }

  @Test func repeatsNoBodyAtAnotherOrigin() async throws {
    let other = try ScriptedServer.answering()
    let server = try Self.redirecting(to: "http://\(other.authority)/to", status: "307 Temporary")
    let request = TransportRequest.post(
      server.authority, "/from", body: "password", redirects: .follow(most: 1))
    #expect(await code { try await transport.send(request) } == .tooManyRedirects)
    #expect(other.requests.isEmpty)
  }

  @Test func staysAmongPublicAddressesOnceItLeavesTheNamedHost() async throws {
    let other = try ScriptedServer.answering()
    let server = try Self.redirecting(to: "http://localhost:\(other.port)/to")
    let error = await #expect(throws: TransportError.self) { try await follow(server) }
    #expect(error?.code == .forbiddenAddress)
    #expect(error?.host == "localhost:\(other.port)")
    #expect(other.connections == 0)
  }

  /// Another port of a machine on a private network is another service, which the user did not name.
  @Test func mayNotLeadToAnotherPortOfTheNamedHost() async throws {
    let other = try ScriptedServer.answering { _ in "other" }
    let server = try Self.redirecting(to: "http://\(other.authority)/to")
    #expect(await code { try await follow(server) } == .forbiddenAddress)
    #expect(other.connections == 0)
  }

  @Test(arguments: ["ftp://127.0.0.1/", "http://a@127.0.0.1/", "http://", "file:///etc/passwd"])
  func rejectsWhatIsNotAWebAddress(location: String) async throws {
    let server = try Self.redirecting(to: location)
    #expect(await code { try await follow(server) } == .malformedResponse)
  }
}
