// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

extension Listings {
  /// The accounts that have reacted to a post, latest first. An account that quotes or answers it several times comes as
  /// often.
  func reactions(
    _ reaction: PostReaction, to post: ATURI, from cursor: String? = nil, most: Int? = nil
  ) -> PagedSequence<AccountView> {
    typealias Feed = App.Bsky.Feed
    switch reaction {
    case .likes:
      return sequence(
        of: Feed.GetLikes.self, reading: ReactionPage.self, from: cursor, most: most,
        orElse: .postNotFound(post)
      ) { Feed.GetLikes.Parameters(uri: post, limit: $1, cursor: $0) }
    case .reposts:
      return sequence(
        of: Feed.GetRepostedBy.self, reading: ReactionPage.self, from: cursor, most: most,
        orElse: .postNotFound(post)
      ) { Feed.GetRepostedBy.Parameters(uri: post, limit: $1, cursor: $0) }
    case .quotes:
      return sequence(
        of: Feed.GetQuotes.self, reading: ReactionPage.self, from: cursor, most: most,
        pageSize: Self.postsPerPage, orElse: .postNotFound(post)
      ) { Feed.GetQuotes.Parameters(uri: post, limit: $1, cursor: $0) }
    case .replies:
      return sequence(
        of: Feed.GetPostThread.self, reading: ReactionPage.self, orElse: .postNotFound(post)
      ) { _, _ in Feed.GetPostThread.Parameters(uri: post, depth: 1, parentHeight: 0) }
    }
  }
}

/// The accounts on a page of `getLikes`, `getRepostedBy` or `getQuotes`, or of the replies of `getPostThread`.
private struct ReactionPage: ListingPage {
  private struct Like: Decodable { let actor: ProfileWords }
  private struct Post: Decodable {
    let uri: ATURI
    let author: ProfileWords
  }
  /// A reply; one that a block hides, or that is gone, has no post.
  private struct Reply: Decodable { let post: Post? }
  private struct Thread: Decodable { let replies: ReadableElements<Reply>? }

  let rows: [(name: Int, element: AccountView)]
  let cursor: String?
  let unreadable: [DecodingError]

  private enum CodingKeys: CodingKey { case likes, repostedBy, posts, thread, cursor }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    if container.contains(.posts) || container.contains(.thread) {
      let posts: [Post]
      if container.contains(.posts) {
        let quotes = try container.decode(ReadableElements<Post>.self, forKey: .posts)
        (posts, unreadable) = (quotes.elements, quotes.faults)
      } else {
        let replies = try container.decode(Thread.self, forKey: .thread).replies
        (posts, unreadable) = (replies?.elements.compactMap(\.post) ?? [], replies?.faults ?? [])
      }
      // Each quote or reply is a row of its own.
      rows = posts.map { ($0.uri.hashValue, $0.author.view()) }
      return
    }
    let accounts: [ProfileWords]
    if container.contains(.likes) {
      let likes = try container.decode(ReadableElements<Like>.self, forKey: .likes)
      (accounts, unreadable) = (likes.elements.map(\.actor), likes.faults)
    } else {
      let reposters = try container.decode(ReadableElements<ProfileWords>.self, forKey: .repostedBy)
      (accounts, unreadable) = (reposters.elements, reposters.faults)
    }
    rows = accounts.map { ($0.did.hashValue, $0.view()) }
  }
}
