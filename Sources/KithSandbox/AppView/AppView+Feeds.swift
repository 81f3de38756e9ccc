// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  /// `app.bsky.feed.getTimeline`: posts and reposts by the viewer and the accounts it follows, newest first. What a block or a
  /// mute hides is left out without a trace, and so are replies below it.
  func timeline(
    _ parameters: App.Bsky.Feed.GetTimeline.Parameters
  ) throws(XRPCFault) -> App.Bsky.Feed.GetTimeline.Output {
    let viewer = try requiredViewer()
    let followed = graph.follows.edges(from: viewer).map { graph.follows.column(of: Int($0)) }
    let page = try feed(
      of: [viewer] + followed.filter { isListed($0) && !isMuted($0) }, limit: parameters.limit,
      cursor: parameters.cursor
    ) { isInTimeline($0, of: viewer) }
    return App.Bsky.Feed.GetTimeline.Output(cursor: page.cursor, feed: page.feed)
  }

  /// `app.bsky.feed.getListFeed`: posts and replies of the members, newest first; no reposts. Members with a block between
  /// them and the owner of the list are left out as well.
  func listFeed(
    _ parameters: App.Bsky.Feed.GetListFeed.Parameters
  ) throws(XRPCFault) -> App.Bsky.Feed.GetListFeed.Output {
    guard let index = graph.index(ofList: parameters.list), let list = graph.list(at: index) else {
      throw XRPCFault(
        status: 400, name: App.Bsky.Feed.GetListFeed.ErrorName.unknownList.rawValue, message: "List not found"
      )
    }
    let members = graph.listItems.edges(from: index).map { graph.listItems.column(of: Int($0)) }
    let page = try feed(
      of: members.filter { isListed($0) && !isMuted($0) && !graph.isBlocked(list.owner, $0) },
      limit: parameters.limit, cursor: parameters.cursor
    ) { $0.kind != .repost && isWithoutHiddenTarget($0) }
    return App.Bsky.Feed.GetListFeed.Output(cursor: page.cursor, feed: page.feed)
  }

  /// Whether the viewer mutes an account as a whole.
  private func isMuted(_ account: Int) -> Bool { viewerState(of: account)?.muted == true }

  private func isInTimeline(_ item: Post, of viewer: Int) -> Bool {
    let scope = mutes.scope(of: item.author, for: viewer)
    if item.kind == .repost, scope?.onlyReposts == true { return false }
    if item.kind == .quote, scope?.onlyQuoteposts == true { return false }
    return isWithoutHiddenTarget(item)
  }

  /// Whether the post that it reposts, quotes or answers, if any, is not hidden from the viewer. One that is gone hides nothing
  /// but its reposts.
  private func isWithoutHiddenTarget(_ item: Post) -> Bool {
    switch item.kind {
    case .text, .images, .video, .link: true
    case .repost, .quote, .reply:
      shownTarget(of: item).map { !viewerBlocks(with: $0.author).exist && !isMuted($0.author) }
        ?? (item.kind != .repost)
    }
  }

  private func feed(
    of authors: [Int], limit: Int?, cursor: String?, where isShown: (Post) -> Bool
  ) throws(XRPCFault) -> (cursor: String?, feed: [App.Bsky.Feed.Defs.FeedViewPost]) {
    let limit = limit ?? 50
    // A cursor of another kind of feed gets an empty page, as in production.
    if cursor?.contains("::") == true { return (nil, []) }
    let end = try cursor.map(FeedCursor.moment(parsing:)) ?? now + .microseconds(1)
    var found = authors.flatMap { author in
      items(of: author, before: min(end, now + .microseconds(1)), limit: limit + 1, where: isShown)
    }
    found.sort { ($0.moment, $0.author) > ($1.moment, $1.author) }
    let page = found.prefix(limit)
    let pages = PostPages(self)
    return (
      found.count > limit ? page.last.map { String($0.moment.microsecondsSinceEpoch) } : nil,
      page.compactMap { feedView(of: $0, in: pages) }
    )
  }
}
