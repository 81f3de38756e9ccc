// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The blocks between a viewer and an account, direct or through a list.
struct ViewerBlocks: Hashable {
  /// The viewer's block: its record, or the list that it blocks.
  var blocking: ATURI?
  var blockingList: Int?
  var isBlockedBy = false

  /// Whether there is one, in either direction.
  var exist: Bool { blocking != nil || isBlockedBy }
}

/// Answers that only the viewer gets.
extension AppView {
  /// `app.bsky.graph.getMutes`, newest first; without scoped mutes (Q9).
  func mutedAccounts(
    _ parameters: App.Bsky.Graph.GetMutes.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetMutes.Output {
    let page = try page(
      mutes.accounts(of: try requiredViewer()), limit: parameters.limit, cursor: parameters.cursor,
      where: graph.isShown)
    return App.Bsky.Graph.GetMutes.Output(cursor: page.cursor?.text, mutes: page.elements.map(view(of:)))
  }

  /// `app.bsky.graph.getBlocks`, newest first; without inactive accounts (Q10).
  func blockedAccounts(
    _ parameters: App.Bsky.Graph.GetBlocks.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetBlocks.Output {
    let page = Page(
      of: graph.blocks.edges(from: try requiredViewer()), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { graph.isShown(graph.blocks.column(of: $0)) }
    return App.Bsky.Graph.GetBlocks.Output(
      cursor: page.cursor?.text, blocks: page.elements.map { view(of: graph.blocks.column(of: $0)) })
  }

  /// `app.bsky.graph.getListMutes`, newest first.
  func mutedLists(
    _ parameters: App.Bsky.Graph.GetListMutes.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetListMutes.Output {
    let page = try page(
      mutes.lists(of: try requiredViewer()), limit: parameters.limit, cursor: parameters.cursor
    ) { graph.list(at: $0) != nil }
    return App.Bsky.Graph.GetListMutes.Output(
      cursor: page.cursor?.text, lists: page.elements.compactMap(view(ofList:)))
  }

  /// `app.bsky.graph.getListBlocks`, newest first.
  func blockedLists(
    _ parameters: App.Bsky.Graph.GetListBlocks.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetListBlocks.Output {
    let page = Page(
      of: graph.listBlocks.edges(from: try requiredViewer()), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { graph.list(at: graph.listBlocks.column(of: $0)) != nil }
    return App.Bsky.Graph.GetListBlocks.Output(
      cursor: page.cursor?.text,
      lists: page.elements.compactMap { view(ofList: graph.listBlocks.column(of: $0)) })
  }

  /// The viewer state of an account; nil without a viewer, or for the viewer itself.
  ///
  /// A block through a list is a block, with the list's URI (Q7). For a block in the other direction, the
  /// list is not revealed (Q8). Any block hides follows (Q5). A mute through a list is a mute (Q9). Lists
  /// that are gone, or are not moderation lists, do not count here.
  ///
  /// - Parameter withKnownFollowers: whether the view is a detailed one, which includes them.
  func viewerState(
    of account: Int, withKnownFollowers: Bool = false
  ) -> App.Bsky.Actor.Defs.ViewerState? {
    guard let viewer, viewer != account else { return nil }
    let blocks = viewerBlocks(with: account)
    let scope = mutes.scope(of: account, for: viewer)
    let mutedList = mutes.lists(of: viewer).first { list in
      graph.listItems.edge(from: list, to: account) != nil && graph.isModeration(list: list)
    }
    return App.Bsky.Actor.Defs.ViewerState(
      muted: scope?.isWhole == true || mutedList != nil,
      mutedOnlyReposts: scope?.onlyReposts == true ? true : nil,
      mutedOnlyQuoteposts: scope?.onlyQuoteposts == true ? true : nil,
      mutedByList: mutedList.flatMap(basicView(ofList:)), blockedBy: blocks.isBlockedBy,
      blocking: blocks.blocking, blockingByList: blocks.blockingList.flatMap(basicView(ofList:)),
      following: blocks.exist ? nil : graph.follow(from: viewer, to: account),
      followedBy: blocks.exist ? nil : graph.follow(from: account, to: viewer),
      knownFollowers: withKnownFollowers && !blocks.exist ? knownFollowers(of: account, to: viewer) : nil)
  }

  /// The followers of an account that the viewer follows: their number, and the first five (Q13).
  private func knownFollowers(of account: Int, to viewer: Int) -> App.Bsky.Actor.Defs.KnownFollowers {
    // Without optimisation, each use of the property in the loop would copy the whole graph.
    let (graph, follows) = (graph, graph.follows)
    let known = follows.edges(from: viewer).map { follows.column(of: Int($0)) }.filter {
      follows.edge(from: $0, to: account) != nil && graph.isShown($0)
    }
    let shown = known.prefix(5).filter { !viewerBlocks(with: $0).exist }
    return App.Bsky.Actor.Defs.KnownFollowers(count: known.count, followers: shown.map(basicView(of:)))
  }

  /// The blocks between the viewer and an account; none without a viewer, or for the viewer itself.
  func viewerBlocks(with account: Int) -> ViewerBlocks {
    guard let viewer, viewer != account else { return ViewerBlocks() }
    let blockingList = graph.listBlocked(by: viewer, with: account, where: graph.isModeration(list:))
    let blockedByList = graph.listBlocked(by: account, with: viewer, where: graph.isModeration(list:))
    return ViewerBlocks(
      blocking: graph.block(from: viewer, to: account) ?? blockingList.map(graph.uri(ofList:)),
      blockingList: blockingList,
      isBlockedBy: graph.block(from: account, to: viewer) != nil || blockedByList != nil)
  }
}
