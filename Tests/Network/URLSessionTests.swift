// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithURLSessionTransport
import Testing

/// The service over `URLSession`, without TLS: FoundationNetworking takes no certificates but the system's.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct URLSessionTests {
  @Test func answersAboutRecordsOnARealPDS() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let (alice, bob, dave) = (try network.did("alice"), try network.did("bob"), try network.did("dave"))
    let client = XRPCClient(service: network.appview.url, transport: URLSessionTransport())
    let service = FollowRelationshipService(client: client)
    let info = try await service.getRelationship(actor: alice, target: bob)
    #expect(info.following == (try edges.uri(.follow, from: "alice", to: "bob")))
    #expect(info.mutual)
    let follows = try await service.batchCheckFollows(actor: alice, targets: [bob, dave])
    #expect(follows == [bob: true, dave: false])
  }

  @Test func readsARepositoryAsAStream() async throws {
    let (network, _) = try await LiveNetwork.populated()
    let pds = XRPCClient(service: network.pds.url, transport: URLSessionTransport())
    let request = XRPCRequest(
      method: try NSID(parsing: "com.atproto.sync.getRepo"), verb: .get,
      items: [XRPCQueryItem("did", "\(try network.did("alice"))")], accept: "application/vnd.ipld.car")
    let stream = try await pds.stream(request, repeatable: true)
    #expect(try await !stream.body.collect(upTo: .max).isEmpty)
  }
}
