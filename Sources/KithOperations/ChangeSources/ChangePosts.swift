// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithPosts
import KithRelationships
public import KithWriting

/// Likes or reposts posts, or takes that back, with what the AppView says about each post.
public struct ReactToPosts: ChangeSource {
  public static let name = "reactToPosts"

  /// What is made or taken back.
  public var reaction: Reaction
  /// Whether the reaction is taken back.
  public var isTakenBack: Bool
  /// The posts, by AT-URI or address.
  public var posts: [String]

  public init(_ reaction: Reaction, takingBack isTakenBack: Bool = false, _ posts: [String]) {
    (self.reaction, self.isTakenBack, self.posts) = (reaction, isTakenBack, posts)
  }

  public var title: ChangeTitle {
    switch (reaction, isTakenBack) {
    case (.like, false): ChangeTitle("like", "liked", noun: "post")
    case (.like, true): ChangeTitle("unlike", "unliked", noun: "post")
    case (.repost, false): ChangeTitle("repost", "reposted", noun: "post")
    case (.repost, true): ChangeTitle("unrepost", "unreposted", noun: "post")
    }
  }

  public var confirmation: ConfirmationRule { ConfirmationRule(from: isTakenBack ? 2 : nil) }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let workspace = preparation.workspace
    var named: [(name: String, uri: ATURI)] = []
    for name in posts { named.append((name, try await workspace.post(named: name))) }
    let found = try await PostViews(client: preparation.account.appview).posts(named.map(\.uri))
    // Tables show addresses of posts by the handles of their authors.
    await workspace.names().remember(found.values.map(\.author))
    return PreparedChanges(named.map { name, uri in request(name, uri, found[uri]) })
  }

  private func request(_ name: String, _ uri: ATURI, _ post: Post?) -> RequestedChange {
    guard let post else {
      return RequestedChange(
        name,
        isTakenBack
          ? .success(.posts(.takeBack(reaction, from: uri, former: .unknown)))
          : .failure(RelationshipError.postNotFound(uri)))
    }
    let former: ReactionRecord =
      switch (post.viewer, reaction) {
      case (let viewer?, .like): viewer.like.map { .record($0) } ?? .none
      case (let viewer?, .repost): viewer.repost.map { .record($0) } ?? .none
      case (nil, _): .unknown
      }
    let version = RecordVersion(uri: uri, cid: post.cid)
    return RequestedChange(
      name,
      .success(
        .posts(
          isTakenBack
            ? .takeBack(reaction, from: uri, former: former) : .react(reaction, to: version, former: former)))
    )
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    for name in posts {
      let input = try RecordInput(post: name)
      estimate.addName(input.owner)
      let post = input.uri(ownedBy: estimate.account.did)
      estimate.add(.posts(.takeBack(reaction, from: post, former: .unknown)))
    }
    if isTakenBack { estimate.addCalls("com.atproto.repo.getRecord", posts.count) }
    estimate.addCalls("app.bsky.feed.getPosts", (posts.count + 24) / 25)
  }
}

/// Deletes posts of the account, with what says who may reply to them and quote them.
public struct DeletePosts: ChangeSource {
  public static let name = "deletePosts"

  /// The posts, by AT-URI or address.
  public var posts: [String]

  public init(_ posts: [String]) { self.posts = posts }

  public let title = ChangeTitle("posts delete", "deleted", noun: "post", imperative: "Delete")

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    var requests: [RequestedChange] = []
    for name in posts {
      let post = try await preparation.workspace.post(named: name)
      requests.append(RequestedChange(name, .success(.posts(.delete(post)))))
    }
    var prepared = PreparedChanges(requests)
    if preparation.asks {
      let replies = try await ReplyCounts(
        of: requests.compactMap { (try? $0.change.get())?.deletedPost }, as: preparation.account)
      prepared.concern = { plan in
        let deleted = plan.changes.filter { !$0.steps.isEmpty }.compactMap(\.change.deletedPost)
        return .replies(replies.left(below: deleted), below: deleted.count)
      }
    }
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    for name in posts {
      let input = try RecordInput(post: name)
      estimate.addName(input.owner)
      estimate.add(.posts(.delete(input.uri(ownedBy: estimate.account.did))))
    }
    estimate.addCalls("app.bsky.feed.getPosts", (posts.count + 24) / 25)
    // The post, and what says who may reply to it and quote it.
    estimate.addCalls("com.atproto.repo.getRecord", 3 * posts.count)
  }
}

extension ChangeIntent {
  fileprivate var deletedPost: ATURI? {
    if case .posts(.delete(let post)) = self { post } else { nil }
  }
}
