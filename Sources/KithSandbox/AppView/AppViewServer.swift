// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The network's AppView: the reads of `app.bsky.*`, and the few changes that it stores itself.
///
/// The account of a session token becomes the viewer, as if the account's PDS had proxied the request.
struct AppViewServer: Sendable {
  let live: LiveNetwork
  let paging: SandboxPaging

  func offer(to routes: inout XRPCRoutes) {
    offerGraph(to: &routes)
    offerProfiles(to: &routes)
    addPostRoutes(to: &routes)
    offerLists(to: &routes)
    offerViewer(to: &routes)
    offerIndex(to: &routes)
    offerChanges(to: &routes)
  }

  /// The AppView as this caller sees it now.
  private func view(_ state: NetworkState, viewer: Int?, now: Instant) -> AppView {
    AppView(
      graph: state.graph, posts: state.posts, wentRound: state.wentRound, mutes: state.mutes,
      paging: paging, viewer: viewer, now: now)
  }

  /// Answers from the AppView's state.
  private func asked<Parameters, Output>(
    _ answer: @escaping @Sendable (AppView) -> (Parameters) throws(XRPCFault) -> Output
  ) -> @Sendable (Parameters, XRPCCaller) throws(XRPCFault) -> Output {
    { parameters, caller throws(XRPCFault) in
      try live.withState { state, now throws(XRPCFault) in
        let viewer =
          caller.bearerToken == nil ? nil : try state.sessions.account(caller.bearerToken, at: now)
        return try answer(view(state, viewer: viewer, now: now))(parameters)
      }
    }
  }

  private func offerGraph(to routes: inout XRPCRoutes) {
    routes.add(
      App.Bsky.Graph.GetRelationships.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetRelationships.Parameters(
          actor: try query.identifier("actor"), others: try query.identifiers("others"))
      }, answering: asked(AppView.relationships))
    routes.add(
      App.Bsky.Graph.GetFollows.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetFollows.Parameters(
          actor: try query.identifier("actor"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: asked(AppView.follows))
    routes.add(
      App.Bsky.Graph.GetFollowers.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetFollowers.Parameters(
          actor: try query.identifier("actor"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: asked(AppView.followers))
  }

  private func offerProfiles(to routes: inout XRPCRoutes) {
    routes.add(
      App.Bsky.Actor.GetProfile.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Actor.GetProfile.Parameters(actor: try query.identifier("actor"))
      }, answering: asked(AppView.profile))
    routes.add(
      App.Bsky.Actor.GetProfiles.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Actor.GetProfiles.Parameters(actors: try query.identifiers("actors"))
      }, answering: asked(AppView.profiles))
    routes.add(
      App.Bsky.Actor.SearchActors.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Actor.SearchActors.Parameters(
          term: try query.optional("term"), q: try query.optional("q"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: asked(AppView.search))
    routes.add(
      App.Bsky.Actor.SearchActorsTypeahead.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Actor.SearchActorsTypeahead.Parameters(
          term: try query.optional("term"), q: try query.optional("q"), limit: try query.integer("limit"))
      }, answering: asked(AppView.typeahead))
  }

  private func addPostRoutes(to routes: inout XRPCRoutes) {
    routes.add(
      App.Bsky.Feed.GetAuthorFeed.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Feed.GetAuthorFeed.Parameters(
          actor: try query.identifier("actor"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"),
          filter: try query.optional("filter").map(
            App.Bsky.Feed.GetAuthorFeed.Parameters.Filter.init(rawValue:)),
          includePins: try query.boolean("includePins"))
      }, answering: asked(AppView.authorFeed))
    routes.add(
      App.Bsky.Feed.GetLikes.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Feed.GetLikes.Parameters(
          uri: try query.identifier("uri"), cid: try query.optionalIdentifier("cid"),
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.likes))
    routes.add(
      App.Bsky.Feed.GetRepostedBy.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Feed.GetRepostedBy.Parameters(
          uri: try query.identifier("uri"), cid: try query.optionalIdentifier("cid"),
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.repostedBy))
    routes.add(
      App.Bsky.Feed.GetQuotes.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Feed.GetQuotes.Parameters(
          uri: try query.identifier("uri"), cid: try query.optionalIdentifier("cid"),
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.quotes))
  }

  private func offerLists(to routes: inout XRPCRoutes) {
    routes.add(
      App.Bsky.Graph.GetList.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetList.Parameters(
          list: try query.identifier("list"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: asked(AppView.list))
    routes.add(
      App.Bsky.Graph.GetLists.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetLists.Parameters(
          actor: try query.identifier("actor"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"),
          purposes: query.values("purposes").map(
            App.Bsky.Graph.GetLists.Parameters.PurposesElement.init(rawValue:)))
      }, answering: asked(AppView.lists))
    routes.add(
      App.Bsky.Graph.GetStarterPack.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetStarterPack.Parameters(starterPack: try query.identifier("starterPack"))
      }, answering: asked(AppView.starterPack))
    routes.add(
      App.Bsky.Graph.GetActorStarterPacks.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetActorStarterPacks.Parameters(
          actor: try query.identifier("actor"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: asked(AppView.starterPacks))
  }

  /// Registers the answers that only the viewer gets.
  private func offerViewer(to routes: inout XRPCRoutes) {
    routes.add(
      App.Bsky.Graph.GetMutes.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetMutes.Parameters(
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.mutedAccounts))
    routes.add(
      App.Bsky.Graph.GetBlocks.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetBlocks.Parameters(
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.blockedAccounts))
    routes.add(
      App.Bsky.Graph.GetListMutes.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetListMutes.Parameters(
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.mutedLists))
    routes.add(
      App.Bsky.Graph.GetListBlocks.self,
      reading: { query throws(XRPCFault) in
        App.Bsky.Graph.GetListBlocks.Parameters(
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.blockedLists))
  }

  /// Registers the answers of a backlink index.
  private func offerIndex(to routes: inout XRPCRoutes) {
    routes.add(
      Blue.Microcosm.Links.GetBacklinks.self,
      reading: { query throws(XRPCFault) in
        Blue.Microcosm.Links.GetBacklinks.Parameters(
          subject: try query.required("subject"), source: try query.required("source"),
          limit: try query.integer("limit"), cursor: try query.optional("cursor"))
      }, answering: asked(AppView.backlinks))
    routes.add(
      Blue.Microcosm.Links.GetManyToManyCounts.self,
      reading: { query throws(XRPCFault) in
        Blue.Microcosm.Links.GetManyToManyCounts.Parameters(
          subject: try query.required("subject"), source: try query.required("source"),
          pathToOther: try query.required("pathToOther"), limit: try query.integer("limit"),
          cursor: try query.optional("cursor"))
      }, answering: asked(AppView.manyToManyCounts))
  }
}
