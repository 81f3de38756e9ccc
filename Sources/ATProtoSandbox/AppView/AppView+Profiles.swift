// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension AppView {
  /// `app.bsky.actor.getProfile`, with the errors that tell a client the status of an account.
  func profile(
    _ parameters: App.Bsky.Actor.GetProfile.Parameters
  ) throws(XRPCFault) -> App.Bsky.Actor.GetProfile.Output {
    guard let index = standings.index(of: parameters.actor), !graph.unindexed.contains(index) else {
      throw .invalidRequest("Profile not found")
    }
    switch standings.status(at: index) {
    case .active: return detailedView(of: index)
    case .deleted: throw .invalidRequest("Profile not found")
    case .deactivated:
      throw XRPCFault(status: 400, name: "AccountDeactivated", message: "Account is deactivated")
    case .takenDown, .suspended:
      throw XRPCFault(status: 400, name: "AccountTakedown", message: "Account has been suspended")
    }
  }

  /// `app.bsky.actor.getProfiles`: unknown and inactive accounts are left out; the order is kept (Q14).
  func profiles(
    _ parameters: App.Bsky.Actor.GetProfiles.Parameters
  ) -> App.Bsky.Actor.GetProfiles.Output {
    App.Bsky.Actor.GetProfiles.Output(profiles: parameters.actors.compactMap(visible).map(detailedView))
  }

  /// `app.bsky.actor.searchActors`: accounts whose handle, or a word of whose name, starts with the query.
  func search(
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
    return App.Bsky.Actor.SearchActors.Output(cursor: cursor, actors: found.map(view(of:)))
  }

  private func matches(_ index: Int, _ query: Substring) -> Bool {
    (standings.handle(at: index).description.hasPrefix(query) || network.isNamed(query, at: index))
      && graph.isShown(index)
  }

  /// The view of an account in a list.
  func view(of index: Int) -> App.Bsky.Actor.Defs.ProfileView {
    let account = network.account(at: index)
    let words = words(of: account, at: index)
    let createdAt = posts.createdAt(of: index, now: now)
    return App.Bsky.Actor.Defs.ProfileView(
      did: account.did, handle: standings.handle(at: index), displayName: words.name,
      description: words.description, indexedAt: createdAt, createdAt: createdAt,
      viewer: viewerState(of: index), labels: labels(of: index), verification: verification(of: index))
  }

  /// The short view of an account.
  func basicView(of index: Int) -> App.Bsky.Actor.Defs.ProfileViewBasic {
    let account = network.account(at: index)
    return App.Bsky.Actor.Defs.ProfileViewBasic(
      did: account.did, handle: standings.handle(at: index), displayName: words(of: account, at: index).name,
      viewer: viewerState(of: index), labels: labels(of: index),
      createdAt: posts.createdAt(of: index, now: now), verification: verification(of: index))
  }

  /// The detailed view of an account. The counts include every record, so they exceed what can be listed
  /// (Q12).
  private func detailedView(of index: Int) -> App.Bsky.Actor.Defs.ProfileViewDetailed {
    let account = network.account(at: index)
    let words = words(of: account, at: index)
    let createdAt = posts.createdAt(of: index, now: now)
    return App.Bsky.Actor.Defs.ProfileViewDetailed(
      did: account.did, handle: standings.handle(at: index), displayName: words.name,
      description: words.description,
      followersCount: graph.follows.edges(to: index).count,
      followsCount: graph.follows.edges(from: index).count,
      postsCount: posts.countPosts(of: index, until: now), indexedAt: createdAt, createdAt: createdAt,
      viewer: viewerState(of: index), labels: labels(of: index), verification: verification(of: index))
  }

  /// The name and description of a profile, as generated or as written since.
  private func words(
    of account: SandboxAccount, at index: Int
  ) -> (name: String?, description: String?) {
    guard let profile = graph.profiles[index] else {
      return (
        account.displayName.isEmpty ? nil : account.displayName,
        account.biography.isEmpty ? nil : account.biography
      )
    }
    return (profile["displayName"]?.string, profile["description"]?.string)
  }
}
