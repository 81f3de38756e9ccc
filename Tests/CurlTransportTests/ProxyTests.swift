// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import HTTPTypes
import Testing

@Suite struct ProxyTests {
  static func transport(_ proxy: String, except: [String] = []) -> CurlTransport {
    CurlTransport(CurlTransport.Configuration(proxy: .url(proxy, except: except)))
  }

  @Test func asksTheProxyForTheWholeAddress() async throws {
    let proxy = try ScriptedServer.answering()
    let transport = Self.transport("http://\(proxy.authority)")
    #expect(try await transport.send(.get("example.invalid", "/path?x=1")).text == "ok")
    #expect(proxy.requests.map(\.target) == ["http://example.invalid/path?x=1"])
  }

  @Test func goesDirectlyToAnException() async throws {
    let proxy = try ScriptedServer.answering()
    let server = try ScriptedServer.answering { _ in "direct" }
    let transport = Self.transport("http://\(proxy.authority)", except: ["127.0.0.0/8"])
    #expect(try await transport.get(server).text == "direct")
    #expect(proxy.connections == 0)
  }

  @Test func tellsThatTheProxyRefusesATunnel() async throws {
    let proxy = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.answer("no", status: "403 Forbidden")
    }
    let transport = Self.transport("http://\(proxy.authority)")
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: "example.invalid", path: "/"))
    #expect(await code { try await transport.send(request) } == .proxyFailure)
    #expect(proxy.requests.map(\.target) == ["example.invalid:443"])
  }

  @Test func tellsThatTheProxyCannotBeReached() async throws {
    let closed = try SilentListener()
    let transport = Self.transport("http://\(closed.authority)")
    let request = TransportRequest.get("example.invalid", limits: .init(connect: .milliseconds(50)))
    #expect(await code { try await transport.send(request) } == .timedOut)
    let unnamed = Self.transport("http://" + String(repeating: "x", count: 64) + ".invalid")
    #expect(await code { try await unnamed.send(.get("example.invalid")) } == .proxyFailure)
  }

  @Test(arguments: ["127.0.0.1", "localhost", "10.0.0.1:80", "[::1]", "127.1", "a.localhost", "localhost."])
  func asksNoProxyForWhatIsPlainlyNotPublic(authority: String) async throws {
    let proxy = try ScriptedServer.answering()
    let transport = Self.transport("http://\(proxy.authority)")
    let request = TransportRequest.get(authority, reach: .publicOnly)
    #expect(await code { try await transport.send(request) } == .forbiddenAddress)
    #expect(proxy.connections == 0)
  }

  @Test func leavesPublicNamesToTheProxy() async throws {
    let proxy = try ScriptedServer.answering()
    let transport = Self.transport("http://\(proxy.authority)")
    let request = TransportRequest.get("example.invalid", reach: .publicOnly)
    #expect(try await transport.send(request).text == "ok")
  }
}
