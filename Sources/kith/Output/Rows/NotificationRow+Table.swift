// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithPosts
import KithRelationships

extension NotificationRow: PrintableRow {
  /// The fields, for help.
  static let help = """
    Fields of each row: at, kind, isRead, did, handle, displayName, relationship (self, blocking, blocked-by, mutual, \
    following, followed-by or none), subject (AT-URI of what it is about, such as the post that is liked), uri (of \
    the record that is the reason), text (if that is a post), labels (of the account; value and source), subjectText \
    (of the post that it is about), page (of the reply, mention or quote, else of that post), others (did and handle of \
    those whose older ones are in this row). Null if unknown or absent.
    """

  /// How much of the viewer's post is shown below a reply or a quote, in cells.
  private static let shortest = 120

  static let headings: [String] = []

  func tableRow(at now: Datetime) -> TableRow {
    let author = notification.author
    var heading = [
      TableRow.Cell(
        names, author.marks?.labels.isEmpty == false ? .bad : notification.isRead ? nil : .strong),
      TableRow.Cell(words),
      TableRow.Cell(RelativeTimeText.relative(notification.at, to: now), .faint),
    ]
    if others.isEmpty, let words = relationship?.words { heading.append(TableRow.Cell(words, .faint)) }
    var body = lines(of: notification.text).map { TableRow.Cell($0) }
    if let post {
      if body.isEmpty {
        body = lines(of: post.summary.text).map { TableRow.Cell($0) }
      } else {
        let text = TerminalText.truncated(
          TerminalText.clean(post.summary.text.inOneLine), to: Self.shortest)
        body.append(TableRow.Cell("about \(post.author.name): \(text)", .faint))
      }
    }
    if let address { body.append(TableRow.Cell(address, .faint)) }
    return TableRow(cells: heading, body: body)
  }

  private func lines(of text: String?) -> [String] {
    (text ?? "").split(whereSeparator: \.isNewline).map { String($0) }
  }

  private var names: String {
    let name = notification.author.name
    return switch others.count {
    case 0: name
    case 1: "\(name) and \(others[0].name)"
    default: "\(name) and \(others.count) others"
    }
  }

  /// The address of the page by names, which are shorter than DIDs.
  private var address: String? {
    let (uri, author) =
      notification.uri.postPage != nil
      ? (notification.uri, notification.author) : (notification.post ?? notification.uri, post?.author)
    guard let page = uri.postPage, let key = uri.recordKey else { return nil }
    return author.map { "https://bsky.app/profile/\($0.name)/post/\(key)" } ?? page
  }

  /// What a like or a repost is about.
  private var thing: String {
    switch notification.subject?.collection?.description {
    case "app.bsky.feed.generator": "your feed"
    case "app.bsky.labeler.service": "your labeler"
    case "app.bsky.graph.list": "your list"
    case "app.bsky.graph.starterpack": "your starter pack"
    default: "your post"
    }
  }

  private var words: String {
    func verb(_ one: String, _ many: String) -> String { others.isEmpty ? one : many }
    return switch notification.kind.rawValue {
    case "like": "\(verb("likes", "like")) \(thing)"
    case "repost": "\(verb("reposts", "repost")) \(thing)"
    case "follow": "follows you"
    case "mention": "mentions you"
    case "reply": "replies to you"
    case "quote": "quotes you"
    case "starterpack-joined": "joined with your starter pack"
    case "verified": "verified you"
    case "unverified": "took a verification back"
    case "like-via-repost": "\(verb("likes", "like")) your repost"
    case "repost-via-repost": "\(verb("reposts", "repost")) your repost"
    case "subscribed-post": "has posted"
    case "contact-match": "is one of your contacts"
    default: notification.kind.rawValue
    }
  }
}

extension NotificationSettingRow: PrintableRow {
  static let headings = ["KIND", "INCLUDE", "LIST", "PUSH"]

  func tableRow(at now: Datetime) -> TableRow {
    func words(_ isOn: Bool?) -> String { isOn.map { $0 ? "on" : "off" } ?? "" }
    return TableRow(cells: [
      TableRow.Cell(setting.kind, whole: true), TableRow.Cell(setting.audience?.rawValue ?? ""),
      TableRow.Cell(words(setting.isListed)), TableRow.Cell(words(setting.isPushed)),
    ])
  }
}

extension SubscriptionRow: PrintableRow {
  static let headings = ["ACCOUNT", "NAME", "YOU ARE TOLD OF"]

  func tableRow(at now: Datetime) -> TableRow {
    let words =
      switch subscription {
      case nil: ""
      case .posts: "posts"
      case .postsAndReplies: "posts and replies"
      case .some(.none): "nothing any more"
      }
    return TableRow(cells: [
      TableRow.Cell(view.name, whole: true), TableRow.Cell(view.displayName ?? ""), TableRow.Cell(words),
    ])
  }
}
