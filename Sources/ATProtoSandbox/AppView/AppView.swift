// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

/// The network's AppView: the reads of `app.bsky.*` without a viewer, answered as production answers them.
struct AppView: Sendable {
  let network: SandboxNetwork
  let paging: Sandbox.Paging
  private let indexesByList: [ATURI: Int]

  init(network: SandboxNetwork, paging: Sandbox.Paging) {
    self.network = network
    self.paging = paging
    indexesByList = Dictionary(
      network.lists.indices.map { (network.uri(ofList: $0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  func offer(to routes: inout XRPCRoutes) {
    routes.add(
      App.Bsky.Graph.GetRelationships.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetRelationships.Parameters(
          actor: try query.identifier("actor"), others: try query.identifiers("others"))
      }, answering: relationships)
    routes.add(
      App.Bsky.Graph.GetFollows.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetFollows.Parameters(
          actor: try query.identifier("actor"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: follows)
    routes.add(
      App.Bsky.Graph.GetFollowers.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetFollowers.Parameters(
          actor: try query.identifier("actor"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: followers)
    routes.add(
      App.Bsky.Graph.GetList.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetList.Parameters(
          list: try query.identifier("list"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: list)
    routes.add(
      App.Bsky.Actor.GetProfile.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Actor.GetProfile.Parameters(actor: try query.identifier("actor"))
      }, answering: profile)
    routes.add(
      App.Bsky.Actor.GetProfiles.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Actor.GetProfiles.Parameters(actors: try query.identifiers("actors"))
      }, answering: profiles)
    routes.add(
      App.Bsky.Actor.SearchActors.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Actor.SearchActors.Parameters(
          term: try query.optional("term"), q: try query.optional("q"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: search)
  }

  func index(ofList uri: ATURI) -> Int? { indexesByList[uri] }

  /// The account that an identifier names, whatever its status.
  func index(of actor: ATIdentifier) -> Int? {
    switch actor {
    case .did(let did): network.index(of: did)
    case .handle(let handle): network.index(of: handle)
    }
  }

  /// The account, unless it is deactivated, taken down or unknown.
  func visible(_ actor: ATIdentifier) -> Int? {
    index(of: actor).flatMap { network.status(at: $0) == .active ? $0 : nil }
  }
}
