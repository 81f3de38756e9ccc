// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// Something that an account is told of (lexicon `app.bsky.notification.listNotifications#notification`).
public struct AccountNotification: Sendable, Hashable {
  /// Why the account is told. Servers may have other kinds.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// Creates a kind of any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The names that the lexicon knows.
    public static let known = [
      "like", "repost", "follow", "mention", "reply", "quote", "starterpack-joined", "verified", "unverified",
      "like-via-repost", "repost-via-repost", "subscribed-post", "contact-match",
    ]
  }

  /// The record that is the reason: a like, a follow, a reply.
  public let uri: ATURI
  /// Why the account is told.
  public let kind: Kind
  /// Whose record it is, with the relationship where the AppView says it.
  public let author: AccountView
  /// What the record is about, such as the post that is liked; nil if it is about the account.
  public let subject: ATURI?
  /// The post that it is about: the one that is liked, reposted, answered or quoted; nil if it is about something else.
  public let post: ATURI?
  /// The text of the record, if it is a post. Untrusted text.
  public let text: String?
  /// Whether the account has marked it as seen, in any app.
  public let isRead: Bool
  /// When the AppView has seen the record.
  public let at: Datetime
}

extension AccountNotification: Decodable {
  private enum CodingKeys: CodingKey { case uri, author, reason, reasonSubject, record, isRead, indexedAt }

  /// What a record of any kind may have; what is missing or of another shape is nil.
  private struct Record: Decodable {
    let text: String?
    /// The post that a like or a repost names, also where ``subject`` is a repost.
    let subject: ATURI?

    private enum CodingKeys: CodingKey { case text, subject }

    private struct Reference: Decodable { let uri: ATURI }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = (try? container.decodeIfPresent(String.self, forKey: .text)) ?? nil
      subject = (try? container.decodeIfPresent(Reference.self, forKey: .subject))??.uri
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uri = try container.decode(ATURI.self, forKey: .uri)
    kind = Kind(rawValue: try container.decode(String.self, forKey: .reason))
    author = try container.decode(ProfileWords.self, forKey: .author).view()
    subject = try? container.decodeIfPresent(ATURI.self, forKey: .reasonSubject)
    let record = try? container.decode(Record.self, forKey: .record)
    text = record?.text
    post = [record?.subject, subject].lazy.compactMap(\.self).first { $0.postPage != nil }
    isRead = try container.decode(Bool.self, forKey: .isRead)
    at = try container.decode(Datetime.self, forKey: .indexedAt)
  }
}

/// What an account wants to be told of a kind of event (lexicon `app.bsky.notification.defs#preferences`).
public struct NotificationSetting: Sendable, Hashable {
  /// Whose events count. Servers may have other audiences.
  public struct Audience: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    /// Creates an audience of any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Those of everybody.
    public static let all = Audience(rawValue: "all")
    /// Those of accounts that are followed.
    public static let follows = Audience(rawValue: "follows")
    /// Of messages: those that were accepted.
    public static let accepted = Audience(rawValue: "accepted")
    /// Those that the lexicon knows.
    public static let known = [all, follows, accepted]
  }

  /// The kind, as the lexicon names it, such as `likeViaRepost`.
  public let kind: String
  /// Whose events count; nil for a kind without a choice.
  public var audience: Audience?
  /// Whether the list of notifications shows it; nil for a kind that is not in the list.
  public var isListed: Bool?
  /// Whether it is sent to the account's devices.
  public var isPushed: Bool
  /// What else the server keeps with it; it is sent back as it is.
  let rest: DataObject
}
