// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// An account with all that is shown of it.
public struct ProfileRow: OperationRow {
  /// Names, counts, status, labels, and the relationship of the signed-in account with it.
  public internal(set) var view: AccountView
  public internal(set) var pronouns: String?
  /// The address that the profile names. Untrusted text.
  public internal(set) var website: String?
  /// The URL of its picture.
  public internal(set) var avatar: String?
  /// The URL of the picture at the top of its page.
  public internal(set) var banner: String?
  /// Since when the signed-in account follows it, by the key of the record.
  public internal(set) var followingSince: Datetime?
  /// Since when it follows the signed-in account, by the key of the record.
  public internal(set) var followedSince: Datetime?
  /// Some of the accounts that the signed-in account follows and that follow it.
  public internal(set) var knownFollowers: [AccountView] = []
  /// Lists of the signed-in account that it is on; with a backlink index also lists that both are on.
  public internal(set) var lists: [ListSummary] = []
  /// Its latest posts; nil if they were not read.
  public internal(set) var posts: [PostSummary]?

  init(view: AccountView) { self.view = view }

  /// The address of its page in the app of Bluesky.
  public var page: String { "https://bsky.app/profile/\(view.name)" }

  /// Fields: did, handle, displayName, description, pronouns, website, page, avatar, banner, created, status (in the words of
  /// `AccountStatus`), followers, follows, posts, verified, labels (value and source), relationship (in the words of
  /// `ViewerRelationship.Word`), muted, followingSince, followedSince, knownFollowers (how many, if the AppView says it),
  /// knownFollowerNames (some of them), lists (uri and name), latest (at, uri and text of the latest posts). Null if unknown or
  /// absent.
  public static let fieldNames = [
    "did", "handle", "displayName", "description", "pronouns", "website", "page", "avatar", "banner",
    "created",
    "status", "followers", "follows", "posts", "verified", "labels", "relationship", "muted",
    "followingSince",
    "followedSince", "knownFollowers", "knownFollowerNames", "lists", "latest",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(view.description)
    fields.text(pronouns)
    fields.text(website)
    fields.text(page)
    fields.text(avatar)
    fields.text(banner)
    fields.text(view.createdAt?.description)
    fields.text(view.status?.rawValue)
    fields.number(view.counts?.followers)
    fields.number(view.counts?.follows)
    fields.number(view.counts?.posts)
    fields.flag(view.marks?.isVerified)
    fields.value(view.marks.map { .labels($0.labels) } ?? .null)
    fields.text(view.relationship?.word.rawValue)
    fields.flag(view.relationship?.muted)
    fields.text(followingSince?.description)
    fields.text(followedSince?.description)
    fields.number(view.relationship?.knownFollowers)
    fields.value(.array(knownFollowers.map { .string($0.name) }))
    fields.value(
      .array(
        lists.map { list in
          .object([
            OutputField("uri", .string(list.uri.description)), OutputField("name", .string(list.name)),
          ])
        }))
    fields.value(
      posts.map { posts in
        .array(
          posts.map { post in
            .object([
              OutputField("at", .string(post.writtenAt.description)),
              OutputField("uri", .string(post.uri.description)), OutputField("text", .string(post.text)),
            ])
          })
      } ?? .null)
  }
}
