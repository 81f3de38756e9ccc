// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithPosts
public import KithRelationships

/// A post of a feed or of a thread.
public struct PostRow: OperationRow {
  /// What a post of a thread is there for, besides itself.
  public struct Place: Sendable, Hashable {
    /// How far it is below the post of the thread; negative above it.
    public let depth: Int
    /// How many answers to it are not shown.
    public let repliesLeft: Int
  }

  /// The AT-URI.
  public let uri: ATURI
  /// The post; nil if it is not shown.
  public let post: Post?
  /// Why it is not shown: `blocked`, `muted` or `gone`; nil if it is.
  public let hidden: String?
  /// The repost that brings it here; nil if it is the post itself.
  public let repost: FeedItem.Repost?
  /// The post that it answers, if it is shown; nil if there is none, or in a thread.
  public let parent: PostReference?
  /// Its place in a thread; nil in a feed.
  public let place: Place?
  /// The relationship of the signed-in account with the author; nil if unknown.
  public let relationship: ViewerRelationship?

  init(_ item: FeedItem, relationship: ViewerRelationship? = nil) {
    self.relationship = relationship
    (uri, post, repost, parent) = (item.post.uri, item.post, item.repost, item.parent)
    (hidden, place) = (nil, nil)
  }

  init(_ entry: PostThread.Entry, relationship: ViewerRelationship?) {
    self.relationship = relationship
    uri = entry.uri
    (repost, parent) = (nil, nil)
    place = Place(depth: entry.depth, repliesLeft: entry.repliesLeft)
    switch entry.content {
    case .post(let post): (self.post, hidden) = (post, nil)
    case .blocked: (post, hidden) = (nil, "blocked")
    case .muted: (post, hidden) = (nil, "muted")
    case .gone: (post, hidden) = (nil, "gone")
    }
  }

  /// When it was written or reposted; nil if it is not shown.
  public var moment: Datetime? { repost?.at ?? post?.summary.writtenAt }

  /// Fields: at (when it was written or reposted), uri, page (in the app of Bluesky), did, handle, displayName, relationship (of the
  /// signed-in account with the author, in the words of `ViewerRelationship.Word`), text, repostedBy (did and handle),
  /// replyTo (uri, state, and the did, handle and text of a post that is shown), quote (likewise), attachments (each with
  /// type, text and link), labels (value and source), languages, likes, reposts, replies, quotes, liked, reposted (by the
  /// signed-in account), hidden (why it is not shown: blocked, muted or gone), depth (in a thread; negative above the post) and
  /// repliesLeft (answers that are not shown). Null if unknown or absent.
  public static let fieldNames = [
    "at", "uri", "page", "did", "handle", "displayName", "relationship", "text", "repostedBy", "replyTo",
    "quote",
    "attachments", "labels", "languages", "likes", "reposts", "replies", "quotes", "liked", "reposted",
    "hidden",
    "depth", "repliesLeft",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(moment?.description)
    fields.text(uri.description)
    fields.text(post?.summary.page)
    fields.text(post?.author.account.description)
    fields.text(post?.author.handle?.description)
    fields.text(post?.author.displayName)
    fields.text(relationship?.word.rawValue)
    fields.text(post?.summary.text)
    fields.value(repost.map { .object(Self.names(of: $0.by)) } ?? .null)
    fields.value(
      parent.map(Self.value) ?? post?.summary.parent.map {
        .object([OutputField("uri", .string($0.description))])
      }
        ?? .null)
    fields.value(post?.quote.map(Self.value) ?? .null)
    fields.value(post.map { .array($0.attachments.compactMap(Self.value)) } ?? .null)
    fields.value(post.map { .labels($0.labels) } ?? .null)
    fields.value(post.map { .array($0.summary.languages.map { .string($0) }) } ?? .null)
    fields.number(post?.summary.counts.likes)
    fields.number(post?.summary.counts.reposts)
    fields.number(post?.summary.counts.replies)
    fields.number(post?.summary.counts.quotes)
    fields.flag(post?.viewer.map { $0.like != nil })
    fields.flag(post?.viewer.map { $0.repost != nil })
    fields.text(hidden)
    fields.number(place?.depth)
    fields.number(place?.repliesLeft)
  }

  private static func names(of account: AccountView) -> [OutputField] {
    [
      OutputField("did", .string(account.account.description)),
      OutputField("handle", .text(account.handle?.description)),
    ]
  }

  private static func value(_ reference: PostReference) -> OutputValue {
    var fields = [OutputField("uri", .string(reference.uri.description))]
    switch reference.content {
    case .post(let author, let text):
      fields += [OutputField("state", .string("shown"))] + names(of: author)
      fields.append(OutputField("text", .string(text)))
    case .blocked: fields.append(OutputField("state", .string("blocked")))
    case .gone: fields.append(OutputField("state", .string("gone")))
    case .detached: fields.append(OutputField("state", .string("detached")))
    case .other(let name):
      fields += [OutputField("state", .string("shown")), OutputField("name", .text(name))]
    }
    return .object(fields)
  }

  /// Nil for a quote, which has a field of its own.
  private static func value(_ attachment: Post.Attachment) -> OutputValue? {
    let (type, text, link): (String, String, String)
    switch attachment {
    case .picture(let alt, let address): (type, text, link) = ("picture", alt, address)
    case .video(let alt, let address): (type, text, link) = ("video", alt, address)
    case .card(let title, let address): (type, text, link) = ("card", title, address)
    case .quote: return nil
    }
    return .object([
      OutputField("type", .string(type)), OutputField("text", .string(text)),
      OutputField("link", .string(link)),
    ])
  }
}
