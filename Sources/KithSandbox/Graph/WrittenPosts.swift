// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The posts, reposts and likes that users have written, as an AppView has indexed them, beside the generated ones.
struct WrittenPosts: Sendable {
  /// A like or a repost.
  struct Reaction: Sendable, Hashable {
    let account: Int
    let moment: Instant
    let record: ATURI
    let value: DataValue
  }

  static let like = NSID(generated: "app.bsky.feed.like")
  static let repost = NSID(generated: "app.bsky.feed.repost")
  private static let threadgate = NSID(generated: "app.bsky.feed.threadgate")
  private static let postgate = NSID(generated: "app.bsky.feed.postgate")

  static let collections: Set<NSID> = [App.Bsky.Feed.Post.nsid, like, repost, threadgate, postgate]

  private var posts: [ATURI: Post] = [:]
  /// Posts and reposts by author, in the order in which they were indexed.
  private var items: [Int: [Post]] = [:]
  /// The likes and reposts of a post, by collection and post.
  private var reactions: [NSID: [ATURI: [Reaction]]] = [:]
  private var gates: [NSID: [ATURI: DataValue]] = [:]

  subscript(uri: ATURI) -> Post? { posts[uri] }

  /// The posts and reposts of an account before a moment, newest first.
  func items(of author: Int, before end: Instant) -> [Post] {
    (items[author] ?? []).filter { $0.moment < end }.sorted { $0.moment > $1.moment }
  }

  /// All posts that answer or quote a post, newest first.
  func posts(_ field: KeyPath<Post.Written, ATURI?>, _ uri: ATURI) -> [Post] {
    posts.values.filter { $0.written?[keyPath: field] == uri }
      .sorted { ($0.moment, $0.author) > ($1.moment, $1.author) }
  }

  /// All posts that mention an account, newest first.
  func posts(mentioning account: DID) -> [Post] {
    posts.values.filter { $0.written?.mentions.contains(account) == true }
      .sorted { ($0.moment, $0.author) > ($1.moment, $1.author) }
  }

  func countPosts(of author: Int) -> Int { (items[author] ?? []).count { $0.kind != .repost } }

  /// The likes or reposts of a post, newest first.
  func reactions(_ collection: NSID, to post: ATURI) -> [Reaction] {
    (reactions[collection]?[post] ?? []).sorted { ($0.moment, $0.account) > ($1.moment, $1.account) }
  }

  /// The rules about who may answer a post; nil if everyone may.
  func replyRules(of post: ATURI) -> [DataValue]? { gates[Self.threadgate]?[post]?["allow"]?.array }

  /// Whether quoting a post is disabled.
  func forbidsQuotes(of post: ATURI) -> Bool {
    let rules = gates[Self.postgate]?[post]?["embeddingRules"]?.array ?? []
    return rules.contains { $0.type == "app.bsky.feed.postgate#disableRule" }
  }

  /// Applies a change of a record in one of ``collections``.
  ///
  /// - Parameter moment: by which it is sorted.
  mutating func apply(_ change: RecordChange, at uri: ATURI, moment: Instant) {
    switch change.collection {
    case Self.threadgate, Self.postgate: gate(change)
    case Self.like, Self.repost:
      react(change, uri, moment)
      if change.collection == Self.repost { item(change, uri, moment) }
    default: item(change, uri, moment)
    }
  }

  private mutating func item(_ change: RecordChange, _ uri: ATURI, _ moment: Instant) {
    let isPost = change.collection != Self.repost
    items[change.account]?.removeAll { $0.written?.uri == uri }
    if isPost { posts[uri] = nil }
    guard let record = change.written else { return }
    let written = Post.Written(uri: uri, key: change.key, record: record.value, cid: record.cid)
    let post = Post(
      author: change.account, moment: moment, kind: isPost ? written.kind : .repost, traits: 0,
      written: written)
    items[change.account, default: []].append(post)
    if isPost { posts[uri] = post }
  }

  private mutating func react(_ change: RecordChange, _ uri: ATURI, _ moment: Instant) {
    if let former = change.former?.reference("subject") {
      reactions[change.collection]?[former]?.removeAll { $0.record == uri }
    }
    guard let value = change.written?.value, let subject = value.reference("subject") else { return }
    // A second like of a post by an account is not shown (Q16).
    guard reactions[change.collection]?[subject]?.contains(where: { $0.account == change.account }) != true
    else {
      return
    }
    reactions[change.collection, default: [:]][subject, default: []].append(
      Reaction(account: change.account, moment: moment, record: uri, value: value))
  }

  /// Only a record of the author with the key of the post counts.
  private mutating func gate(_ change: RecordChange) {
    let value = change.written?.value ?? change.former
    guard let post = value?["post"]?.string.flatMap({ ATURI($0) }), post.recordKey == change.key else {
      return
    }
    gates[change.collection, default: [:]][post] = change.written?.value
  }
}

extension DataValue {
  /// The AT-URI in a strong reference.
  fileprivate func reference(_ field: String) -> ATURI? { self[field]?["uri"]?.string.flatMap { ATURI($0) } }
}

extension Post {
  /// What a post or repost that a user has written says.
  struct Written: Sendable, Hashable {
    let uri: ATURI
    let key: RecordKey
    let cid: CID
    let record: DataValue
    /// The post that it answers, and the one that begins the thread.
    let parent, root: ATURI?
    /// The post that it quotes.
    let quote: ATURI?
    /// The post that it reposts.
    let subject: ATURI?
    /// The pictures, the link or whatever else it shows besides a quote.
    let media: DataValue?

    init(uri: ATURI, key: RecordKey, record: DataValue, cid: CID) {
      (self.uri, self.key, self.cid, self.record) = (uri, key, cid, record)
      parent = record["reply"]?.reference("parent")
      root = record["reply"]?.reference("root")
      subject = record.reference("subject")
      let embed = record["embed"]
      switch embed?.type {
      case "app.bsky.embed.record": (quote, media) = (embed?.reference("record"), nil)
      case "app.bsky.embed.recordWithMedia":
        (quote, media) = (embed?["record"]?.reference("record"), embed?["media"])
      default: (quote, media) = (nil, embed)
      }
    }

    /// The accounts that it mentions.
    var mentions: [DID] {
      (record["facets"]?.array ?? []).flatMap { $0["features"]?.array ?? [] }
        .compactMap { feature in
          feature.type == "app.bsky.richtext.facet#mention" ? feature["did"]?.string.flatMap { DID($0) } : nil
        }
    }

    var kind: Kind {
      if parent != nil { return .reply }
      if quote != nil { return .quote }
      return switch media?.type {
      case "app.bsky.embed.images", "app.bsky.embed.gallery": .images
      case "app.bsky.embed.video": .video
      case "app.bsky.embed.external": .link
      default: .text
      }
    }
  }
}
