// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The facts about posts for one answer. Caches the audiences of authors, which are the same for all their
/// posts.
final class PostPages {
  private let view: AppView
  private var audiences: [Int: Audience] = [:]
  private var quoters: [Int: [Int]] = [:]
  /// The quotes of posts that were looked up together, by post.
  private var prepared: [Post: [Post]] = [:]
  /// The generated replies to an author's posts from a period, by the time of the post.
  private var replies: (author: Int, period: ClosedRange<Instant>, found: [Instant: [Post]])?

  init(_ view: AppView) { self.view = view }

  /// Looks up the quotes for several posts of one author.
  func prepare(_ posts: [Post]) {
    guard let author = posts.first?.author, let from = posts.map(\.moment).min(),
      let through = posts.map(\.moment).max()
    else { return }
    let quotes = view.posts.references(
      .quote, to: author, by: quoters(of: author), from: from, through: through, until: view.now)
    for post in posts {
      let generated = post.written == nil ? quotes[post.moment] ?? [] : []
      prepared[post] = sorted(generated + view.graph.writtenPosts.posts(\.quote, view.posts.uri(of: post)))
    }
  }

  func counts(of post: Post) -> Audience.Counts {
    var counts =
      post.written == nil
      ? audience(of: post.author).counts(of: post, isViral: isViral(post), until: view.now)
      : Audience.Counts(likes: 0, reposts: 0, replies: 0)
    let uri = view.posts.uri(of: post)
    counts.reposts += repostsOfAlice(of: post).count + written(WrittenPosts.repost, of: uri).count
    counts.likes += written(WrittenPosts.like, of: uri).count
    counts.replies += view.graph.writtenPosts.posts(\.parent, uri).count
    return counts
  }

  func likes(of post: Post) -> [Audience.Reaction] {
    let generated =
      post.written == nil
      ? audience(of: post.author).likes(of: post, isViral: isViral(post), until: view.now) : []
    return (generated + written(WrittenPosts.like, of: view.posts.uri(of: post))).sorted {
      ($0.moment, $0.account) > ($1.moment, $1.account)
    }
  }

  func reposts(of post: Post) -> [Audience.Reaction] {
    let generated =
      post.written == nil
      ? audience(of: post.author).reposts(of: post, isViral: isViral(post), until: view.now) : []
    let written = written(WrittenPosts.repost, of: view.posts.uri(of: post))
    return (generated + repostsOfAlice(of: post) + written).sorted {
      ($0.moment, $0.account) > ($1.moment, $1.account)
    }
  }

  private func written(_ collection: NSID, of post: ATURI) -> [Audience.Reaction] {
    view.graph.writtenPosts.reactions(collection, to: post).map {
      Audience.Reaction(account: $0.account, moment: $0.moment, written: $0)
    }
  }

  /// Returns the quotes, newest first; those of deleted accounts are gone.
  func quotes(of post: Post) -> [Post] {
    if let quotes = prepared[post] { return quotes }
    prepare([post])
    return prepared[post] ?? []
  }

  /// Looks up the replies to several posts of one author.
  func prepareReplies(to posts: [Post]) {
    guard let author = posts.first?.author, let from = posts.map(\.moment).min(),
      let through = posts.map(\.moment).max()
    else { return }
    let found = view.posts.references(
      .reply, to: author, by: quoters(of: author) + [author], from: from, through: through, until: view.now)
    replies = (author, from...through, found)
  }

  /// The replies to a post by its author and by the accounts that answer it, newest first.
  func replies(to post: Post) -> [Post] {
    if replies?.author != post.author || replies?.period.contains(post.moment) != true {
      prepareReplies(to: [post])
    }
    let generated = post.written == nil ? replies?.found[post.moment] ?? [] : []
    return sorted(generated + view.graph.writtenPosts.posts(\.parent, view.posts.uri(of: post)))
  }

  private func sorted(_ quotes: [Post]) -> [Post] {
    quotes.filter { view.standings.status(at: $0.author) != .deleted }.sorted {
      ($0.moment, $0.author) > ($1.moment, $1.author)
    }
  }

  /// The reposts in alice's feed: she reposts a few posts, each at most once.
  private func repostsOfAlice(of post: Post) -> [Audience.Reaction] {
    let alice = NamedAccount.alice.rawValue
    guard post.written == nil, view.posts.circle(of: alice).contains(post.author) else { return [] }
    let reposts = view.posts.references(
      .repost, to: post.author, by: [alice], from: post.moment, through: post.moment, until: view.now)
    return (reposts[post.moment] ?? []).prefix(1).map {
      Audience.Reaction(account: alice, moment: $0.moment)
    }
  }

  private func isViral(_ post: Post) -> Bool { view.viral.contains(post) }

  private func audience(of author: Int) -> Audience {
    if let audience = audiences[author] { return audience }
    let audience = Audience(of: author, in: view.graph)
    audiences[author] = audience
    return audience
  }

  private func quoters(of author: Int) -> [Int] {
    if let found = quoters[author] { return found }
    let found = view.posts.quoters(of: author)
    quoters[author] = found
    return found
  }
}
