// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships

/// An account of a listing.
public struct AccountViewRow: OperationRow {
  public let view: AccountView

  /// When the relationship ends, and how much a mute hides, if Kith made it; nil unless it is one of the own
  /// account that Kith made with an end or for a part.
  public let standing: TimedEdge?

  /// The graph in which it follows or is followed; nil if it is listed for something else.
  public let graph: FollowGraph?

  /// Whether the relationship of the signed-in account is shown. Answers may bring it unasked.
  public let asksRelationship: Bool

  public init(
    view: AccountView, standing: TimedEdge? = nil, graph: FollowGraph? = nil,
    asksRelationship: Bool = false
  ) {
    self.view = view
    self.asksRelationship = asksRelationship
    self.graph = graph
    self.standing = standing
  }

  /// Fields: did, handle, displayName, since (when the relationship was created), record (its AT-URI), followers,
  /// follows, posts (counts of the profile), createdAt (of the account), status, sinceSource (`record` or `key`:
  /// whose date since is), until (when the own follow, block or mute ends), scope (of a mute: `everything`, `reposts`,
  /// `quotes`); these two if Kith made the relationship so; graph (of the
  /// follow: `bluesky`, `tangled` and others, or an NSID), friend, requested, requestedBy, relationship (of the signed-in
  /// account with it, in the words of `ViewerRelationship.Word`), muted. Null if not requested or unknown.
  public static let fieldNames = [
    "did", "handle", "displayName", "since", "record", "followers", "follows", "posts", "createdAt", "status",
    "sinceSource", "until", "scope", "graph", "friend", "requested", "requestedBy",
    "relationship", "muted",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(view.since?.description)
    fields.text(view.record?.description)
    fields.number(view.counts?.followers)
    fields.number(view.counts?.follows)
    fields.number(view.counts?.posts)
    fields.text(view.createdAt?.description)
    fields.text(view.status?.rawValue)
    fields.text(view.sinceSource?.rawValue)
    fields.text(standing?.until?.description)
    fields.text(standing?.scope?.rawValue)
    fields.text(graph?.name)
    fields.flag(view.friendship?.isFriend)
    fields.flag(view.friendship?.isRequested)
    fields.flag(view.friendship?.isRequestedBy)
    fields.text(asksRelationship ? view.relationship?.word.rawValue : nil)
    fields.flag(asksRelationship ? view.relationship?.muted : nil)
  }
}
