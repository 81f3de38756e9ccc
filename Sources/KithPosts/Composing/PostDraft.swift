// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons
public import KithRelationships

/// A post before it is written (lexicon `app.bsky.feed.post`).
public struct PostDraft: Sendable, Hashable {
  /// What a post answers.
  public struct Reply: Sendable, Hashable {
    /// The post that begins the thread.
    public var root: RecordVersion
    /// The post that is answered; the root, too, if that is answered.
    public var parent: RecordVersion

    public init(root: RecordVersion, parent: RecordVersion) { (self.root, self.parent) = (root, parent) }
  }

  /// What is shown for a link.
  public struct Card: Sendable, Hashable {
    /// The address.
    public var link: URI
    /// The title of the page; untrusted.
    public var title: String
    /// What the page says about itself; untrusted.
    public var description: String
    /// Where the page says that its picture is; untrusted. Not published: ``thumbnail`` is.
    public var picture: URI?
    /// The picture, as the account's own server named it; at most ``mostPictureBytes``.
    public var thumbnail: Blob?

    /// The most bytes of a picture.
    public static let mostPictureBytes = 1_000_000

    public init(_ link: URI, title: String, description: String) {
      (self.link, self.title, self.description) = (link, title, description)
    }
  }

  /// A picture, and what it shows.
  public struct Picture: Sendable, Hashable {
    /// The file, as the server named it.
    public var blob: Blob
    /// What it shows, for those who do not see it; empty for nothing.
    public var alt: String
    /// The size in pixels.
    public var width, height: Int

    public init(_ uploaded: UploadedPicture, alt: String) {
      self.init(uploaded.blob, of: uploaded.picture, alt: alt)
    }

    package init(_ blob: Blob, of picture: KithPosts.Picture, alt: String) {
      self.init(blob, alt: alt, width: picture.width, height: picture.height)
    }

    package init(_ blob: Blob, alt: String, width: Int, height: Int) {
      (self.blob, self.alt, self.width, self.height) = (blob, alt, width, height)
    }
  }

  /// The most pictures of a post.
  public static let mostPictures = 4
  /// The most posts of a thread.
  public static let mostInThread = 50

  /// The text: at most 300 graphemes and 3,000 bytes; empty only with a quote.
  public var text: RichText
  /// The languages of the text; at most 3.
  public var languages: [LanguageTag] = []
  /// Labels that the author puts on the post, such as `nudity`; at most 10.
  public var labels: [String] = []
  /// What it answers; nil if it begins a thread.
  public var reply: Reply?
  /// The post that it quotes.
  public var quote: RecordVersion?
  /// Pictures, up to ``mostPictures``; then no card is shown.
  public var pictures: [Picture] = []
  /// The card of a link.
  public var card: Card?
  /// Who may answer and quote it.
  public var audience = PostAudience()

  public init(_ text: RichText) { self.text = text }

  /// Returns the record.
  ///
  /// - Throws: `ValidationError` if it breaks the lexicon, or if a text has a control character.
  func record(createdAt: Datetime) throws -> DataValue {
    _ = try PlainText.published(text.text, as: "text")
    let record = App.Bsky.Feed.Post(
      text: text.text, facets: text.facets.isEmpty ? nil : text.facets.map(\.record),
      reply: reply.map {
        App.Bsky.Feed.Post.ReplyRef(root: $0.root.strongReference, parent: $0.parent.strongReference)
      },
      embed: try embed, langs: languages.isEmpty ? nil : languages,
      labels: labels.isEmpty
        ? nil
        : .selfLabels(
          Com.Atproto.Label.Defs.SelfLabels(values: labels.map { Com.Atproto.Label.Defs.SelfLabel(val: $0) })),
      createdAt: createdAt)
    try record.validate()
    return try DataValue(encoding: record)
  }

  private var embed: App.Bsky.Feed.Post.Embed? {
    get throws {
      let quote = quote.map { App.Bsky.Embed.Record(record: $0.strongReference) }
      if !pictures.isEmpty {
        let images = App.Bsky.Embed.Images(images: try pictures.map { try $0.record })
        return quote.map {
          .recordWithMedia(App.Bsky.Embed.RecordWithMedia(record: $0, media: .images(images)))
        }
          ?? .images(images)
      }
      guard let card else { return quote.map { .record($0) } }
      let external = App.Bsky.Embed.External(
        external: App.Bsky.Embed.External.External(
          uri: card.link, title: card.title, description: card.description, thumb: card.thumbnail))
      guard let quote else { return .external(external) }
      return .recordWithMedia(App.Bsky.Embed.RecordWithMedia(record: quote, media: .external(external)))
    }
  }
}

extension [PostDraft] {
  /// The records of a thread: each post answers the one before, and is followed by the records that say who may answer and
  /// quote it.
  ///
  /// - Throws: `ValidationError` if a post breaks the lexicon, if a text has a control character, or for a thread without
  ///   posts or with more than ``PostDraft/mostInThread``.
  public var records: [RecordDraft] {
    get throws {
      guard (1...PostDraft.mostInThread).contains(count) else {
        throw ValidationError(
          path: "thread", reason: "\(count) posts, 1 to \(PostDraft.mostInThread) allowed")
      }
      var (records, last): ([RecordDraft], Int?) = ([], nil)
      for draft in self {
        let place = records.count
        var post = RecordDraft(.post, try draft.record(createdAt: Datetime(at: .epoch)).object ?? [:])
        post.fields["createdAt"] = nil
        if let last {
          let root = self[0].reply?.root.value
          post.fields["reply"] = root.map { ["root": $0] }
          post.references = [RecordDraft.Reference("reply", "parent", to: last, isStrong: true)]
          if root == nil {
            post.references.append(RecordDraft.Reference("reply", "root", to: 0, isStrong: true))
          }
        }
        records.append(post)
        records += draft.audience.gates(isReply: last != nil || draft.reply != nil, of: place)
        last = place
      }
      return records
    }
  }
}

