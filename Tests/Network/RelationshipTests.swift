// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithRelationships
import KithWriting
import Testing

/// What the service learns from records on a real PDS.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct RelationshipTests {
  private let transport = CurlTransport()

  private func service(_ network: LiveNetwork) -> FollowRelationshipService {
    FollowRelationshipService(client: XRPCClient(service: network.appview.url, transport: transport))
  }

  @Test func findsFollowsBothWays() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let (alice, bob) = (try network.did("alice"), try network.did("bob"))
    let info = try await service(network).getRelationship(actor: alice, target: bob)
    #expect(info.following == (try edges.uri(.follow, from: "alice", to: "bob")))
    #expect(info.followedBy == (try edges.uri(.follow, from: "bob", to: "alice")))
    #expect(info.mutual)
    #expect(!info.blocked)
    #expect(info.source == .appview)
  }

  @Test func findsFollowsInOneDirection() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let (alice, carol, dave) = (try network.did("alice"), try network.did("carol"), try network.did("dave"))
    let service = service(network)
    let outward = try await service.getRelationship(actor: alice, target: carol)
    #expect(outward.following == (try edges.uri(.follow, from: "alice", to: "carol")))
    #expect(outward.followedBy == nil)
    let inward = try await service.getRelationship(actor: alice, target: dave)
    #expect(inward.following == nil)
    #expect(inward.followedBy == (try edges.uri(.follow, from: "dave", to: "alice")))
  }

  @Test func findsBlocksInEitherDirection() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let (alice, erin, frank) = (try network.did("alice"), try network.did("erin"), try network.did("frank"))
    let service = service(network)
    let outward = try await service.getRelationship(actor: alice, target: erin)
    #expect(outward.blocking == (try edges.uri(.block, from: "alice", to: "erin")))
    #expect(outward.blockedBy == nil)
    let inward = try await service.getRelationship(actor: alice, target: frank)
    #expect(inward.blocking == nil)
    #expect(inward.blockedBy == (try edges.uri(.block, from: "frank", to: "alice")))
  }

  @Test("A follow shows despite a block (Q5)")
  func showsFollowBehindBlock() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let info = try await service(network).getRelationship(
      actor: network.did("alice"), target: network.did("grace"))
    #expect(info.following == (try edges.uri(.follow, from: "alice", to: "grace")))
    #expect(info.blockedBy == (try edges.uri(.block, from: "grace", to: "alice")))
  }

  @Test("A block by list names the list (Q6)")
  func findsBlocksByList() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let (judy, ivan) = (try network.did("judy"), try network.did("ivan"))
    let service = service(network)
    let outward = try await service.getRelationship(actor: judy, target: ivan)
    #expect(outward.blockingByList == edges.list)
    #expect(outward.blocking == nil)
    let inward = try await service.getRelationship(actor: ivan, target: judy)
    #expect(inward.blockedByList == edges.list)
  }

  @Test("An actor that does not exist returns HTTP 200 and is still an error (Q3)")
  func refusesActorThatDoesNotExist() async throws {
    let network = try await LiveNetwork.populated().network
    let nobody = try DID(parsing: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
    let service = service(network)
    let error = await #expect(throws: RelationshipError.self) {
      try await service.isFollowing(actor: nobody, target: network.did("bob"))
    }
    #expect(error?.code == .actorNotFound)
  }

  @Test("A missing target looks like one without edges, unless its existence is verified (Q2)")
  func findsOutWhichTargetsExist() async throws {
    let network = try await LiveNetwork.populated().network
    let client = XRPCClient(service: network.appview.url, transport: transport)
    let nobody = try DID(parsing: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
    // Only the directory can say that a DID is not registered.
    let identities = IdentityDirectory(
      handles: HandleResolver(client: client),
      documents: DIDResolver(
        plc: network.plc.url, named: TrustedHosts([network.appview.url, network.plc.url]),
        transport: transport)
    )
    let service = FollowRelationshipService(
      source: AppViewRelationshipSource(client: client, identities: identities), identities: identities,
      configuration: .init(verification: .all))
    let (alice, bob) = (try network.did("alice"), try network.did("bob"))
    var (found, missing): ([DID?], [DID?]) = ([], [])
    for try await answer in service.relationships(of: alice, with: [nobody, bob]) {
      if answer.info != nil { found.append(answer.target) }
      if case .notFound = answer.state { missing.append(answer.target) }
    }
    #expect(found == [bob])
    #expect(missing == [nobody])
  }
}
