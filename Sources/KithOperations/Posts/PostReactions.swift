// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithPosts
import KithRelationships
public import KithWriting

/// Likes or reposts to be made or taken back, with what the AppView says about each post.
public struct PostReactions: Sendable {
  /// A change for each name, in their order.
  public let requests: [RequestedChange]

  /// Looks up the posts, 25 per call.
  ///
  /// - Parameter isTakenBack: whether the reaction is taken back.
  /// - Throws: `OperationError` for a text that names no post; `RelationshipError`, `IdentityError`, `CancellationError`.
  public init(
    _ reaction: Reaction, isTakenBack: Bool, to names: [String], as account: AuthorizedAccount,
    in workspace: Workspace
  ) async throws {
    var posts: [(name: String, uri: ATURI)] = []
    for name in names { posts.append((name, try await workspace.post(named: name))) }
    let found = try await PostViews(client: account.appview).posts(posts.map(\.uri))
    // Tables show addresses of posts by the handles of their authors.
    await workspace.names().remember(found.values.map(\.author))
    requests = posts.map { name, uri in
      guard let post = found[uri] else {
        return RequestedChange(
          name,
          isTakenBack
            ? .success(.posts(.takeBack(reaction, from: uri, former: .unknown)))
            : .failure(RelationshipError.postNotFound(uri)))
      }
      let record: ReactionRecord =
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
              ? .takeBack(reaction, from: uri, former: record) : .react(reaction, to: version, former: record)
          )))
    }
  }
}
