// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The maximum size of a method's response: about ten times the largest that real servers send.
///
/// Larger responses are hostile or broken, and are rejected before decoding.
package struct AnswerBounds: Sendable, Hashable {
  /// Bytes after decompression. Every method allows at least the HTML page that a proxy may show instead.
  package let bytes: Int
  /// Values and names in the JSON.
  package let nodes: Int
  private let list: List

  /// The maximum length of the list in a response.
  private enum List: Sendable, Hashable {
    /// There is no list, or none that matters.
    case none
    /// As many as the request has values of a parameter.
    case each(of: String)
    /// Four times the request's limit, because some servers return more than requested.
    case page
  }

  private init(bytes: Int, nodes: Int, list: List = .none) {
    self.bytes = bytes
    self.nodes = nodes
    self.list = list
  }

  /// The assumed limit of a request that names none: the default of all listings.
  private static let usualLimit = 50
  private static let timesLimit = 4

  /// Returns the limits for decoding the response as JSON.
  package func json(for items: [XRPCQueryItem]) -> JSONBounds {
    let elements =
      switch list {
      case .none: Int.max
      case .each(let name): items.count { $0.name == name }
      case .page:
        (items.first { $0.name == "limit" }.flatMap { Int($0.value) } ?? Self.usualLimit) * Self.timesLimit
      }
    return JSONBounds(nodes: nodes, elements: elements)
  }

  /// Returns the limits of a method's responses; nil for a method that this package does not call.
  package static func called(_ method: NSID) -> AnswerBounds? { table[method.description] }

  /// For methods that are not in the table: only ``TransportRequest/Limits`` limits the bytes.
  static let unlisted = AnswerBounds(bytes: .max, nodes: JSONBounds().nodes)

  /// The names of all methods in the table.
  package static var methods: [String] { table.keys.sorted() }

  /// A response with a few fields.
  private static let small = AnswerBounds(bytes: 64 << 10, nodes: 1_000)

  private static let table: [String: AnswerBounds] = [
    // 30 rows with up to six AT-URIs are 15 KB and 500 nodes.
    "app.bsky.graph.getRelationships": AnswerBounds(
      bytes: 256 << 10, nodes: 5_000, list: .each(of: "others")),
    // 25 profiles with long descriptions, labels and known followers are 100 KB and 3,000 nodes.
    "app.bsky.actor.getProfiles": AnswerBounds(bytes: 1 << 20, nodes: 30_000, list: .each(of: "actors")),
    "app.bsky.actor.getProfile": AnswerBounds(bytes: 128 << 10, nodes: 5_000),
    // 100 profiles with short or long descriptions are 100 KB and 5,000 nodes.
    "app.bsky.graph.getFollows": AnswerBounds(bytes: 1 << 20, nodes: 50_000, list: .page),
    "app.bsky.graph.getFollowers": AnswerBounds(bytes: 1 << 20, nodes: 50_000, list: .page),
    "app.bsky.graph.getList": AnswerBounds(bytes: 1 << 20, nodes: 50_000, list: .page),
    // Lists have descriptions of up to 3,000 bytes.
    "app.bsky.graph.getLists": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    // 100 follows are 25 KB and 1,200 nodes; lists and starter packs are ten times as long.
    "com.atproto.repo.listRecords": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    // The longest records written by people are some ten kilobytes; any collection is possible.
    "com.atproto.repo.getRecord": AnswerBounds(bytes: 256 << 10, nodes: 10_000),
    "com.atproto.repo.applyWrites": AnswerBounds(bytes: 512 << 10, nodes: 20_000),
    "com.atproto.identity.resolveHandle": small,
    "com.atproto.moderation.createReport": small,
    "com.atproto.sync.getLatestCommit": small,
    "com.atproto.sync.getRepoStatus": small,
    "app.bsky.graph.getBlocks": AnswerBounds(bytes: 1 << 20, nodes: 50_000, list: .page),
    "app.bsky.graph.getListBlocks": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    "app.bsky.graph.getListMutes": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    "app.bsky.graph.getMutes": AnswerBounds(bytes: 1 << 20, nodes: 50_000, list: .page),
    // 1,000 links are 120 KB and 7,000 nodes.
    "blue.microcosm.links.getBacklinks": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    "blue.microcosm.links.getManyToManyCounts": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    "com.atproto.server.createSession": small,
    "com.atproto.server.deleteSession": small,
    "com.atproto.server.getSession": small,
    "com.atproto.server.refreshSession": small,
    // 50 posts with cards, and the posts that they reply to and quote, are 300 KB and 10,000 nodes.
    "app.bsky.feed.getAuthorFeed": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    "app.bsky.feed.getQuotes": AnswerBounds(bytes: 2 << 20, nodes: 50_000, list: .page),
    "app.bsky.feed.getLikes": AnswerBounds(bytes: 1 << 20, nodes: 50_000, list: .page),
    "app.bsky.feed.getRepostedBy": AnswerBounds(bytes: 1 << 20, nodes: 50_000, list: .page),
    "app.bsky.graph.muteActor": small,
    "app.bsky.graph.muteActorList": small,
    "app.bsky.graph.unmuteActor": small,
    "app.bsky.graph.unmuteActorList": small,
  ]
}
