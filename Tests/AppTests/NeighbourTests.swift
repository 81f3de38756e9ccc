// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import KithRelationships
import KithStore
import KithURLSessionTransport
import KithWriting
import OtherSDK
import Testing

/// Types that an app may have, with names that modules of Kith once had.
private enum Relationships { case new, old }
private struct RelationshipStore { let kind: Relationships }

/// An app with another SDK for the AT Protocol, and with types of its own: no module of Kith is named as one of them, so
/// each name means what it says, and those that both packages have are told apart by their modules.
@Suite struct NeighbourTests {
  @Test func compilesBesideAnotherSDK() async throws {
    let client = ATProtoClient(service: "pds.test")
    let namespace: ATProtoClient.App = client.app
    #expect(namespace.name == "app.bsky")
    let did = try await client.did()
    #expect(try did == OtherSDK.DID(didString: "did:web:pds.test"))
    #expect(try KithCore.DID(parsing: "did:web:pds.test").description == did.authority)
    #expect(App.Bsky.Graph.Follow.nsid.description == "app.bsky.graph.follow")
  }

  @Test func compilesBesideTypesOfAnApp() {
    let store = RelationshipStore(kind: Relationships.new)
    #expect(store.kind == .new)
    let source: KithRelationships.FollowRelationshipService.Type = FollowRelationshipService.self
    #expect("\(source)" == "FollowRelationshipService")
  }
}
