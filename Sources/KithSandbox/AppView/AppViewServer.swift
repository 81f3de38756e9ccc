// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The network's AppView: the reads of `app.bsky.*`, and the few changes that it stores itself.
///
/// The account of a session token becomes the viewer, as if the account's PDS had proxied the request.
struct AppViewServer: Sendable {
  let live: LiveNetwork
  let paging: SandboxPaging
  /// Its own address.
  let url: String

  func offer(to routes: inout XRPCRoutes) {
    offerGraph(to: &routes)
    offerProfiles(to: &routes)
    addPostRoutes(to: &routes)
    offerLists(to: &routes)
    offerViewer(to: &routes)
    offerIndex(to: &routes)
    offerFeeds(to: &routes)
    offerNotifications(to: &routes)
    offerChanges(to: &routes)
  }

  /// Answers from the AppView's state.
  private func asked<Parameters, Output>(
    _ answer: @escaping @Sendable (AppView) -> (Parameters) throws(XRPCFault) -> Output
  ) -> @Sendable (Parameters, XRPCCaller) throws(XRPCFault) -> Output {
    { parameters, caller throws(XRPCFault) in
      try live.withState { state, now throws(XRPCFault) in
        let viewer =
          caller.bearerToken == nil ? nil : try state.sessions.account(caller.bearerToken, at: now)
        return try answer(AppView(state, paging: paging, url: url, viewer: viewer, now: now))(parameters)
      }
    }
  }

  private func offerGraph(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Graph.GetRelationships.self, answering: asked(AppView.relationships))
    routes.add(App.Bsky.Graph.GetFollows.self, answering: asked(AppView.follows))
    routes.add(App.Bsky.Graph.GetFollowers.self, answering: asked(AppView.followers))
  }

  private func offerProfiles(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Actor.GetProfile.self, answering: asked(AppView.profile))
    routes.add(App.Bsky.Actor.GetProfiles.self, answering: asked(AppView.profiles))
    routes.add(App.Bsky.Actor.SearchActors.self, answering: asked(AppView.search))
    routes.add(App.Bsky.Actor.SearchActorsTypeahead.self, answering: asked(AppView.typeahead))
    routes.add(App.Bsky.Actor.GetSuggestions.self, answering: asked(AppView.suggestions))
    routes.add(App.Bsky.Graph.GetSuggestedFollowsByActor.self, answering: asked(AppView.similar))
  }

  private func addPostRoutes(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Feed.GetAuthorFeed.self, answering: asked(AppView.authorFeed))
    routes.add(App.Bsky.Feed.GetPosts.self, answering: asked(AppView.postViews))
    routes.add(App.Bsky.Feed.GetPostThread.self, answering: asked(AppView.thread))
    routes.add(App.Bsky.Feed.GetLikes.self, answering: asked(AppView.likes))
    routes.add(App.Bsky.Feed.GetRepostedBy.self, answering: asked(AppView.repostedBy))
    routes.add(App.Bsky.Feed.GetQuotes.self, answering: asked(AppView.quotes))
  }

  private func offerFeeds(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Feed.GetTimeline.self, answering: asked(AppView.timeline))
    routes.add(App.Bsky.Feed.GetListFeed.self, answering: asked(AppView.listFeed))
  }

  private func offerNotifications(to routes: inout XRPCRoutes) {
    typealias Notification = App.Bsky.Notification
    routes.add(Notification.ListNotifications.self, answering: asked(AppView.notifications))
    routes.add(Notification.GetUnreadCount.self, answering: asked(AppView.unreadCount))
    routes.add(Notification.GetPreferences.self, answering: asked(AppView.notificationPreferences))
    routes.add(Notification.ListActivitySubscriptions.self, answering: asked(AppView.activitySubscriptions))
  }

  private func offerLists(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Graph.GetList.self, answering: asked(AppView.list))
    routes.add(App.Bsky.Graph.GetLists.self, answering: asked(AppView.lists))
    routes.add(App.Bsky.Graph.GetStarterPack.self, answering: asked(AppView.starterPack))
    routes.add(App.Bsky.Graph.GetActorStarterPacks.self, answering: asked(AppView.starterPacks))
  }

  /// Registers the answers that only the viewer gets.
  private func offerViewer(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Graph.GetMutes.self, answering: asked(AppView.mutedAccounts))
    routes.add(App.Bsky.Graph.GetBlocks.self, answering: asked(AppView.blockedAccounts))
    routes.add(App.Bsky.Graph.GetListMutes.self, answering: asked(AppView.mutedLists))
    routes.add(App.Bsky.Graph.GetListBlocks.self, answering: asked(AppView.blockedLists))
  }

  /// Registers the answers of a backlink index.
  private func offerIndex(to routes: inout XRPCRoutes) {
    routes.add(Blue.Microcosm.Links.GetBacklinks.self, answering: asked(AppView.backlinks))
    routes.add(Blue.Microcosm.Links.GetManyToManyCounts.self, answering: asked(AppView.manyToManyCounts))
  }
}
