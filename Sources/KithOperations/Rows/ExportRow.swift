// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
public import KithWriting

/// One relationship, as exports write it and imports read it.
public struct ExportRow: OperationRow {
  /// The kind; nil for a follower, which cannot be imported.
  public let kind: PortableRelationship.Kind?
  public var account: AccountView?
  /// The list. Members, blocks and mutes refer to it by its AT-URI alone.
  public var list: ATURI?
  public var draft: ListDraft?
  public var record: ATURI?
  public var since: Datetime?
  /// When an own follow, block or mute ends, and how much a mute hides, as far as Kith made it so.
  public var standing: StandingEdge?

  /// The graph of a follow; nil for everything else.
  public var graph: FollowGraph?
  /// A request: its kind is in `purpose`, and its end in `until`.
  var request: FriendRequest?
  /// A policy: who may ask is in `name`, whether followers are approved in `purpose`, and how many seconds requests stay
  /// open in `scope`.
  var policy: FriendPolicy?

  /// The kind of a follower.
  public static let follower = "follower"

  /// Fields: kind (see `PortableRelationship.Kind`, or ``follower``), did, handle, displayName, list (AT-URI),
  /// name, purpose and description (of a list, verbatim), since, record (AT-URI),
  /// until (when it ends), scope (of a mute: `everything`, `reposts`, `quotes`; null for everything, too), graph (of a
  /// follow: `bluesky`, `tangled` and others, or an NSID).
  public static let fieldNames = [
    "kind", "did", "handle", "displayName", "list", "name", "purpose", "description", "since", "record",
    "until", "scope", "graph",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(kindText)
    fields.text(account?.account)
    fields.text(account?.handle?.description)
    fields.text(account?.displayName)
    fields.text(list?.description)
    if let policy { fields.text(policy.whoMayAsk.word) } else { fields.verbatim(draft?.name) }
    fields.text(draft?.purpose.word ?? request?.kind.rawValue ?? policy.map(\.approval))
    fields.verbatim(draft?.description)
    fields.text((since ?? account?.since)?.description)
    fields.text((record ?? account?.record)?.description)
    fields.text((standing?.until ?? request?.expiresAt)?.description)
    fields.text(standing?.scope?.rawValue ?? policy?.lifetimeText)
    fields.text(graph?.name)
  }

  /// The kind as text.
  public var kindText: String { kind?.rawValue ?? Self.follower }
}

extension FriendPolicy {
  static let approvesFollowers = "approval"

  fileprivate var approval: String { requiresApproval ? Self.approvesFollowers : "no-approval" }

  fileprivate var lifetimeText: String? { requestLifetime.map { "\($0.components.seconds)" } }
}
