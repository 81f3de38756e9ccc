// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithPosts
public import KithRelationships

/// Something that the signed-in account is told of; several of a kind about the same post can be one row.
public struct NotificationRow: OperationRow {
  /// The newest of them.
  public let notification: AccountNotification
  /// The post that it is about; nil if there is none, if it is gone or hidden, or if it could not be read.
  public let post: Post?
  /// The relationship of the signed-in account with its author; nil if unknown.
  public let relationship: ViewerRelationship?
  /// The authors of the older ones that are in this row, newest first, each once.
  public private(set) var others: [AccountView] = []

  init(notification: AccountNotification, post: Post? = nil, relationship: ViewerRelationship?) {
    (self.notification, self.post, self.relationship) = (notification, post, relationship)
  }

  /// The address in the Bluesky app of what there is to read: the reply, mention or quote, else the post that it is about; nil
  /// if it is about no post.
  public var page: String? { notification.uri.postPage ?? notification.post?.postPage }

  /// Fields: at, kind (in the words of the lexicon), isRead, did, handle, displayName, relationship (in the words of
  /// `ViewerRelationship.Word`), subject (the AT-URI of what it is about, such as the post that is liked), uri (of the record that
  /// is the reason), text (if that is a post), labels (of the author; value and source), subjectText (of the post that it is
  /// about), page (of the reply, mention or quote, else of that post, in the app of Bluesky), others (did and handle of those
  /// whose older ones are in this row). Null if unknown or absent.
  public static let fieldNames = [
    "at", "kind", "isRead", "did", "handle", "displayName", "relationship", "subject", "uri", "text",
    "labels", "subjectText", "page", "others",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(notification.at.description)
    fields.text(notification.kind.rawValue)
    fields.flag(notification.isRead)
    fields.text(notification.author.account.description)
    fields.text(notification.author.handle?.description)
    fields.text(notification.author.displayName)
    fields.text(relationship?.word.rawValue)
    fields.text(notification.subject?.description)
    fields.text(notification.uri.description)
    fields.text(notification.text)
    fields.value(notification.author.marks.map { .labels($0.labels) } ?? .null)
    fields.text(post?.summary.text)
    fields.text(page)
    if others.isEmpty {
      fields.null()
    } else {
      fields.value(.array(others.map { .object(Self.names(of: $0)) }))
    }
  }

  private static func names(of account: AccountView) -> [OutputField] {
    [
      OutputField("did", .string(account.account.description)),
      OutputField("handle", .text(account.handle?.description)),
    ]
  }
}

extension NotificationRow {
  /// What the rows of one group have in common. Read and unread ones are told apart.
  private struct Group: Hashable {
    let kind: AccountNotification.Kind
    let subject: ATURI
    let isRead: Bool
  }

  /// Nil for a row of its own: a follow is about a person, and a reply, a mention or a quote has a text to read.
  private var group: Group? {
    guard let subject = notification.subject ?? notification.post, notification.uri.postPage == nil else {
      return nil
    }
    return Group(kind: notification.kind, subject: subject, isRead: notification.isRead)
  }

  /// The rows with those of one kind about the same post as one, in the place of the first, which is the newest.
  static func grouped(_ rows: [NotificationRow]) -> [NotificationRow] {
    var grouped: [NotificationRow] = []
    var places: [Group: Int] = [:]
    var authors: [Group: Set<DID>] = [:]
    for row in rows {
      guard let group = row.group else {
        grouped.append(row)
        continue
      }
      let author = row.notification.author
      let isFirst = authors[group, default: []].insert(author.account).inserted
      if let place = places[group] {
        if isFirst { grouped[place].others.append(author) }
      } else {
        places[group] = grouped.count
        grouped.append(row)
      }
    }
    return grouped
  }
}

/// What the signed-in account wants to be told of a kind of event.
public struct NotificationSettingRow: OperationRow {
  public let setting: NotificationSetting

  /// Fields: kind, include (all, follows or accepted), list, push. Null where a kind has no such choice.
  public static let fieldNames = ["kind", "include", "list", "push"]

  public func write(to fields: inout RowEncoder) {
    fields.text(setting.kind)
    fields.text(setting.audience?.rawValue)
    fields.flag(setting.isListed)
    fields.flag(setting.isPushed)
  }
}

/// An account whose posts the signed-in account is told of, or was until now.
public struct SubscriptionRow: OperationRow {
  /// What the signed-in account is told of.
  public enum Subscription: String, Sendable, Hashable {
    case posts
    case postsAndReplies = "posts-and-replies"
    /// Nothing: the subscription ends.
    case none
  }

  public let view: AccountView
  /// What it is told of now; nil in a list of subscriptions, which does not say whether replies count.
  public let subscription: Subscription?

  /// Fields: did, handle, displayName, subscription (posts, posts-and-replies or none, after a change; null in a list). Null if
  /// unknown.
  public static let fieldNames = ["did", "handle", "displayName", "subscription"]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(subscription?.rawValue)
  }
}
