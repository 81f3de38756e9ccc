// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension PostTimeline {
  /// The URI of the record of a post or repost.
  func uri(of post: Post) -> ATURI {
    ATURI(
      authority: .did(network.dids[post.author]),
      collection: post.kind == .repost ? Self.repost : App.Bsky.Feed.Post.nsid, recordKey: post.key)
  }

  /// The URI that a post refers to, which may belong to a deleted post.
  func targetURI(of post: Post) -> ATURI {
    if let written = post.written { return written.parent ?? written.quote ?? written.subject ?? written.uri }
    if let target = target(of: post) { return uri(of: target) }
    let author = circle(of: post.author).first ?? post.author
    return ATURI(
      authority: .did(network.dids[author]), collection: App.Bsky.Feed.Post.nsid,
      recordKey: RecordKey(tid: TID(at: post.moment - Self.window * 2, clockID: 1)))
  }

  /// The content of a post's record.
  func content(of post: Post) -> DataValue {
    if let written = post.written { return written.record }
    let words = PostWords(post, homeLanguage: homeLanguage(of: post.author))
    var object: DataObject = [
      "$type": .string(App.Bsky.Feed.Post.nsid.description), "text": .string(words.text),
      "langs": [.string(words.language)], "createdAt": .string(post.madeAt.description),
    ]
    switch post.kind {
    case .text, .repost: break
    case .images: object["embed"] = images(of: post)
    case .video:
      object["embed"] = [
        "$type": "app.bsky.embed.video", "video": blob(post, mimeType: "video/mp4"),
        "alt": .string(words.title),
      ]
    case .link:
      object["embed"] = [
        "$type": "app.bsky.embed.external",
        "external": [
          "uri": .string(Self.link(of: post)), "title": .string(words.title),
          "description": .string(words.text),
        ],
      ]
    case .quote: object["embed"] = ["$type": "app.bsky.embed.record", "record": reference(of: post)]
    case .reply: object["reply"] = ["root": reference(of: post), "parent": reference(of: post)]
    }
    return .object(object)
  }

  /// The target of a link card.
  static func link(of post: Post) -> String { "https://example.com/articles/\(post.traits % 100_000)" }

  /// The number of pictures in an image post.
  static func imageCount(of post: Post) -> Int { 1 + Int(post.traits >> 33 & 3) }

  /// The alt text of a picture; every second one has none.
  static func alt(of post: Post, image: Int) -> String {
    (post.traits >> (40 + UInt64(image))).isMultiple(of: 2) ? "" : "Picture \(image + 1)"
  }

  /// The CID of a picture or video in a post.
  static func blobCID(of post: Post, number: Int = 0) -> CID {
    Identities.blobCID(seed: post.traits &+ UInt64(number))
  }

  private static let repost: NSID = NSID(generated: "app.bsky.feed.repost")

  private func images(of post: Post) -> DataValue {
    [
      "$type": "app.bsky.embed.images",
      "images": .array(
        (0..<Self.imageCount(of: post)).map { number in
          [
            "image": blob(post, number: number, mimeType: "image/jpeg"),
            "alt": .string(Self.alt(of: post, image: number)),
          ]
        }),
    ]
  }

  private func blob(_ post: Post, number: Int = 0, mimeType: DataValue) -> DataValue {
    [
      "$type": "blob", "ref": .link(Self.blobCID(of: post, number: number)), "mimeType": mimeType,
      "size": .integer(20_000 + Int64(post.traits % 800_000)),
    ]
  }

  /// The strong reference to a post's target.
  private func reference(of post: Post) -> DataValue {
    let cid = target(of: post)?.cid ?? Identities.cid(seed: post.traits &+ 1)
    return ["uri": .string(targetURI(of: post).description), "cid": .string(cid.description)]
  }

  private func homeLanguage(of account: Int) -> PostWords.Language {
    account < NamedAccount.allCases.count ? .english : PostWords.Language(share: traits(of: account) >> 30)
  }
}
