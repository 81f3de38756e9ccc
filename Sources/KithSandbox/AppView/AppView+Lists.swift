// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension AppView {
  /// `app.bsky.graph.getList`, newest members first. Others than its owner do not see the members of a
  /// reference list that its owner blocks or is blocked by.
  func list(
    _ parameters: App.Bsky.Graph.GetList.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetList.Output {
    guard let index = graph.index(ofList: parameters.list), let list = graph.list(at: index) else {
      throw .invalidRequest("List not found")
    }
    let page = Page(
      of: graph.listItems.edges(from: index), limit: parameters.limit ?? 50,
      from: try PageCursor(parameters.cursor), paging: paging
    ) { edge in
      let member = graph.listItems.column(of: edge)
      guard list.purpose == .referencelist, viewer != list.owner else { return graph.isShown(member) }
      return graph.isShown(member) && !graph.isBlocked(list.owner, member)
    }
    return App.Bsky.Graph.GetList.Output(
      cursor: page.cursor?.text, list: view(of: list, at: index),
      items: page.elements.map(view(ofListItem:)))
  }

  /// `app.bsky.graph.getLists`, newest first; reference lists are not shown.
  func lists(
    _ parameters: App.Bsky.Graph.GetLists.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetLists.Output {
    typealias Purpose = App.Bsky.Graph.Defs.ListPurpose
    let asked = (parameters.purposes ?? []).map(\.rawValue)
    let purposes: [Purpose] = [.modlist, .curatelist].filter { purpose in
      asked.isEmpty || asked.contains { purpose.rawValue.hasSuffix("#\($0)") || purpose.rawValue == $0 }
    }
    let lists = graph.lists(of: try subject(parameters.actor)).filter { index in
      graph.list(at: index).map { purposes.contains($0.purpose) } ?? false
    }
    let page = try page(lists, limit: parameters.limit, cursor: parameters.cursor) { _ in true }
    return App.Bsky.Graph.GetLists.Output(
      cursor: page.cursor?.text, lists: page.elements.compactMap(view(ofList:)))
  }

  /// `app.bsky.graph.getStarterPack`.
  func starterPack(
    _ parameters: App.Bsky.Graph.GetStarterPack.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetStarterPack.Output {
    guard let pack = graph.pack(parameters.starterPack), graph.isShown(pack.owner) else {
      throw .invalidRequest("Starter pack not found")
    }
    let list = graph.index(ofList: pack.list)
    let items = list.map { graph.listItems.edges(from: $0) } ?? []
    let sample = items.lazy.map(Int.init).filter { graph.isShown(graph.listItems.column(of: $0)) }.prefix(12)
    return App.Bsky.Graph.GetStarterPack.Output(
      starterPack: App.Bsky.Graph.Defs.StarterPackView(
        uri: pack.uri, cid: pack.record.cid, record: pack.record.value, creator: basicView(of: pack.owner),
        list: list.flatMap(basicView(ofList:)), listItemsSample: sample.map(view(ofListItem:)),
        joinedWeekCount: 0, joinedAllTimeCount: 0, labels: [], indexedAt: pack.indexedAt))
  }

  /// `app.bsky.graph.getActorStarterPacks`, newest first.
  func starterPacks(
    _ parameters: App.Bsky.Graph.GetActorStarterPacks.Parameters
  ) throws(XRPCFault) -> App.Bsky.Graph.GetActorStarterPacks.Output {
    let packs = graph.packs(of: try subject(parameters.actor))
    let page = try page(Array(packs.indices), limit: parameters.limit, cursor: parameters.cursor) { _ in
      true
    }
    return App.Bsky.Graph.GetActorStarterPacks.Output(
      cursor: page.cursor?.text,
      starterPacks: page.elements.map { index in
        let pack = packs[index]
        return App.Bsky.Graph.Defs.StarterPackViewBasic(
          uri: pack.uri, cid: pack.record.cid, record: pack.record.value, creator: basicView(of: pack.owner),
          listItemCount: graph.index(ofList: pack.list).map { graph.listItems.edges(from: $0).count },
          joinedWeekCount: 0, joinedAllTimeCount: 0, labels: [], indexedAt: pack.indexedAt)
      })
  }

  /// Cuts a page of numbered elements.
  func page(
    _ elements: [Int], limit: Int?, cursor: String?, where isShown: (Int) -> Bool
  ) throws(XRPCFault) -> Page {
    Page(
      of: elements.map(UInt32.init)[...], limit: limit ?? 50, from: try PageCursor(cursor), paging: paging,
      where: isShown)
  }

  /// A list, unless its record is gone.
  func view(ofList index: Int) -> App.Bsky.Graph.Defs.ListView? {
    graph.list(at: index).map { view(of: $0, at: index) }
  }

  /// The short view of a list, unless its record is gone.
  func basicView(ofList index: Int) -> App.Bsky.Graph.Defs.ListViewBasic? {
    graph.list(at: index).map { list in
      App.Bsky.Graph.Defs.ListViewBasic(
        uri: list.uri, cid: list.cid, name: list.name, purpose: list.purpose,
        listItemCount: graph.listItems.edges(from: index).count, labels: [],
        viewer: viewerState(ofList: index),
        indexedAt: list.indexedAt)
    }
  }

  private func view(of list: LiveList, at index: Int) -> App.Bsky.Graph.Defs.ListView {
    App.Bsky.Graph.Defs.ListView(
      uri: list.uri, cid: list.cid, creator: view(of: list.owner), name: list.name, purpose: list.purpose,
      description: list.description, listItemCount: graph.listItems.edges(from: index).count, labels: [],
      viewer: viewerState(ofList: index), indexedAt: list.indexedAt)
  }

  private func view(ofListItem edge: Int) -> App.Bsky.Graph.Defs.ListItemView {
    App.Bsky.Graph.Defs.ListItemView(
      uri: graph.uri(ofListItem: edge), subject: view(of: graph.listItems.column(of: edge)))
  }

  private func viewerState(ofList index: Int) -> App.Bsky.Graph.Defs.ListViewerState? {
    viewer.map { viewer in
      App.Bsky.Graph.Defs.ListViewerState(
        muted: mutes.isMuted(list: index, by: viewer),
        blocked: graph.listBlocks.edge(from: viewer, to: index).map(graph.uri(ofListBlock:)))
    }
  }
}
