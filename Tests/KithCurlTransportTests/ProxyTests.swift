// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import TestSupport
import Testing

@testable import KithCurlTransport

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

  @Test func reportsThatTheProxyRefusesATunnel() async throws {
    let proxy = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.answer("no", status: "403 Forbidden")
    }
    let transport = Self.transport("http://\(proxy.authority)")
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: "example.invalid", path: "/"))
    #expect(await code { try await transport.send(request) } == .proxyRefused)
    #expect(proxy.requests.map(\.target) == ["example.invalid:443"])
  }

  @Test(arguments: ["http", "https"], ["", "absent:s3cret%40@"])
  func saysThatTheProxyWantsAPassword(scheme: String, credentials: String) async throws {
    let proxy = try ScriptedServer { connection in
      while connection.readRequest() != nil {
        connection.answer(
          "who are you?", status: "407 Proxy Authentication Required",
          fields: "Proxy-Authenticate: Basic realm=\"x\"\r\n")
      }
    }
    let transport = Self.transport("http://\(credentials)\(proxy.authority)")
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: scheme, authority: "example.invalid", path: "/"))
    let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
    #expect(error?.code == .proxyRefused)
    #expect(error?.isTransient == false)
    #expect(error?.description.contains("s3cret") == false)
    let sent = proxy.requests.first?.fields.contains { $0.hasPrefix("proxy-authorization: basic ") }
    #expect(sent == !credentials.isEmpty)
    let streamed = await #expect(throws: TransportError.self) { try await transport.open(request) }
    #expect(streamed == error)
  }

  @Test(arguments: [
    "http://me:s3cret pass@[proxy", "gopher://me:s3cret@127.0.0.1:1", "http://me:s3cret@127.0.0.1:99999",
    "http://me:s3cret@" + String(repeating: "x", count: 400), "me:s3cret@proxy:port",
  ])
  func keepsThePasswordOfAProxyThatCannotBeUsedToItself(proxy: String) async throws {
    let transport = Self.transport(proxy)
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(.get("example.invalid", limits: .init(connect: .milliseconds(200))))
    }
    #expect(error?.description.contains("s3cr") == false)
    #expect(
      error.map { [.proxyFailure, .timedOut].contains($0.code) } == true, "\(String(describing: error))")
  }

  @Test(arguments: ["http", "https"])
  func reportsThatTheProxyDied(scheme: String) async throws {
    let proxy = try ScriptedServer { connection in _ = connection.readRequest() }
    let transport = Self.transport("http://\(proxy.authority)")
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: scheme, authority: "example.invalid", path: "/"))
    let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
    #expect(error?.code == (scheme == "http" ? .connectionLost : .proxyFailure))
    #expect(error?.isTransient == true)
  }

  @Test func reportsThatTheProxyCannotBeReached() async throws {
    let closed = try SilentListener()
    let transport = Self.transport("http://\(closed.authority)")
    let request = TransportRequest.get("example.invalid", limits: .init(connect: .milliseconds(50)))
    #expect(await code { try await transport.send(request) } == .timedOut)
    let unnamed = Self.transport("http://" + String(repeating: "x", count: 64) + ".invalid")
    #expect(await code { try await unnamed.send(.get("example.invalid")) } == .proxyFailure)
  }

  @Test(arguments: [
    "127.0.0.1", "localhost", "10.0.0.1:80", "[::1]", "127.1", "a.localhost", "localhost.", "intranet",
    "metadata.corp.internal", "printer.local",
  ])
  func asksNoProxyForWhatIsPlainlyNotPublic(authority: String) async throws {
    let proxy = try ScriptedServer.answering()
    let transport = Self.transport("http://\(proxy.authority)")
    let request = TransportRequest.get(authority, reach: .publicOnly)
    #expect(await code { try await transport.send(request) } == .forbiddenAddress)
    #expect(proxy.connections == 0)
  }

  /// A transport in a network with these addresses of names, and a proxy that is not reachable.
  private func stage(_ addresses: [String]) throws -> (CurlTransport, ScriptedServer) {
    let proxy = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.answer("no", status: "403 Forbidden")
    }
    let found = addresses.compactMap(IPAddress.init)
    let configuration = CurlTransport.Configuration(
      product: "kith/9.9", contact: "mailto:me@example.com",
      proxy: .url("http://\(proxy.authority)", except: []))
    let network = HostNetwork(connected: { [] }, addresses: { _ in found })
    return (CurlTransport(configuration, network: network), proxy)
  }

  private func request(_ reach: TransportRequest.Reach) -> TransportRequest {
    TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: "a.example.com", path: "/"), reach: reach)
  }

  @Test(arguments: [[], ["8.8.8.8", "2606:4700::1111"]]) func leavesPublicNamesToTheProxy(
    addresses: [String]
  ) async throws {
    let (transport, proxy) = try stage(addresses)
    #expect(await code { try await transport.send(request(.publicOnly)) } == .proxyRefused)
    #expect(proxy.requests.map(\.target) == ["a.example.com:443"])
  }

  @Test(arguments: [["10.0.0.1"], ["8.8.8.8", "169.254.169.254"], ["::1"]])
  func asksNoProxyForANameWithAPrivateAddress(addresses: [String]) async throws {
    let (transport, proxy) = try stage(addresses)
    #expect(await code { try await transport.send(request(.publicOnly)) } == .forbiddenAddress)
    await #expect(throws: TransportError.self) { try await transport.open(request(.publicOnly)) }
    #expect(proxy.connections == 0)
    #expect(await code { try await transport.send(request(.anywhere)) } == .proxyRefused)
  }

  /// The host must not learn who is asking.
  @Test func namesTheContactToHostsThatTheUserNamedAlone() async throws {
    let (transport, proxy) = try stage([])
    for reach in [TransportRequest.Reach.publicOnly, .anywhere, .publicOnly] {
      _ = await code { try await transport.send(request(reach)) }
    }
    let agents = proxy.requests.map { $0.fields.first { $0.hasPrefix("user-agent:") } }
    let (named, other) = ("user-agent: kith/9.9 (+mailto:me@example.com)", "user-agent: kith/9.9")
    #expect(agents == [other, named, other])
  }
}
