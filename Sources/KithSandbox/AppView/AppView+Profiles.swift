// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

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

  /// `app.bsky.actor.searchActors`: accounts whose handle, or a word of whose name, starts with the query;
  /// without those that block the viewer or that the viewer blocks.
  func search(
    _ parameters: App.Bsky.Actor.SearchActors.Parameters
  ) throws(XRPCFault) -> App.Bsky.Actor.SearchActors.Output {
    guard let query = Self.query(parameters.q ?? parameters.term) else {
      return App.Bsky.Actor.SearchActors.Output(actors: [])
    }
    let (found, next) = matches(
      from: try PageCursor(parameters.cursor).position, limit: parameters.limit ?? 25
    ) { matches($0, query) && !viewerBlocks(with: $0).exist }
    return App.Bsky.Actor.SearchActors.Output(
      cursor: next.map { PageCursor(position: $0).text }, actors: found.map(view(of:)))
  }

  /// `app.bsky.actor.searchActorsTypeahead`: as ``search(_:)``, on one page; an account with exactly this
  /// handle is shown despite blocks, for viewers who look for an account that they block.
  func typeahead(
    _ parameters: App.Bsky.Actor.SearchActorsTypeahead.Parameters
  ) -> App.Bsky.Actor.SearchActorsTypeahead.Output {
    guard let query = Self.query(parameters.q ?? parameters.term) else {
      return App.Bsky.Actor.SearchActorsTypeahead.Output(actors: [])
    }
    let exact = parameters.q?.lowercased()
    let found = matches(from: 0, limit: parameters.limit ?? 10) {
      matches($0, query)
        && (standings.handle(at: $0).description == exact || !viewerBlocks(with: $0).exist)
    }.found
    return App.Bsky.Actor.SearchActorsTypeahead.Output(actors: found.map(basicView(of:)))
  }

  /// The text without case and `@`; nil if nothing is left.
  private static func query(_ text: String?) -> Substring? {
    let text = (text ?? "").lowercased()
    let query = text.hasPrefix("@") ? text.dropFirst() : text[...]
    return query.isEmpty ? nil : query
  }

  /// The accounts from a position on that match, and where to continue; nil at the end.
  private func matches(
    from start: Int, limit: Int, where isFound: (Int) -> Bool
  ) -> (found: [Int], next: Int?) {
    var position = start
    var found: [Int] = []
    while position < network.dids.count, found.count < limit {
      if isFound(position) { found.append(position) }
      position += 1
    }
    return (found, position < network.dids.count ? position : nil)
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
      description: words.description, avatar: avatar(of: index), indexedAt: createdAt, createdAt: createdAt,
      viewer: viewerState(of: index), labels: labels(of: index), verification: verification(of: index))
  }

  /// The short view of an account.
  func basicView(of index: Int) -> App.Bsky.Actor.Defs.ProfileViewBasic {
    let account = network.account(at: index)
    return App.Bsky.Actor.Defs.ProfileViewBasic(
      did: account.did, handle: standings.handle(at: index), displayName: words(of: account, at: index).name,
      avatar: avatar(of: index), viewer: viewerState(of: index), labels: labels(of: index),
      createdAt: posts.createdAt(of: index, now: now), verification: verification(of: index))
  }

  /// The counts of a profile. They include every record, so they exceed what can be listed (Q12).
  func counts(of index: Int) -> (followers: Int, follows: Int, posts: Int) {
    (
      graph.follows.edges(to: index).count, graph.follows.edges(from: index).count,
      posts.countPosts(of: index, until: now) + graph.writtenPosts.countPosts(of: index)
    )
  }

  /// The detailed view of an account.
  private func detailedView(of index: Int) -> App.Bsky.Actor.Defs.ProfileViewDetailed {
    let counts = counts(of: index)
    let account = network.account(at: index)
    let words = words(of: account, at: index)
    let createdAt = posts.createdAt(of: index, now: now)
    return App.Bsky.Actor.Defs.ProfileViewDetailed(
      did: account.did, handle: standings.handle(at: index), displayName: words.name,
      description: words.description, pronouns: graph.profiles[index]?["pronouns"]?.string,
      website: graph.profiles[index]?["website"]?.string.flatMap { URI($0) }, avatar: avatar(of: index),
      banner: picture("banner", of: index), followersCount: counts.followers, followsCount: counts.follows,
      postsCount: counts.posts,
      indexedAt: createdAt, createdAt: createdAt,
      viewer: viewerState(of: index, withKnownFollowers: true), labels: labels(of: index),
      verification: verification(of: index))
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
