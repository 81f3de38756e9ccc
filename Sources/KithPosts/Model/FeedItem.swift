// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// An entry of a feed: a post, or a repost of one (lexicon `app.bsky.feed.defs#feedViewPost`).
public struct FeedItem: Sendable, Hashable {
  /// Who has reposted a post, and when.
  public struct Repost: Sendable, Hashable {
    /// The account.
    public let by: AccountView
    /// When, as the AppView says.
    public let at: Datetime
  }

  /// The post.
  public let post: Post
  /// Who has reposted it; nil if the entry is the post itself.
  public let repost: Repost?
  /// The post that it answers; nil if it answers none, or if the AppView does not show it.
  public let parent: PostReference?
  /// Others whose posts stand above it in its thread, if the AppView names them.
  let ancestors: [AccountView]
  /// Whether a block hides a post above it.
  let isBelowBlock: Bool

  /// When it came into the feed: when it was written or reposted (see `PostSummary.writtenAt`).
  public var moment: Datetime { repost?.at ?? post.summary.writtenAt }

  /// Whose feed it is from.
  public var sender: AccountView { repost?.by ?? post.author }

  /// All accounts that it shows or answers.
  var accounts: [AccountView] {
    [post.author] + [repost?.by, parent?.author, post.quote?.author].compactMap(\.self) + ancestors
  }
}

extension FeedItem: Decodable {
  private enum CodingKeys: CodingKey { case post, reply, reason }

  private struct Reply: Decodable {
    let root: PostReference?
    let parent: PostReference?
    let grandparentAuthor: ProfileWords?

    private enum CodingKeys: CodingKey { case root, parent, grandparentAuthor }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      root = try? container.decodeIfPresent(PostReference.self, forKey: .root)
      parent = try? container.decodeIfPresent(PostReference.self, forKey: .parent)
      grandparentAuthor = try? container.decodeIfPresent(ProfileWords.self, forKey: .grandparentAuthor)
    }
  }

  /// `reasonRepost`; a `reasonPin` and unknown ones have no such fields, and their posts count as plain.
  private struct Reason: Decodable {
    let by: ProfileWords
    let indexedAt: Datetime
  }

  /// Decodes a `feedViewPost`; of its fields only the post has to be valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    post = try container.decode(Post.self, forKey: .post)
    let reason = try? container.decodeIfPresent(Reason.self, forKey: .reason)
    repost = reason.map { Repost(by: $0.by.view(), at: $0.indexedAt) }
    let reply = try? container.decodeIfPresent(Reply.self, forKey: .reply)
    parent = reply?.parent
    ancestors = [reply?.root?.author, reply?.grandparentAuthor?.view()].compactMap(\.self)
    isBelowBlock = [reply?.root, reply?.parent].contains { $0?.content == .blocked }
  }
}
