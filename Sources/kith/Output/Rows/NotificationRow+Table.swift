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
    the record that is the reason), text (if that is a post), labels (of the account; value and source). Null if \
    unknown or absent.
    """

  static let headings = ["ACCOUNT", "WHAT", "WHEN", "RELATION", "TEXT"]

  func tableRow(at now: Datetime) -> TableRow {
    let labels = notification.author.marks?.labels ?? []
    return TableRow(cells: [
      TableRow.Cell(notification.author.name, labels.isEmpty ? nil : .bad, whole: true),
      TableRow.Cell(words, notification.isRead ? nil : .strong),
      TableRow.Cell(RelativeTimeText.relative(notification.at, to: now)),
      TableRow.Cell(relationship?.words ?? ""),
      TableRow.Cell((notification.text ?? "").inOneLine),
    ])
  }

  private var words: String {
    switch notification.kind.rawValue {
    case "like": "likes your post"
    case "repost": "reposts your post"
    case "follow": "follows you"
    case "mention": "mentions you"
    case "reply": "replies to you"
    case "quote": "quotes you"
    case "starterpack-joined": "joined with your starter pack"
    case "verified": "verified you"
    case "unverified": "took a verification back"
    case "like-via-repost": "likes your repost"
    case "repost-via-repost": "reposts your repost"
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
