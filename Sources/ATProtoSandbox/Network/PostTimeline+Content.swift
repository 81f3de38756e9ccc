// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension PostTimeline {
  /// The address of a post's record, or of that of a repost.
  func uri(of post: Post) -> ATURI {
    ATURI(
      authority: .did(network.dids[post.author]),
      collection: post.kind == .repost ? Self.repost : App.Bsky.Feed.Post.nsid, recordKey: post.key)
  }

  /// What a post refers to: the one that is there, or the address of one that is gone.
  func targetURI(of post: Post) -> ATURI {
    if let target = target(of: post) { return uri(of: target) }
    let author = circle(of: post.author).first ?? post.author
    return ATURI(
      authority: .did(network.dids[author]), collection: App.Bsky.Feed.Post.nsid,
      recordKey: RecordKey(tid: TID(microseconds: post.moment - 2 * Self.window, clockID: 1)))
  }

  /// What the record of a post says.
  func content(of post: Post) -> DataValue {
    let words = PostWords(post, homeLanguage: homeLanguage(of: post.author))
    var object: [String: DataValue] = [
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

  /// Where a link card leads.
  static func link(of post: Post) -> String { "https://example.com/articles/\(post.traits % 100_000)" }

  /// How many pictures a post of images has.
  static func imageCount(of post: Post) -> Int { 1 + Int(post.traits >> 33 & 3) }

  /// What is said to be on a picture; one in two says nothing.
  static func alt(of post: Post, image: Int) -> String {
    (post.traits >> (40 + UInt64(image))).isMultiple(of: 2) ? "" : "Picture \(image + 1)"
  }

  /// The name of a picture or film of a post.
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

  /// The name of what a post refers to.
  private func reference(of post: Post) -> DataValue {
    let cid = target(of: post)?.cid ?? Identities.cid(seed: post.traits &+ 1)
    return ["uri": .string(targetURI(of: post).description), "cid": .string(cid.description)]
  }

  private func homeLanguage(of account: Int) -> PostWords.Language {
    account < Cast.allCases.count ? .english : PostWords.Language(share: traits(of: account) >> 30)
  }
}
