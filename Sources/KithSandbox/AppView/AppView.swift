// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The network as its AppView shows it to one viewer at one moment, with the answers of production.
struct AppView {
  let graph: LiveGraph
  let posts: PostTimeline
  /// Posts that were spread far beyond the usual.
  let viral: Set<Post>
  let mutes: Mutes
  let notices: Notices
  let paging: SandboxPaging
  /// Where its pictures are.
  let url: String
  /// The account that is signed in; nil if none is.
  let viewer: Int?
  let now: Instant

  /// Creates a view of a state.
  init(_ state: NetworkState, paging: SandboxPaging, url: String, viewer: Int?, now: Instant) {
    graph = state.graph
    posts = state.posts
    viral = state.viral
    mutes = state.mutes
    notices = state.notices
    self.paging = paging
    self.url = url
    self.viewer = viewer
    self.now = now
  }

  var network: SandboxNetwork { graph.network }
  var standings: AccountStatuses { graph.standings }

  /// The posts of an account and its reposts that pass, the newest first.
  func items(
    of author: Int, before end: Instant, limit: Int, where passes: (Post) -> Bool
  ) -> [Post] {
    let generated = posts.items(of: author, before: end, limit: limit, where: passes)
    let written = graph.writtenPosts.items(of: author, before: end).filter(passes)
    return Array((generated + written).sorted { $0.moment > $1.moment }.prefix(limit))
  }

  /// The post that a reply, quote or repost refers to; nil if it is gone.
  func target(of post: Post) -> Post? {
    guard post.written != nil else { return posts.target(of: post) }
    return self.post(at: posts.targetURI(of: post))
  }

  /// The post at a URI, regardless of whether the viewer may see it.
  func post(at uri: ATURI) -> Post? {
    guard uri.collection == App.Bsky.Feed.Post.nsid, let key = uri.recordKey else { return nil }
    if let written = graph.writtenPosts[uri] { return written }
    return standings.index(of: uri.authority).flatMap { posts.post(of: $0, key: key, until: now) }
  }

  /// The account, unless it is deactivated, taken down or unknown.
  func visible(_ actor: ATIdentifier) -> Int? {
    standings.index(of: actor).flatMap { graph.isShown($0) ? $0 : nil }
  }

  /// The account, or the error for a list of an unknown account.
  func subject(_ actor: ATIdentifier) throws(XRPCFault) -> Int {
    guard let subject = visible(actor) else { throw .invalidRequest("Actor not found: \(actor)") }
    return subject
  }

  /// The account that is signed in.
  ///
  /// - Throws: ``XRPCFault`` 401 without a session.
  func requiredViewer() throws(XRPCFault) -> Int {
    guard let viewer else { throw .authMissing }
    return viewer
  }
}
