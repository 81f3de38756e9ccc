// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import KithRelationships
import KithWriting
import Testing

/// Many queries over TLS and HTTP/2, with a CA that only the tests trust.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct BatchTests {
  @Test func queriesSixHundredTargetsOverOneConnection() async throws {
    let network = try await LiveNetwork.populated().network
    let userAgent = "batch/\(UUID())"
    let transport = CurlTransport(.init(product: userAgent, caFile: network.tls.ca))
    let client = XRPCClient(service: network.tls.appview.url, transport: transport)
    let targets = try await network.sixHundredFollowersOfAlice()

    let follows = try await FollowRelationshipService(client: client)
      .batchCheckFollows(actor: network.did("alice"), targets: targets)

    #expect(follows.count == 600)
    #expect(follows.values.count { $0 } == 300)
    let log = try AccessLog(of: network, userAgent: userAgent, awaiting: 20)
    #expect(log.entries.count == 20)
    #expect(Set(log.entries.map(\.connection)).count == 1)
    #expect(log.entries.allSatisfy { $0.version == "HTTP/2.0" })
    #expect(client.meter.cost.connectionsOpened == 1)
  }

  @Test func refusesCertificateOfUnknownAuthority() async throws {
    let network = try await LiveNetwork.populated().network
    let client = XRPCClient(service: network.tls.appview.url, transport: CurlTransport())
    let service = FollowRelationshipService(client: client)
    let error = await #expect(throws: RelationshipError.self) {
      try await service.isFollowing(actor: network.did("alice"), target: network.did("bob"))
    }
    #expect(error?.code == .networkError)
    let call = try #require(error?.underlying as? XRPCError)
    #expect((call.underlying as? TransportError)?.code == .tlsFailure)
    #expect(client.meter.cost.calls == 1)
  }
}
