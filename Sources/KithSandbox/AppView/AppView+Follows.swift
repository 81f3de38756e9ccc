// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  /// `app.bsky.graph.getFollows`, newest first; `sort` is ignored.
  func follows(
    _ parameters: App.Bsky.Graph.GetFollows.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetFollows.Output {
    let subject = try subject(parameters.actor)
    let page = Page(
      of: graph.follows.edges(from: subject), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { isListed(graph.follows.column(of: $0), for: subject) }
    return App.Bsky.Graph.GetFollows.Output(
      subject: view(of: subject), cursor: page.cursor?.text,
      follows: page.elements.map { view(of: graph.follows.column(of: $0)) })
  }

  /// `app.bsky.graph.getFollowers`, newest first; `sort` is ignored.
  func followers(
    _ parameters: App.Bsky.Graph.GetFollowers.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetFollowers.Output {
    let subject = try subject(parameters.actor)
    let page = Page(
      of: graph.follows.edges(to: subject), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { isListed(graph.follows.row(of: $0), for: subject) }
    return App.Bsky.Graph.GetFollowers.Output(
      subject: view(of: subject), cursor: page.cursor?.text,
      followers: page.elements.map { view(of: graph.follows.row(of: $0)) })
  }

  /// Whether the pages of one account show the other: not if either blocks the other, or if the viewer and
  /// the other block each other, and not if the other is inactive (Q11).
  func isListed(_ account: Int, for subject: Int) -> Bool {
    guard graph.isShown(account), !graph.isBlocked(subject, account) else { return false }
    return !viewerBlocks(with: account).exist
  }
}
