// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  /// The most accounts that are considered for suggestions.
  private static let mostSuggested = 500

  /// `app.bsky.actor.getSuggestions`: for a viewer, accounts that many of those it follows also follow, without
  /// accounts that it follows, mutes or has a block with. Signed out, the same accounts for everyone: the first two keep
  /// their places, the others are shuffled for each call.
  func suggestions(
    _ parameters: App.Bsky.Actor.GetSuggestions.Parameters
  ) throws(XRPCFault) -> App.Bsky.Actor.GetSuggestions.Output {
    let found = viewer.map { followed(byFollowsOf: $0).filter { isSuggested($0, butNotFollowed: true) } }
    let page = try page(
      found ?? fixedSuggestions, limit: parameters.limit, cursor: parameters.cursor, where: graph.isShown)
    return App.Bsky.Actor.GetSuggestions.Output(
      cursor: page.cursor?.text, actors: page.elements.map(view(of:)))
  }

  /// `app.bsky.graph.getSuggestedFollowsByActor`: accounts that many of those the actor follows also follow. Leaves out
  /// blocks and mutes of the viewer, but not the accounts that it follows.
  func similar(
    _ parameters: App.Bsky.Graph.GetSuggestedFollowsByActor.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetSuggestedFollowsByActor.Output {
    guard let actor = visible(parameters.actor) else { throw .invalidRequest("Actor not found") }
    let found = followed(byFollowsOf: actor).filter {
      $0 != actor && isSuggested($0, butNotFollowed: false)
    }
    return App.Bsky.Graph.GetSuggestedFollowsByActor.Output(suggestions: found.prefix(20).map(view(of:)))
  }

  private func isSuggested(_ account: Int, butNotFollowed: Bool) -> Bool {
    guard let viewer else { return true }
    guard account != viewer, !viewerBlocks(with: account).exist,
      mutes.scope(of: account, for: viewer)?.isWhole != true
    else { return false }
    return !butNotFollowed || graph.follow(from: viewer, to: account) == nil
  }

  /// The accounts at a distance of two, those with the most paths first.
  private func followed(byFollowsOf account: Int) -> [Int] {
    var paths: [Int: Int] = [:]
    for edge in graph.follows.edges(from: account).prefix(Self.mostSuggested) {
      for second in graph.follows.edges(from: graph.follows.column(of: Int(edge))).prefix(100) {
        paths[graph.follows.column(of: Int(second)), default: 0] += 1
      }
    }
    return paths.filter { graph.isShown($0.key) && $0.key != account }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostSuggested).map(\.key)
  }

  private var fixedSuggestions: [Int] {
    let first = [NamedAccount.carol.rawValue, NamedAccount.grace.rawValue]
    let others = (0..<min(network.dids.count, Self.mostSuggested)).filter { !first.contains($0) }
    let salt = UInt64(bitPattern: now.microsecondsSinceEpoch)
    return first + others.sorted { SplitMix64.mix(salt ^ UInt64($0)) < SplitMix64.mix(salt ^ UInt64($1)) }
  }
}
