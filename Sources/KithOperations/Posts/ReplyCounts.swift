// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore
import KithPosts
import KithRelationships

/// How many replies posts have, if an AppView says it within a short time.
package struct ReplyCounts: Sendable {
  /// How long a question may wait for the numbers.
  private static let patience = Duration.seconds(3)

  /// The posts that the AppView knows, with what each replies to.
  private var posts: [ATURI: (replies: Int, parent: ATURI?)] = [:]

  /// Asks for all of them; what cannot be learned in three seconds stays unknown.
  ///
  /// - Throws: `CancellationError`.
  package init(of posts: [ATURI], as account: AuthorizedAccount) async throws {
    var client = account.appview
    client.configuration.retry = RetryPolicy(attempts: 1, attemptsAtUntrustedHosts: 1, budget: Self.patience)
    client.configuration.patience = Self.patience
    client.configuration.limits.total = min(client.configuration.limits.total, Self.patience)
    let views = PostViews(client: client)
    // Each call by itself: one that fails does not hide what the others say.
    let parts = try await Set(posts).parts(of: PostViews.postsPerCall).concurrentMap(atMost: 4) { part in
      do { return try await views.posts(part) } catch is CancellationError {
        throw CancellationError()
      } catch {
        return [:]
      }
    }
    for (uri, post) in parts.joined() {
      guard let replies = post.summary.counts.replies else { continue }
      self.posts[uri] = (replies, post.summary.parent)
    }
  }

  /// What stays below posts when all of them are deleted.
  package func left(below deleted: some Sequence<ATURI>) -> RepliesLeft {
    let deleted = Set(deleted)
    var left = RepliesLeft()
    for uri in deleted {
      guard let post = posts[uri] else {
        left.unknown += 1
        continue
      }
      left.replies += post.replies
      if let parent = post.parent, posts[parent] != nil, deleted.contains(parent) { left.replies -= 1 }
    }
    left.replies = max(0, left.replies)
    return left
  }
}
