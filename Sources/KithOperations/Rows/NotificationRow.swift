// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithPosts
public import KithRelationships

/// Something that the signed-in account is told of.
public struct NotificationRow: OperationRow {
  public let notification: AccountNotification
  /// The relationship of the signed-in account with its author; nil if unknown.
  public let relationship: ViewerRelationship?

  /// Fields: at, kind (in the words of the lexicon), isRead, did, handle, displayName, relationship (in the words of
  /// `ViewerRelationship.Word`), subject (the AT-URI of what it is about, such as the post that is liked), uri (of the record that
  /// is the reason), text (if that is a post), labels (of the author; value and source). Null if unknown or absent.
  public static let fieldNames = [
    "at", "kind", "isRead", "did", "handle", "displayName", "relationship", "subject", "uri", "text",
    "labels",
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
