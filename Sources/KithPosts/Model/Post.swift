// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// A post as an AppView shows it to a viewer (lexicon `app.bsky.feed.defs#postView`).
public struct Post: Sendable, Hashable {
  /// What a post shows besides its text. All texts are untrusted.
  public enum Attachment: Sendable, Hashable {
    /// A picture: its description, empty if the author gave none, and the URL of the file.
    case picture(alt: String, link: String)
    /// A video: its description, and the URL of its playlist.
    case video(alt: String, link: String)
    /// A link card.
    case card(title: String, link: String)
    /// A quoted post, or a list, a feed or the like.
    case quote(PostReference)
  }

  /// What the viewer has done with a post, and may do.
  public struct Viewer: Sendable, Hashable {
    /// The record of the viewer's like; nil without one.
    public let like: ATURI?
    /// The record of the viewer's repost; nil without one.
    public let repost: ATURI?
    /// Whether the author does not let the viewer answer.
    public let isReplyDisabled: Bool
    /// Whether the author does not let the viewer quote it.
    public let isEmbeddingDisabled: Bool
  }

  /// Its AT-URI, text, date and counts.
  public let summary: PostSummary
  /// The version of the record.
  public let cid: CID
  /// The author, with the viewer's relationship where the AppView says it.
  public let author: AccountView
  /// Pictures, cards and quotes, in the order of the post.
  public let attachments: [Attachment]
  /// The labels on it.
  public let labels: [AccountMarks.Label]
  /// What the viewer has done with it; nil if the AppView does not say.
  public let viewer: Viewer?
  /// The post that begins the thread, as the author names it; nil if this one does, or if that cannot be read.
  public let root: RecordVersion?

  /// Its AT-URI.
  public var uri: ATURI { summary.uri }

  /// The post that it quotes; nil if it quotes none.
  public var quote: PostReference? {
    attachments.lazy.compactMap { if case .quote(let quote) = $0 { quote } else { nil } }.first
  }
}

extension Post: Decodable {
  private enum CodingKeys: CodingKey { case cid, author, embed, labels, viewer, record }

  private struct Record: Decodable {
    struct Reply: Decodable { let root: RecordVersion }

    let reply: Reply
  }

  private struct ViewerState: Decodable {
    let like: ATURI?
    let repost: ATURI?
    let replyDisabled: Bool?
    let embeddingDisabled: Bool?
  }

  /// Decodes a `postView`. Fields that break the lexicon are ignored, except for the AT-URI, the CID, the author and the date.
  public init(from decoder: any Decoder) throws {
    summary = try PostSummary(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    cid = try container.decode(CID.self, forKey: .cid)
    author = try container.decode(ProfileWords.self, forKey: .author).view()
    attachments = (try? container.decodeIfPresent(EmbedView.self, forKey: .embed))?.attachments ?? []
    root = (try? container.decode(Record.self, forKey: .record))?.reply.root
    let labels = (try? container.decodeIfPresent(ReadableElements<LabelWords>.self, forKey: .labels))?
      .elements
    self.labels = (labels ?? []).compactMap { [summary] in $0.label(on: summary.uri.description) }
    viewer = (try? container.decodeIfPresent(ViewerState.self, forKey: .viewer)).map { state in
      Viewer(
        like: state.like, repost: state.repost, isReplyDisabled: state.replyDisabled ?? false,
        isEmbeddingDisabled: state.embeddingDisabled ?? false)
    }
  }
}

/// The view of an embed of any kind; one of an unknown kind shows nothing.
private struct EmbedView: Decodable {
  let attachments: [Post.Attachment]

  private enum CodingKeys: String, CodingKey {
    case type = "$type"
    case images, items, playlist, alt, external, record, media
  }

  private struct Image: Decodable {
    let alt: IfReadable<String>?
    let fullsize: String
  }

  private struct External: Decodable {
    let uri: String
    let title: IfReadable<String>?
  }

  /// The quote of a `recordWithMedia`.
  private struct Inner: Decodable { let record: PostReference }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let type = try container.decode(String.self, forKey: .type)
    func pictures(_ key: CodingKeys) throws -> [Post.Attachment] {
      try container.decode(ReadableElements<Image>.self, forKey: key).elements.map {
        .picture(alt: $0.alt?.value ?? "", link: $0.fullsize)
      }
    }
    switch type {
    case "app.bsky.embed.images#view": attachments = try pictures(.images)
    case "app.bsky.embed.gallery#view": attachments = try pictures(.items)
    case "app.bsky.embed.video#view":
      let alt = container.decodeIfReadable(String.self, forKey: .alt)
      attachments = [.video(alt: alt ?? "", link: try container.decode(String.self, forKey: .playlist))]
    case "app.bsky.embed.external#view":
      let card = try container.decode(External.self, forKey: .external)
      attachments = [.card(title: card.title?.value ?? "", link: card.uri)]
    case "app.bsky.embed.record#view":
      attachments = [.quote(try container.decode(PostReference.self, forKey: .record))]
    case "app.bsky.embed.recordWithMedia#view":
      let media = (try? container.decode(EmbedView.self, forKey: .media))?.attachments ?? []
      let quote = container.decodeIfReadable(Inner.self, forKey: .record).map {
        Post.Attachment.quote($0.record)
      }
      attachments = media + [quote].compactMap(\.self)
    default: attachments = []
    }
  }
}