extension PostDraft.Picture {
  fileprivate var record: App.Bsky.Embed.Images.Image {
    get throws(ValidationError) {
      App.Bsky.Embed.Images.Image(
        image: blob, alt: try PlainText.published(alt, as: "alt"),
        aspectRatio: App.Bsky.Embed.Defs.AspectRatio(width: width, height: height))
    }
  }
}

extension RichText.Facet {
  fileprivate var record: App.Bsky.Richtext.Facet {
    let element: App.Bsky.Richtext.Facet.FeaturesElement =
      switch feature {
      case .mention(let account): .mention(App.Bsky.Richtext.Facet.Mention(did: account))
      case .link(let link): .link(App.Bsky.Richtext.Facet.Link(uri: link))
      case .tag(let tag): .tag(App.Bsky.Richtext.Facet.Tag(tag: tag))
      }
    return App.Bsky.Richtext.Facet(
      index: App.Bsky.Richtext.Facet.ByteSlice(byteStart: bytes.lowerBound, byteEnd: bytes.upperBound),
      features: [element])
  }
}

extension RecordVersion {
  fileprivate var strongReference: Com.Atproto.Repo.StrongRef {
    Com.Atproto.Repo.StrongRef(uri: uri, cid: cid)
  }
}

/// Who may answer a post and quote it (lexicons `app.bsky.feed.threadgate`, `app.bsky.feed.postgate`).
public struct PostAudience: Sendable, Hashable {
  /// A rule that lets some accounts answer; one that this version does not know is kept as it is.
  public struct Rule: Sendable, Hashable {
    /// The rule as the record has it.
    package let value: DataValue

    package init(_ value: DataValue) { self.value = value }

    private init(_ name: String, list: ATURI? = nil) {
      var fields: DataObject = ["$type": .string("app.bsky.feed.threadgate#\(name)")]
      fields["list"] = list.map { .string($0.description) }
      value = .object(fields)
    }

    /// Accounts that the post mentions.
    public static let mentioned = Rule("mentionRule")
    /// Accounts that follow the author.
    public static let followers = Rule("followerRule")
    /// Accounts that the author follows.
    public static let following = Rule("followingRule")
    /// The list whose members may answer; nil for another rule.
    public var list: ATURI? { value["list"]?.string.flatMap { ATURI($0) } }

    /// The rules that have a word.
    package static let named: KeyValuePairs = [
      "mentioned": mentioned, "followers": followers, "following": following,
    ]

    /// The word of the rule, the AT-URI of its list, or `other` for a rule that this version does not know.
    package var word: String {
      Self.named.first { $0.value == self }?.key ?? list?.description ?? "other"
    }

    /// Members of a list.
    public static func list(_ list: ATURI) -> Rule { Rule("listRule", list: list) }
  }

  /// The most rules of a post.
  public static let mostRules = 5

  /// Who may reply: accounts that match any of the rules, so no account if it is empty; nil for everyone. Only the root post of a
  /// thread has this.
  public var replies: [Rule]?
  /// The rules about quotes; nil for none.
  package var quoting: [DataValue]?

  /// Everyone may answer and quote.
  public init() {}

  /// The `$type` of the preference.
  package static let preference = "app.bsky.actor.defs#postInteractionSettingsPref"

  /// Reads what an account wants for all its posts, from its preferences (`app.bsky.actor.defs#postInteractionSettingsPref`);
  /// nil if it is unreadable, which is not the same as no wish.
  package init?(preferences: [DataValue]) {
    let wanted = preferences.last { $0.type == Self.preference }
    func rules(_ field: String) -> [DataValue]?? {
      guard let value = wanted?[field], value != .null else { return .some(nil) }
      return value.array.map { .some($0) }
    }
    guard let replies = rules("threadgateAllowRules"), let quoting = rules("postgateEmbeddingRules") else {
      return nil
    }
    self.replies = replies.map { $0.map(Rule.init) }
    self.quoting = quoting
  }

  /// The records beside a post that say so; none if everyone may do everything.
  ///
  /// - Parameters:
  ///   - isReply: whether it answers a post, so that another one says who may answer.
  ///   - post: the place of the draft of the post, whose key they share.
  fileprivate func gates(isReply: Bool, of post: Int) -> [RecordDraft] {
    func gate(_ collection: NSID, _ field: String, _ rules: [DataValue]) -> RecordDraft {
      RecordDraft(
        collection, [field: .array(rules)], sharingKeyOf: post,
        references: [RecordDraft.Reference("post", to: post)])
    }
    let replies = isReply ? nil : replies.map { gate(.threadgate, "allow", $0.map(\.value)) }
    let quotes = quoting.flatMap { $0.isEmpty ? nil : gate(.postgate, "embeddingRules", $0) }
    return [replies, quotes].compactMap(\.self)
  }
}
