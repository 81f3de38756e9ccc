// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import KithRelationships
import KithWriting
import Testing

/// Faults below TLS and HTTP/2 while a batch is in flight: each target still gets its correct answer.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct WireFaultTests {
  /// Patient enough for a slow machine: the faults here are all temporary.
  private static let retry = RetryPolicy(
    attempts: 40, firstDelay: .milliseconds(50), longestDelay: .seconds(1))

  /// Asks about 600 targets and checks every answer; returns the cost of the calls and the connections used.
  @discardableResult private func batch(
    over transport: some HTTPTransport, _ proxy: TLSProxy, _ network: LiveNetwork
  ) async throws -> CallCost {
    let client = XRPCClient(
      service: proxy.url, transport: transport, configuration: .init(retry: Self.retry))
    let targets = try await network.sixHundredFollowersOfAlice()
    var (known, following) = (0, 0)
    let answers = FollowRelationshipService(client: client)
      .relationships(of: try network.did("alice"), with: targets)
    for try await answer in answers {
      guard let relationship = answer.info else {
        Issue.record("\(answer)")
        continue
      }
      known += 1
      if relationship.isFollowing { following += 1 }
    }
    #expect(known == 600)
    #expect(following == 300)
    return client.meter.cost
  }

  private func transport(_ proxy: TLSProxy, named product: String = "fault") -> CurlTransport {
    CurlTransport(.init(product: product, caFile: proxy.ca))
  }

  @Test func connectionsThatEndAfterAFewRequests() async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url, ["REQUESTS": "3"]) { proxy in
      let product = "goaway/\(UUID())"
      try await batch(over: transport(proxy, named: product), proxy, network)
      let log = try AccessLog(file: proxy.log, userAgent: product, awaiting: 20)
      #expect(Set(log.entries.map(\.connection)).count > 1)
      #expect(log.entries.allSatisfy { $0.version == "HTTP/2.0" })
    }
  }

  @Test func serverThatAcceptsOneStreamAtATime() async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url, ["STREAMS": "1"]) { proxy in
      try await batch(over: transport(proxy), proxy, network)
    }
  }

  @Test func serverThatIsReloadedInTheMiddle() async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url) { proxy in
      let interrupted = InterruptedTransport(transport(proxy), after: 7) { try await proxy.reload() }
      try await batch(over: interrupted, proxy, network)
      #expect(interrupted.hasInterrupted)
    }
  }

  @Test func serverThatDiesInTheMiddleAndComesBack() async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url) { proxy in
      let interrupted = InterruptedTransport(transport(proxy), after: 7) {
        try await proxy.stop()
        try await proxy.start()
      }
      try await batch(over: interrupted, proxy, network)
      #expect(interrupted.hasInterrupted)
    }
  }

  @Test(arguments: ["on", "off"])
  func requestsThatAreDroppedWithoutAnAnswer(http2: String) async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url, ["RESETS": "40%", "HTTP2": http2]) { proxy in
      let cost = try await batch(over: transport(proxy), proxy, network)
      #expect(cost.calls >= 20)
      if http2 == "on" { #expect(cost.retries > 0) }
    }
  }

  @Test(arguments: [HTTPRequest.Method.get, .post])
  func connectionThatWasClosedWhileIdle(method: HTTPRequest.Method) async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url) { proxy in
      let transport = transport(proxy)
      let head = HTTPRequest(
        method: method, scheme: "https", authority: proxy.url.authority, path: "/xrpc/_health")
      let first = try await transport.send(TransportRequest(head: head))
      try await proxy.reload()
      let second = try await transport.send(TransportRequest(head: head))
      #expect(first.head.status == second.head.status)
      #expect(second.metrics.connectionsOpened == 1)
    }
  }

  @Test func unreadStreamDoesNotBlockOtherCalls() async throws {
    let network = try await LiveNetwork.populated().network
    try await TLSProxy.with(network.appview.url, ["ZEROS": "64M"]) { proxy in
      let transport = transport(proxy)
      let head = HTTPRequest(method: .get, scheme: "https", authority: proxy.url.authority, path: "/zeros")
      let stream = try await transport.open(
        TransportRequest(head: head, limits: .init(responseBytes: 64 << 20)))
      try await batch(over: transport, proxy, network)
      let count = try await stream.body.reduce(into: 0) { $0 += $1.count }
      #expect(count == 64 << 20)
    }
  }
}
