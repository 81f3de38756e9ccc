// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  /// `app.bsky.graph.getRelationships`, the same for every viewer.
  ///
  /// An unknown handle as the actor is not an error (Q3). Handles among the others are not resolved (Q1). Any
  /// valid DID is answered; one that was never registered has no edges (Q2). Order and duplicates are kept,
  /// and the actor has no edges to itself (Q4).
  func relationships(
    _ parameters: App.Bsky.Graph.GetRelationships.Parameters
  ) -> App.Bsky.Graph.GetRelationships.Output {
    let others = parameters.others ?? []
    guard let actor = did(of: parameters.actor) else {
      return App.Bsky.Graph.GetRelationships.Output(relationships: others.map(notFound))
    }
    let relationships = others.map { other -> App.Bsky.Graph.GetRelationships.Output.RelationshipsElement in
      if case .did(let did) = other { return .relationship(relationship(of: actor, with: did)) }
      return notFound(other)
    }
    return App.Bsky.Graph.GetRelationships.Output(actor: actor, relationships: relationships)
  }

  /// A DID is used as it is, whether it exists or not.
  private func did(of actor: ATIdentifier) -> DID? {
    switch actor {
    case .did(let did): did
    case .handle: standings.index(of: actor).map { network.dids[$0] }
    }
  }

  private func notFound(
    _ actor: ATIdentifier
  ) -> App.Bsky.Graph.GetRelationships.Output.RelationshipsElement {
    .notFoundActor(App.Bsky.Graph.Defs.NotFoundActor(actor: actor))
  }

  private func relationship(of actor: DID, with other: DID) -> App.Bsky.Graph.Defs.Relationship {
    let edges = graph.relationship(of: actor, with: other)
    return App.Bsky.Graph.Defs.Relationship(
      did: other, following: edges.following, followedBy: edges.followedBy, blocking: edges.blocking,
      blockedBy: edges.blockedBy, blockingByList: edges.blockingByList, blockedByList: edges.blockedByList)
  }
}
