// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import Testing

/// The edges that the tests ask about, as records that were written to the real PDS.
struct WrittenEdges: Sendable {
  struct Edge: Hashable, Sendable {
    enum Kind: String { case follow, block }

    let kind: Kind
    let from: String
    let to: String
  }

  private static let plan = [
    Edge(kind: .follow, from: "alice", to: "bob"), Edge(kind: .follow, from: "bob", to: "alice"),
    Edge(kind: .follow, from: "alice", to: "carol"), Edge(kind: .follow, from: "dave", to: "alice"),
    Edge(kind: .block, from: "alice", to: "erin"), Edge(kind: .block, from: "frank", to: "alice"),
    // A follow that coexists with a block (Q5).
    Edge(kind: .follow, from: "alice", to: "grace"), Edge(kind: .block, from: "grace", to: "alice"),
  ]

  /// An AppView that has not indexed what was written.
  struct NotIndexed: Error { let service: ServiceURL }

  private let uris: [Edge: ATURI]
  /// The list with which judy blocks ivan.
  let list: ATURI

  /// The record of an edge.
  func uri(_ kind: Edge.Kind, from: String, to: String) throws -> ATURI {
    try #require(uris[Edge(kind: kind, from: from, to: to)])
  }

  /// Writes everything, and returns when both AppViews have indexed it.
  ///
  /// - Throws: ``NotIndexed`` after a minute; what a call throws.
  static func write(to network: LiveNetwork) async throws -> WrittenEdges {
    let transport = CurlTransport()
    defer { transport.close() }
    var uris: [Edge: ATURI] = [:]
    for edge in plan {
      let session = try await PDSSession(
        network.account(edge.from), at: network.pds.url, transport: transport)
      uris[edge] = try await session.createRecord(
        in: "app.bsky.graph.\(edge.kind.rawValue)", ["subject": network.did(edge.to).description])
    }
    let judy = try await PDSSession(network.account("judy"), at: network.pds.url, transport: transport)
    let list = try await judy.createRecord(
      in: "app.bsky.graph.list", ["name": "Noise", "purpose": "app.bsky.graph.defs#modlist"])
    let ivan = try network.did("ivan").description
    _ = try await judy.createRecord(
      in: "app.bsky.graph.listitem", ["list": list.description, "subject": ivan])
    _ = try await judy.createRecord(in: "app.bsky.graph.listblock", ["subject": list.description])
    for appview in [network.appview, network.appviewShortPages] {
      try await waitForListBlock(network, at: XRPCClient(service: appview.url, transport: transport))
    }
    return WrittenEdges(uris: uris, list: list)
  }

  /// The list block is written last, and an AppView reads the PDS's events in order.
  private static func waitForListBlock(_ network: LiveNetwork, at client: XRPCClient) async throws {
    let parameters = App.Bsky.Graph.GetRelationships.Parameters(
      actor: .did(try network.did("judy")), others: [.did(try network.did("ivan"))])
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while clock.now < deadline {
      let answer = try await client.query(App.Bsky.Graph.GetRelationships.self, parameters)
      if case .relationship(let relationship)? = answer.relationships.first,
        relationship.blockingByList != nil
      {
        return
      }
    }
    throw NotIndexed(service: client.service)
  }
}
