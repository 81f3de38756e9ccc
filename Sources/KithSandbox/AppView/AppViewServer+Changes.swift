// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// Changes that the AppView stores itself, not in a repository: mutes (Q9), reports, and what belongs to notifications.
extension AppViewServer {
  func offerChanges(to routes: inout XRPCRoutes) {
    routes.add(App.Bsky.Graph.MuteActor.self, answering: muteActor)
    routes.add(App.Bsky.Graph.UnmuteActor.self, answering: unmuteActor)
    routes.add(App.Bsky.Graph.MuteActorList.self, answering: muteActorList)
    routes.add(App.Bsky.Graph.UnmuteActorList.self, answering: unmuteActorList)
    routes.add(Com.Atproto.Moderation.CreateReport.self, answering: createReport)
    routes.add(App.Bsky.Notification.UpdateSeen.self, answering: updateSeen)
    routes.add(App.Bsky.Notification.PutPreferencesV2.self, answering: putPreferences)
    routes.add(App.Bsky.Notification.PutActivitySubscription.self, answering: putActivitySubscription)
  }

  /// A second mute replaces the first, including its scope.
  @Sendable private func muteActor(
    _ input: App.Bsky.Graph.MuteActor.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    let scope = Mutes.Scope(
      onlyReposts: input.onlyReposts == true, onlyQuoteposts: input.onlyQuoteposts == true)
    return try change(of: caller) { state, viewer throws(XRPCFault) in
      let account = try Self.account(input.actor, in: &state)
      guard account != viewer else { throw .invalidRequest("Cannot mute oneself") }
      state.mutes.mute(account, scope, by: viewer)
    }
  }

  /// Does not affect a mute that comes from a list.
  @Sendable private func unmuteActor(
    _ input: App.Bsky.Graph.UnmuteActor.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    try change(of: caller) { state, viewer throws(XRPCFault) in
      let account = try Self.account(input.actor, in: &state)
      state.mutes.unmute(account, by: viewer)
    }
  }

  @Sendable private func muteActorList(
    _ input: App.Bsky.Graph.MuteActorList.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    try change(of: caller) { state, viewer throws(XRPCFault) in
      state.mutes.mute(list: try Self.list(input.list, in: state), by: viewer)
    }
  }

  @Sendable private func unmuteActorList(
    _ input: App.Bsky.Graph.UnmuteActorList.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    try change(of: caller) { state, viewer throws(XRPCFault) in
      state.mutes.unmute(list: try Self.list(input.list, in: state), by: viewer)
    }
  }

  @Sendable private func createReport(
    _ input: Com.Atproto.Moderation.CreateReport.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<Com.Atproto.Moderation.CreateReport.Output> {
    let subject: Com.Atproto.Moderation.CreateReport.Output.Subject =
      switch input.subject {
      case .repoRef(let repo): .repoRef(repo)
      case .strongRef(let record): .strongRef(record)
      case .unknown(let other): .unknown(other)
      }
    let report = try live.withState { state, now throws(XRPCFault) in
      let reporter = try state.sessions.account(caller.bearerToken, at: now)
      return state.reports.add { id in
        Com.Atproto.Moderation.CreateReport.Output(
          id: id, reasonType: input.reasonType, reason: input.reason, subject: subject,
          reportedBy: live.network.dids[reporter], createdAt: Datetime(at: now))
      }
    }
    return XRPCReply(report)
  }

  @Sendable private func updateSeen(
    _ input: App.Bsky.Notification.UpdateSeen.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    try change(of: caller) { state, viewer throws(XRPCFault) in
      state.notices.see(by: viewer, at: input.seenAt.instant)
    }
  }

  /// Settings that the input does not name stay; that for chat is not kept here any more.
  @Sendable private func putPreferences(
    _ input: App.Bsky.Notification.PutPreferencesV2.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<App.Bsky.Notification.PutPreferencesV2.Output> {
    let preferences = try live.withState { state, now throws(XRPCFault) in
      let viewer = try state.sessions.account(caller.bearerToken, at: now)
      var preferences = state.notices.preferences(of: viewer)
      preferences.follow = input.follow ?? preferences.follow
      preferences.like = input.like ?? preferences.like
      preferences.likeViaRepost = input.likeViaRepost ?? preferences.likeViaRepost
      preferences.mention = input.mention ?? preferences.mention
      preferences.quote = input.quote ?? preferences.quote
      preferences.reply = input.reply ?? preferences.reply
      preferences.repost = input.repost ?? preferences.repost
      preferences.repostViaRepost = input.repostViaRepost ?? preferences.repostViaRepost
      preferences.starterpackJoined = input.starterpackJoined ?? preferences.starterpackJoined
      preferences.subscribedPost = input.subscribedPost ?? preferences.subscribedPost
      preferences.unverified = input.unverified ?? preferences.unverified
      preferences.verified = input.verified ?? preferences.verified
      state.notices.set(preferences, of: viewer)
      return preferences
    }
    return XRPCReply(App.Bsky.Notification.PutPreferencesV2.Output(preferences: preferences))
  }

  /// Neither posts nor replies: the subscription ends.
  @Sendable private func putActivitySubscription(
    _ input: App.Bsky.Notification.PutActivitySubscription.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<App.Bsky.Notification.PutActivitySubscription.Output> {
    try live.withState { state, now throws(XRPCFault) in
      let viewer = try state.sessions.account(caller.bearerToken, at: now)
      let account = try Self.account(.did(input.subject), in: &state)
      guard account != viewer else { throw .invalidRequest("Cannot subscribe to own activity") }
      state.notices.subscribe(viewer, to: account, input.activitySubscription)
    }
    let isOver = !input.activitySubscription.post && !input.activitySubscription.reply
    return XRPCReply(
      App.Bsky.Notification.PutActivitySubscription.Output(
        subject: input.subject, activitySubscription: isOver ? nil : input.activitySubscription))
  }

  private func change(
    of caller: XRPCCaller,
    _ change: (inout NetworkState, _ viewer: Int) throws(XRPCFault) -> Void
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    try live.withState { state, now throws(XRPCFault) in
      try change(&state, try state.sessions.account(caller.bearerToken, at: now))
    }
    return .done
  }

  private static func account(
    _ actor: ATIdentifier, in state: inout NetworkState
  ) throws(XRPCFault) -> Int {
    guard let number = state.number(of: actor) else { throw .invalidRequest("Actor not found") }
    return number
  }

  private static func list(_ uri: ATURI, in state: NetworkState) throws(XRPCFault) -> Int {
    guard let index = state.graph.index(ofList: uri) else { throw .invalidRequest("List not found") }
    return index
  }
}
