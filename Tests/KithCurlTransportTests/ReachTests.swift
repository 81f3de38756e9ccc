// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import TestSupport
import Testing

@testable import KithCurlTransport

@Suite struct ReachTests {

  /// An interface at 93.184.216.34/24.
  private static let own = IPAddress("93.184.216.34").map {
    IPNetwork($0, mask: .v4(0xffff_ff00))
  }

  /// What a transfer to a host named by someone else does with an address that it is about to connect to.
  private func transfer(to authority: String = "a.example.com") throws -> CurlTransfer {
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/"), reach: .publicOnly)
    let network = HostNetwork(connected: { [Self.own].compactMap(\.self) }) { _ in [] }
    let exchange = try CurlExchange(request, ProxyRules(.none), network)
    return CurlTransfer(exchange, .stream(CurlBodyBuffer()), at: .now)
  }

  @Test(arguments: [
    ("127.0.0.1", false), ("10.1.2.3", false), ("::1", false), ("fe80::1", false), ("8.8.8.8", true),
    ("2606:4700::1111", true), ("93.184.216.34", false), ("::ffff:93.184.216.34", false),
    ("93.184.216.1", false), ("64:ff9b::5db8:d801", false), ("93.184.217.1", true),
  ])
  func connectsToPublicAddressesOutsideOfItsNetworks(address: String, isAllowed: Bool) throws {
    let address = try #require(IPAddress(address))
    var opening = try transfer()
    let mayConnect = opening.mayConnect(to: address)
    #expect(mayConnect == isAllowed)
    #expect((opening.failure?.code == .forbiddenAddress) == !isAllowed)
    // A pooled connection was opened before.
    var sending = try transfer()
    let maySend = sending.willSend(to: address, at: .now)
    #expect(maySend == isAllowed)
  }

  @Test func connectsToNoAddressOfAnotherFamily() throws {
    var transfer = try transfer()
    let mayConnect = transfer.mayConnect(to: nil)
    #expect(!mayConnect)
  }

  @Test(arguments: [
    ("https", "a.example.com", true), ("https", "a.example.com:443", true),
    ("https", "a.example.com:22", false),
    ("https", "a.example.com:8443", false), ("http", "a.example.com", false),
    ("http", "a.example.com:443", false), ("https", "a", false), ("https", "metadata.corp.internal", false),
    ("https", "printer.local", false), ("https", "nas.lan", false), ("https", "a.home.arpa", false),
    ("https", "127.0.0.\u{ff11}", false), ("https", "b\u{fc}cher.example.com", false),
    ("https", "8.8.8.8", true), ("https", "10.0.0.1", false), ("https", "0x8080808", false),
  ])
  func asksOthersByHTTPSOnItsPortAlone(scheme: String, authority: String, isAllowed: Bool) {
    let head = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")
    func code(_ reach: TransportRequest.Reach) -> TransportError.Code? {
      do throws(TransportError) {
        _ = try CurlExchange(TransportRequest(head: head, reach: reach), ProxyRules(.none))
        return nil
      } catch { return error.code }
    }
    #expect(code(.publicOnly) == (isAllowed ? nil : .forbiddenAddress))
    #expect(code(.anywhere) == nil)
  }

  /// libcurl reads endless frames of HTTP/2 that carry no data without a pause, and no limit of time applies.
  @Test func asksOthersByHTTP1Alone() throws {
    func mayUseHTTP2(_ scheme: String, _ reach: TransportRequest.Reach) throws -> Bool {
      let head = HTTPRequest(method: .get, scheme: scheme, authority: "a.example.com", path: "/")
      return try CurlExchange(TransportRequest(head: head, reach: reach), ProxyRules(.none)).mayUseHTTP2
    }
    #expect(try mayUseHTTP2("https", .anywhere))
    #expect(try !mayUseHTTP2("https", .publicOnly))
    #expect(try !mayUseHTTP2("http", .anywhere))
  }

  @Test func knowsTheNetworksOfItsOwnInterfaces() throws {
    let loopback = try #require(IPAddress("127.0.0.1"))
    #expect(HostNetwork.system.connected().contains { $0.contains(loopback) })
  }

  @Test(arguments: [
    ("8.8.4.10", "255.255.255.0", "8.8.4.200", true), ("8.8.4.10", "255.255.255.0", "8.8.5.10", false),
    ("8.8.4.10", "255.255.255.255", "8.8.4.11", false), ("8.8.4.10", "0.0.0.0", "8.8.4.11", false),
    ("8.8.4.10", "128.0.0.0", "8.8.4.10", true), ("8.8.4.10", "255.0.0.0", "8.1.2.3", true),
    ("2606:4700::1", "ffff:ffff:ffff:ffff::", "2606:4700::ffff", true),
    ("2606:4700::1", "ffff:ffff:ffff:ffff::", "2606:4700:0:1::1", false),
    ("2606:4700::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ff00", "2606:4700::2", true),
    ("2606:4700::1", "::", "2606:4700::2", false), ("2606:4700::1", "255.255.255.0", "2606:4700::2", false),
  ])
  func knowsWhatIsOnTheNetworkOfAnInterface(
    own: String, mask: String, other: String, isConnected: Bool
  ) throws {
    let network = IPNetwork(try #require(IPAddress(own)), mask: IPAddress(mask))
    #expect(network.contains(try #require(IPAddress(other))) == isConnected)
  }
}
