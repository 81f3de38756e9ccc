// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension AppView {
  /// `app.bsky.actor.getProfile`, with the errors from which a client learns what became of an account.
  @Sendable func profile(
    _ parameters: App.Bsky.Actor.GetProfile.Parameters
  ) throws(XRPCFault) -> App.Bsky.Actor.GetProfile.Output {
    guard let index = index(of: parameters.actor) else { throw .invalidRequest("Profile not found") }
    switch network.status(at: index) {
    case .active: return detailedView(of: index)
    case .deactivated:
      throw XRPCFault(status: 400, name: "AccountDeactivated", message: "Account is deactivated")
    case .takenDown:
      throw XRPCFault(status: 400, name: "AccountTakedown", message: "Account has been suspended")
    }
  }

  /// `app.bsky.actor.getProfiles`: whoever is unknown or switched off is left out, the order stays (Q14).
  @Sendable func profiles(
    _ parameters: App.Bsky.Actor.GetProfiles.Parameters
  ) -> App.Bsky.Actor.GetProfiles.Output {
    App.Bsky.Actor.GetProfiles.Output(profiles: parameters.actors.compactMap(visible).map(detailedView))
  }

  /// `app.bsky.actor.searchActors`: accounts of which the handle or a word of the name begins with the query.
  @Sendable func search(
    _ parameters: App.Bsky.Actor.SearchActors.Parameters
  ) throws(XRPCFault) -> App.Bsky.Actor.SearchActors.Output {
    let text = (parameters.q ?? parameters.term ?? "").lowercased()
    let query = text.hasPrefix("@") ? text.dropFirst() : text[...]
    guard !query.isEmpty else { return App.Bsky.Actor.SearchActors.Output(actors: []) }
    let limit = parameters.limit ?? 25
    var position = try PageCursor(parameters.cursor).position
    var found: [Int] = []
    while position < network.dids.count, found.count < limit {
      if matches(position, query) { found.append(position) }
      position += 1
    }
    let cursor = position < network.dids.count ? PageCursor(position: position).text : nil
    return App.Bsky.Actor.SearchActors.Output(cursor: cursor, actors: found.map(view))
  }

  private func matches(_ index: Int, _ query: Substring) -> Bool {
    (network.handles[index].description.hasPrefix(query) || network.isNamed(query, at: index))
      && network.status(at: index) == .active
  }

  /// An account in a list of them.
  func view(of index: Int) -> App.Bsky.Actor.Defs.ProfileView {
    let account = network.account(at: index)
    return App.Bsky.Actor.Defs.ProfileView(
      did: account.did, handle: account.handle, displayName: account.displayName,
      description: account.biography.isEmpty ? nil : account.biography, indexedAt: account.createdAt,
      createdAt: account.createdAt, labels: [])
  }

  /// An account alone. The counts are those of the records, so they exceed what can be listed (Q12).
  private func detailedView(of index: Int) -> App.Bsky.Actor.Defs.ProfileViewDetailed {
    let account = network.account(at: index)
    return App.Bsky.Actor.Defs.ProfileViewDetailed(
      did: account.did, handle: account.handle, displayName: account.displayName,
      description: account.biography.isEmpty ? nil : account.biography,
      followersCount: network.follows.edges(to: index).count,
      followsCount: network.follows.edges(from: index).count, postsCount: 0,
      indexedAt: account.createdAt,
      createdAt: account.createdAt, labels: [])
  }
}
