// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension AppView {
  /// `app.bsky.graph.getFollows`, newest first; the order that `sort` asks for is not looked at.
  @Sendable func follows(
    _ parameters: App.Bsky.Graph.GetFollows.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetFollows.Output {
    let subject = try subject(parameters.actor)
    let page = Page(
      of: network.follows.edges(from: subject), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { isListed(network.follows.column(of: $0), for: subject) }
    return App.Bsky.Graph.GetFollows.Output(
      subject: view(of: subject), cursor: page.cursor?.text,
      follows: page.elements.map { view(of: network.follows.column(of: $0)) })
  }

  /// `app.bsky.graph.getFollowers`, newest first; the order that `sort` asks for is not looked at.
  @Sendable func followers(
    _ parameters: App.Bsky.Graph.GetFollowers.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetFollowers.Output {
    let subject = try subject(parameters.actor)
    let page = Page(
      of: network.follows.edges(to: subject), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { isListed(network.follows.row(of: $0), for: subject) }
    return App.Bsky.Graph.GetFollowers.Output(
      subject: view(of: subject), cursor: page.cursor?.text,
      followers: page.elements.map { view(of: network.follows.row(of: $0)) })
  }

  /// `app.bsky.graph.getList`, newest members first.
  @Sendable func list(
    _ parameters: App.Bsky.Graph.GetList.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetList.Output {
    guard let list = index(ofList: parameters.list) else { throw .invalidRequest("List not found") }
    let page = Page(
      of: network.listItems.edges(from: list), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { network.status(at: network.listItems.column(of: $0)) == .active }
    return App.Bsky.Graph.GetList.Output(
      cursor: page.cursor?.text, list: view(ofList: list),
      items: page.elements.map { edge in
        App.Bsky.Graph.Defs.ListItemView(
          uri: network.uri(ofListItem: edge), subject: view(of: network.listItems.column(of: edge)))
      })
  }

  private func subject(_ actor: ATIdentifier) throws(XRPCFault) -> Int {
    guard let subject = visible(actor) else { throw .invalidRequest("Actor not found: \(actor)") }
    return subject
  }

  /// Whether the pages of one account show the other: not where either blocks the other, and not where the
  /// other is switched off (Q11).
  private func isListed(_ account: Int, for subject: Int) -> Bool {
    network.status(at: account) == .active && !network.isBlocked(subject, account)
  }

  private func view(ofList index: Int) -> App.Bsky.Graph.Defs.ListView {
    let list = network.lists[index]
    return App.Bsky.Graph.Defs.ListView(
      uri: network.uri(ofList: index), cid: Identities.cid(ofList: index), creator: view(of: list.owner),
      name: list.name,
      purpose: list.isModeration ? .modlist : .curatelist,
      listItemCount: network.listItems.edges(from: index).count, labels: [],
      indexedAt: Identities.listsMadeAt)
  }
}
