// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The answers of a backlink index such as Constellation: records of all accounts that are not deleted,
/// whatever an AppView shows.
extension AppView {
  /// `blue.microcosm.links.getBacklinks`, newest first. A source that is not indexed has no links.
  func backlinks(
    _ parameters: Blue.Microcosm.Links.GetBacklinks.Parameters
  ) throws(XRPCFault) -> Blue.Microcosm.Links.GetBacklinks.Output {
    typealias Link = Blue.Microcosm.Links.GetBacklinks.LinkRecord
    let others = graph.otherLinks.links(from: parameters.source, to: parameters.subject)
    if !others.isEmpty {
      let kept = others.filter { isKept($0.account) }
      let page = Page(
        of: Array(kept.indices.map(UInt32.init))[...], limit: parameters.limit ?? 100,
        from: try PageCursor(parameters.cursor), paging: .refilled
      ) { _ in true }
      return Blue.Microcosm.Links.GetBacklinks.Output(
        total: kept.count,
        records: page.elements.map { place in
          Link(
            did: network.dids[kept[place].account], collection: kept[place].collection, rkey: kept[place].key)
        }, cursor: page.cursor.map { .value($0.text) } ?? .null)
    }
    let (edges, collection, incoming) = links(from: parameters.source, to: parameters.subject)
    let shown = incoming.filter { isKept(edges.row(of: Int($0))) }
    let page = Page(
      of: shown[...], limit: parameters.limit ?? 100, from: try PageCursor(parameters.cursor),
      paging: .refilled
    ) { _ in true }
    return Blue.Microcosm.Links.GetBacklinks.Output(
      total: shown.count,
      records: page.elements.map { edge in
        Link(did: network.dids[edges.row(of: edge)], collection: collection, rkey: edges.key(of: edge))
      }, cursor: page.cursor.map { .value($0.text) } ?? .null)
  }

  /// `blue.microcosm.links.getManyToManyCounts`, for the lists that an account is on; the order has no
  /// meaning.
  func manyToManyCounts(
    _ parameters: Blue.Microcosm.Links.GetManyToManyCounts.Parameters
  ) throws(XRPCFault) -> Blue.Microcosm.Links.GetManyToManyCounts.Output {
    typealias Count = Blue.Microcosm.Links.GetManyToManyCounts.CountBySubject
    guard parameters.source == "app.bsky.graph.listitem:subject", parameters.pathToOther == "list",
      let subject = DID(parameters.subject).flatMap({ graph.index(of: $0) })
    else { return Blue.Microcosm.Links.GetManyToManyCounts.Output(countsByOtherSubject: [], cursor: .null) }
    let lists = Set(graph.listItems.edges(to: subject).map { graph.listItems.row(of: Int($0)) })
    let page = try page(lists.sorted(), limit: parameters.limit ?? 100, cursor: parameters.cursor) { _ in
      true
    }
    return Blue.Microcosm.Links.GetManyToManyCounts.Output(
      countsByOtherSubject: page.elements.map {
        Count(subject: graph.uri(ofList: $0).description, total: 1, distinct: 1)
      }, cursor: page.cursor.map { .value($0.text) } ?? .null)
  }

  /// Returns the edges of a source that point to a subject, and the collection of their records.
  private func links(
    from source: String, to subject: String
  ) -> (edges: LiveEdges, collection: NSID, incoming: ArraySlice<UInt32>) {
    let account = DID(subject).flatMap { graph.index(of: $0) }
    let list = ATURI(subject).flatMap { graph.index(ofList: $0) }
    func found(
      _ edges: LiveEdges, _ collection: NSID, to column: Int?
    ) -> (edges: LiveEdges, collection: NSID, incoming: ArraySlice<UInt32>) {
      (edges, collection, column.map { edges.edges(to: $0) } ?? [])
    }
    switch source {
    case "app.bsky.graph.follow:subject":
      return found(graph.follows, App.Bsky.Graph.Follow.nsid, to: account)
    case "app.bsky.graph.block:subject":
      return found(graph.blocks, App.Bsky.Graph.Block.nsid, to: account)
    case "app.bsky.graph.listblock:subject":
      return found(graph.listBlocks, App.Bsky.Graph.Listblock.nsid, to: list)
    default: return found(graph.follows, App.Bsky.Graph.Follow.nsid, to: nil)
    }
  }

  private func isKept(_ account: Int) -> Bool {
    account < network.dids.count && standings.status(at: account) != .deleted
  }
}
