// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A kind of record that points from its repository's account at a subject: a follow, a block, a member of a list, a
/// follow of another app.
///
/// Such a record has the fields `subject` and `createdAt`. Two values are the same kind if their collection is the same.
public struct EdgeKind: Sendable, Hashable {
  /// What records of a kind are about.
  public enum Target: Sendable, Hashable {
    /// `subject` is an account.
    case account
    /// `subject` is a list.
    case list
    /// `subject` is an account that is put on the list in the field `list`. The record goes along with the list.
    case member
    /// `subject` is a strong reference to a version of a post.
    case post
  }

  /// The collection of the records: `app.bsky.graph.follow`.
  public let collection: NSID
  /// What the records are about.
  public let target: Target
  /// Whether several records with the same content are one edge (Q16): where there is one, no other is made, and all of
  /// them are removed together.
  public let isUnique: Bool

  /// Creates a kind of record whose `subject` is an account.
  public init(_ collection: NSID, isUnique: Bool = true) {
    self.init(collection, about: .account, isUnique: isUnique)
  }

  private init(_ collection: NSID, about target: Target, isUnique: Bool = true) {
    self.collection = collection
    self.target = target
    self.isUnique = isUnique
  }

  /// Whether its records go along with their list: if the account deletes an own list, its own records of this kind that
  /// are about the list are deleted, too.
  public var goesWithItsList: Bool { target == .list || target == .member }

  /// Whether the records belong to another app, where a subject may be something other than an account.
  var isOfOtherApp: Bool { RecordKind(of: collection) == nil }

  /// `app.bsky.graph.follow`.
  public static let follow = EdgeKind(.follow)
  /// `app.bsky.graph.block`.
  public static let block = EdgeKind(.block)
  /// `app.bsky.graph.listblock`.
  public static let listblock = EdgeKind(.listblock, about: .list)
  /// `app.bsky.graph.listitem`.
  public static let listitem = EdgeKind(.listitem, about: .member)

  /// `app.bsky.feed.like`.
  public static let like = EdgeKind(NSID(generated: "app.bsky.feed.like"), about: .post)
  /// `app.bsky.feed.repost`.
  public static let repost = EdgeKind(NSID(generated: "app.bsky.feed.repost"), about: .post)

  /// ``FriendRequest/collection``.
  public static let friendRequest = EdgeKind(FriendRequest.collection)

  /// The kinds that Kith knows by name.
  public static let known: [EdgeKind] = [
    .follow, .block, .listblock, .listitem, .like, .repost, .friendRequest,
  ]

  public static func == (kind: EdgeKind, other: EdgeKind) -> Bool { kind.collection == other.collection }

  public func hash(into hasher: inout Hasher) { hasher.combine(collection) }

  /// The kind of the records in a collection: a known one, else one that is about accounts; nil for lists, posts and
  /// others that have no subject.
  public init?(of collection: NSID) {
    guard let known = RecordKind(of: collection) else {
      self.init(collection)
      return
    }
    guard let edge = known.edge else { return nil }
    self = edge
  }
}
