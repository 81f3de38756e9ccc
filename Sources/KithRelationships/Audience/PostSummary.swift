// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
internal import KithLexicons

/// A post of an account, with the AppView's counts.
public struct PostSummary: Sendable, Hashable {
  /// What a post shows besides its text.
  public enum Embed: Sendable, Hashable, CaseIterable {
    case images, video
    /// A link card.
    case external
    /// Another post, a list or similar.
    case record
  }

  /// The AppView's counts; a count that is missing, negative or absurd is nil (lexicon
  /// `app.bsky.feed.defs#postView`).
  public struct Counts: Sendable, Hashable {
    public var likes: Int? = 0
    public var reposts: Int? = 0
    public var replies: Int? = 0
    public var quotes: Int? = 0

    /// All counts zero.
    public init() {}
  }

  /// The AT-URI of the record.
  public let uri: ATURI
  /// When it was written: the earlier of the date in the record and the date at which the AppView indexed
  /// it.
  public let writtenAt: Datetime
  /// The post that it answers; nil if it answers none, or if its record does not say which in a readable form.
  public let parent: ATURI?
  /// Whether it answers another post.
  public let isReply: Bool
  /// What it shows besides its text.
  public let embeds: Set<Embed>
  /// How often others have reacted to it.
  public let counts: Counts
  /// The languages that the author set, as BCP 47 tags.
  public let languages: [String]
  /// The text, at most 300 characters of it, as lexicon `app.bsky.feed.post` allows. Untrusted text: do not print it unescaped
  /// to a terminal.
  public let text: String

  /// The page of the post in the app of Bluesky; nil if its URI has no record key.
  public var page: String? {
    uri.postPage
  }
}

extension ATURI {
  /// The address of the page of a post in the Bluesky app; nil for something else.
  package var postPage: String? {
    guard collection == .post else { return nil }
    return recordKey.map { "https://bsky.app/profile/\(authority)/post/\($0)" }
  }
}

extension PostSummary: Decodable {
  private enum CodingKeys: CodingKey {
    case uri, record, embed, indexedAt, likeCount, repostCount, replyCount, quoteCount
  }

  private struct Record: Decodable {
    let createdAt: Datetime?
    struct Reply: Decodable {
      struct Reference: Decodable { let uri: ATURI }

      let parent: Reference
    }

    let isReply: Bool
    let parent: ATURI?
    let langs: [String]
    let text: String

    private enum CodingKeys: CodingKey { case createdAt, reply, langs, text }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      createdAt = try? container.decodeIfPresent(Datetime.self, forKey: .createdAt)
      isReply = container.contains(.reply)
      parent = (try? container.decodeIfPresent(Reply.self, forKey: .reply))?.parent.uri
      langs = (try? container.decodeIfPresent([String].self, forKey: .langs)) ?? []
      text = String(((try? container.decodeIfPresent(String.self, forKey: .text)) ?? "").prefix(300))
    }
  }

  /// The part of an embed's view that identifies its kind.
  private struct EmbedView: Decodable {
    let type: String
    let mediaType: String?

    private enum CodingKeys: String, CodingKey {
      case type = "$type"
      case media
    }

    private struct Media: Decodable {
      let type: String

      private enum CodingKeys: String, CodingKey { case type = "$type" }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      type = try container.decode(String.self, forKey: .type)
      mediaType = (try? container.decodeIfPresent(Media.self, forKey: .media))?.type
    }

    var embeds: Set<Embed> {
      var embeds: Set<Embed> = []
      for type in [type, mediaType].compactMap(\.self) {
        switch type.split(separator: "#").first {
        case "app.bsky.embed.images", "app.bsky.embed.gallery": embeds.insert(.images)
        case "app.bsky.embed.video": embeds.insert(.video)
        case "app.bsky.embed.external": embeds.insert(.external)
        case "app.bsky.embed.record", "app.bsky.embed.recordWithMedia": embeds.insert(.record)
        default: break
        }
      }
      return embeds
    }
  }

  /// Decodes a `postView`. Fields that break the lexicon are ignored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uri = try container.decode(ATURI.self, forKey: .uri)
    let record = try? container.decode(Record.self, forKey: .record)
    let seen = try container.decode(Datetime.self, forKey: .indexedAt)
    writtenAt =
      record?.createdAt.map { $0.instant < seen.instant ? $0 : seen } ?? seen
    isReply = record?.isReply ?? false
    parent = record?.parent
    languages = record?.langs ?? []
    text = record?.text ?? ""
    embeds = (try? container.decodeIfPresent(EmbedView.self, forKey: .embed))?.embeds ?? []
    func count(_ key: CodingKeys) -> Int? {
      container.decodeIfReadable(Int.self, forKey: key).flatMap {
        (0...Int.mostCounted).contains($0) ? $0 : nil
      }
    }
    var counts = Counts()
    (counts.likes, counts.reposts) = (count(.likeCount), count(.repostCount))
    (counts.replies, counts.quotes) = (count(.replyCount), count(.quoteCount))
    self.counts = counts
  }
}

extension Listings {
  /// Posts and replies of an account, newest first, that the AppView shows; reposts are left out.
  ///
  /// - Returns: a sequence that throws like every listing; an unreadable post ends it with
  ///   `invalidResponse`, a block between the viewer and the account with `hiddenByBlock`.
  package func posts(of actor: ATIdentifier, most: Int? = nil) -> PagedSequence<PostSummary> {
    typealias Method = App.Bsky.Feed.GetAuthorFeed
    return sequence(
      of: Method.self, reading: FeedPage.self, most: most, pageSize: Self.postsPerPage,
      orElse: .actorNotFound(actor)
    ) { cursor, limit in
      Method.Parameters(actor: actor, limit: limit, cursor: cursor, filter: .postsWithReplies)
    }
  }

  /// Post views include link cards and the posts they reply to or quote: a page of 50 is as large as one of
  /// 100 accounts.
  package static let postsPerPage = 50
}

/// A page of `getAuthorFeed`.
private struct FeedPage: ListingPage {
  private struct Item: Decodable {
    let post: PostSummary
    /// Whether the item is not a repost or a pinned post; a pinned post appears again at its own place.
    let isOwn: Bool

    private enum CodingKeys: CodingKey { case post, reason }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      post = try container.decode(PostSummary.self, forKey: .post)
      isOwn = !container.contains(.reason)
    }
  }

  let rows: [(name: Int, element: PostSummary)]
  let cursor: String?
  let unreadable: [DecodingError]

  private enum CodingKeys: CodingKey { case feed, cursor }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
    let items = try container.decode(ReadableElements<Item>.self, forKey: .feed)
    rows = items.elements.filter(\.isOwn).map { ($0.post.uri.hashValue, $0.post) }
    unreadable = items.faults
  }
}
