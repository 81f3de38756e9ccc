// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithPosts
import KithRelationships

extension PostRow: PrintableRow {
  /// The fields, for help.
  static let help = """
    Fields of each row: at (when it was written or reposted), uri, page, did, handle, displayName, relationship (self, \
    blocking, blocked-by, mutual, following, followed-by or none), text, repostedBy (did and handle), replyTo (uri, \
    state, did, handle and text), quote (likewise), attachments (type, text and link of each), labels (value and source), \
    languages, likes, reposts, replies, quotes, liked, reposted (by you), hidden (blocked, muted or gone), depth (in \
    a thread, negative above the post), repliesLeft (answers that are not shown). Null if unknown or absent.
    """

  /// How much of a post that is answered or quoted is shown, in cells.
  private static let shortest = 120
  /// How far answers move to the right, at most, in levels.
  private static let deepest = 8

  static let headings: [String] = []

  func tableRow(at now: Datetime) -> TableRow {
    let indent = 2 * min(max(0, place?.depth ?? 0), Self.deepest)
    guard let post else {
      return TableRow(cells: [TableRow.Cell("[\(Self.words(hidden: hidden))]", .faint)], indent: indent)
    }
    var heading = [TableRow.Cell(post.author.name, .strong)]
    if let name = post.author.displayName, !name.isEmpty { heading.append(TableRow.Cell(name)) }
    heading.append(TableRow.Cell(RelativeTimeText.relative(post.summary.writtenAt, to: now), .faint))
    if place?.depth == 0 { heading.append(TableRow.Cell("← this post", .faint)) }
    var body: [TableRow.Cell] = []
    if let repost {
      let when = RelativeTimeText.relative(repost.at, to: now)
      body.append(TableRow.Cell("reposted by \(repost.by.name) \(when)", .faint))
    }
    if let parent {
      body.append(TableRow.Cell("answers \(Self.words(parent))", .faint))
    } else if place == nil, post.summary.parent != nil {
      body.append(TableRow.Cell("answers a post that is not shown", .faint))
    }
    body += post.summary.text.split(whereSeparator: \.isNewline).map { TableRow.Cell(String($0)) }
    body += post.attachments.map(Self.cell)
    if !post.labels.isEmpty {
      let labels = post.labels.map { $0.text(about: post.author.account) }
      body.append(TableRow.Cell("labels: \(labels.joined(separator: ", "))", .bad))
    }
    body.append(TableRow.Cell(footer(of: post), .faint))
    return TableRow(cells: heading, body: body, indent: indent)
  }

  private func footer(of post: Post) -> String {
    let counts = post.summary.counts
    func counted(_ count: Int, _ one: String, _ many: String) -> String {
      "\(count) \(count == 1 ? one : many)"
    }
    var words = [
      (counts.likes, "like", "likes"), (counts.reposts, "repost", "reposts"),
      (counts.quotes, "quote", "quotes"),
      (counts.replies, "reply", "replies"),
    ].compactMap { count, one, many in
      count.flatMap { $0 > 0 ? counted($0, one, many) : nil }
    }
    if let left = place?.repliesLeft, left > 0 {
      words.append(
        left < counts.replies ?? 0 ? "\(counted(left, "reply", "replies")) not shown" : "not shown")
    }
    if post.viewer?.like != nil { words.append("liked by you") }
    if post.viewer?.repost != nil { words.append("reposted by you") }
    return [words.joined(separator: ", "), page(of: post)].filter { !$0.isEmpty }
      .joined(separator: "  ")
  }

  /// The page of the post by the name of its author, which is shorter than the DID.
  private func page(of post: Post) -> String {
    guard let rkey = uri.recordKey, post.summary.page != nil else { return uri.description }
    return "https://bsky.app/profile/\(post.author.name)/post/\(rkey)"
  }

  private static func words(hidden: String?) -> String {
    switch hidden {
    case "blocked": "a post that a block hides"
    case "muted": "a post of an account that you mute"
    default: "a post that is gone"
    }
  }

  /// A post in short.
  private static func words(_ reference: PostReference) -> String {
    switch reference.content {
    case .post(let author, let text):
      text.isEmpty
        ? "a post of \(author.name)"
        : "\(author.name): \(TerminalText.truncated(TerminalText.clean(text.inOneLine), to: shortest))"
    case .blocked: "a post that a block hides"
    case .gone: "a post that is gone"
    case .detached: "a post that its author has detached"
    case .other(let name): name.map { "\"\($0)\" (\(reference.uri))" } ?? reference.uri.description
    }
  }

  private static func cell(_ attachment: Post.Attachment) -> TableRow.Cell {
    func words(_ kind: String, _ text: String, _ link: String) -> TableRow.Cell {
      TableRow.Cell("[\(kind)\(text.isEmpty ? "" : ": \(text.inOneLine)")] \(link)", .faint)
    }
    return switch attachment {
    case .picture(let alt, let link): words("picture", alt.isEmpty ? "no description" : alt, link)
    case .video(let alt, let link): words("video", alt, link)
    case .card(let title, let link): words("link", title, link)
    case .quote(let reference): TableRow.Cell("quotes \(Self.words(reference))", .faint)
    }
  }
}
