// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithClient
internal import Testing

extension TransportContract {
  static let redirects = [
    Rule("gives a redirect itself unless asked", givesTheRedirectItself),
    Rule("resolves relative locations", resolvesRelativeLocations),
    Rule("ends a loop of redirects", endsALoop),
    Rule("carries no credentials along with a redirect", carriesNoCredentials),
    Rule("repeats a POST only if the status says so", repeatsAPostOnlyIfTheStatusSaysSo),
    Rule("repeats no body at another origin", repeatsNoBodyAtAnotherOrigin),
    Rule("is not led to a private host that was not named", isNotLedElsewhere),
    Rule("is not led to another port of the named host", isNotLedToAnotherPort),
    Rule("rejects locations that are not web addresses", rejectsOtherLocations),
    Rule("follows redirects of streams", followsRedirectsOfStreams),
    Rule("connects to no private address of a host that was not named", connectsToNoPrivateAddress),
    Rule("does not use a connection that was opened for any address", doesNotUseAnOpenConnection),
  ]

  /// A server that redirects `/from` to a location and responds to everything else with its target.
  private func redirecting(to location: String, status: String = "302 Found") throws -> ScriptedServer {
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

  private func follow(_ server: ScriptedServer, most: Int = 3) async throws -> TransportResponse {
    try await make().send(.get(server.authority, "/from", redirects: .follow(most: most)))
  }

  /// The outcome of a request that leads to a loopback address of a host that was not named.
  private var refusal: TransportError.Code {
    make().capabilities.isSuperset(of: [.connectedAddress, .headLimit]) ? .forbiddenAddress : .unsupported
  }

  private func givesTheRedirectItself() async throws {
    let server = try redirecting(to: "/to")
    let answer = try await make().get(server, "/from")
    #expect(answer.head.status.code == 302)
    #expect(answer.head.headerFields[.location] == "/to")
    #expect(answer.text == "moved")
    #expect(server.requests.count == 1)
  }

  private func resolvesRelativeLocations() async throws {
    for (location, target) in [
      ("/to?x=1", "/to?x=1"), ("to", "/to"), ("?x=1", "/from?x=1"), ("/a b", "/a%20b"), ("/a#b", "/a"),
    ] {
      let server = try redirecting(to: location)
      #expect(try await follow(server).text == target)
    }
  }

  private func endsALoop() async throws {
    let server = try redirecting(to: "/from")
    #expect(await code { try await follow(server, most: 4) } == .tooManyRedirects)
    #expect(server.requests.count == 5)
  }

  private func carriesNoCredentials() async throws {
    let server = try redirecting(to: "/to")
    var request = TransportRequest.get(server.authority, "/from", redirects: .follow(most: 1))
    request.head.headerFields = [.authorization: "Bearer s3cret", .cookie: "a=b", .accept: "text/plain"]
    request.head.headerFields[try #require(HTTPField.Name("DPoP"))] = "s3cret"
    _ = try await make().send(request)
    #expect(server.requests.first?.head.contains("s3cret") == true)
    let hop = try #require(server.requests.last)
    #expect(hop.target == "/to")
    #expect(hop.fields.contains("accept: text/plain"))
    #expect(!hop.head.contains("s3cret") && !hop.fields.contains { $0.hasPrefix("cookie") })
  }

  private func repeatsAPostOnlyIfTheStatusSaysSo() async throws {
    for (status, method, body) in [
      ("301 Moved", "GET", ""), ("302 Found", "GET", ""), ("303 See Other", "GET", ""),
      ("307 Temporary", "POST", "body"), ("308 Permanent", "POST", "body"),
    ] {
      let server = try redirecting(to: "/to", status: status)
      _ = try await make().send(
        .post(server.authority, "/from", body: "body", redirects: .follow(most: 1)))
      let hop = try #require(server.requests.last)
      #expect(hop.head.hasPrefix("\(method) /to "))
      #expect(String(decoding: hop.body, as: UTF8.self) == body)
    }
  }

  private func repeatsNoBodyAtAnotherOrigin() async throws {
    let other = try ScriptedServer.answering()
    let server = try redirecting(to: "http://\(other.authority)/to", status: "307 Temporary")
    let request = TransportRequest.post(
      server.authority, "/from", body: "password", redirects: .follow(most: 1))
    #expect(await code { try await make().send(request) } == .tooManyRedirects)
    #expect(other.requests.isEmpty)
  }

  private func isNotLedElsewhere() async throws {
    let other = try ScriptedServer.answering()
    let server = try redirecting(to: "http://localhost:\(other.port)/to")
    let error = await #expect(throws: TransportError.self) { try await follow(server) }
    #expect(error?.code == refusal)
    #expect(error?.host == "localhost:\(other.port)")
    #expect(other.connections == 0)
  }

  /// Another port of a machine on a private network is another service, which the user did not name.
  private func isNotLedToAnotherPort() async throws {
    let other = try ScriptedServer.answering { _ in "other" }
    let server = try redirecting(to: "http://\(other.authority)/to")
    #expect(await code { try await follow(server) } == refusal)
    #expect(other.connections == 0)
  }

  private func rejectsOtherLocations() async throws {
    for location in ["ftp://127.0.0.1/", "http://a@127.0.0.1/", "http://", "file:///etc/passwd"] {
      let server = try redirecting(to: location)
      #expect(await code { try await follow(server) } == .malformedResponse, "\(location)")
    }
  }

  private func followsRedirectsOfStreams() async throws {
    let server = try redirecting(to: "/to")
    let request = TransportRequest.get(server.authority, "/from", redirects: .follow(most: 1))
    let stream = try await make().open(request)
    #expect(stream.redirect?.path == "/to" && stream.redirect?.authority == server.authority)
    #expect(try await stream.body.text() == "/to")
    let direct = TransportRequest.get(server.authority, "/to", redirects: .follow(most: 1))
    #expect(try await make().open(direct).redirect == nil)
    let once = TransportRequest.get(server.authority, "/from", redirects: .follow(most: 0))
    let error = await #expect(throws: TransportError.self) { try await make().open(once) }
    #expect(error?.code == .tooManyRedirects)
  }

  private func connectsToNoPrivateAddress() async throws {
    let server = try ScriptedServer.answering()
    for host in ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"] {
      let request = TransportRequest.get("\(host):\(server.port)", reach: .publicOnly)
      #expect(await code { try await make().send(request) } == refusal, "\(host)")
      let error = await #expect(throws: TransportError.self) { try await make().open(request) }
      #expect(error?.code == refusal, "\(host)")
    }
    #expect(server.connections == 0)
  }

  private func doesNotUseAnOpenConnection() async throws {
    let server = try ScriptedServer.answering()
    let transport = make()
    #expect(try await transport.get(server).text == "ok")
    #expect(
      await code { try await transport.send(.get(server.authority, reach: .publicOnly)) } == refusal)
    #expect(try await transport.get(server).text == "ok")
    #expect(server.requests.count == 2)
  }
}
