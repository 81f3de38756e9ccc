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
  /// When an own follow, block or mute ends, and how much a mute hides, if Kith made it so.
  public var standing: TimedEdge?

  /// The graph of a follow; nil for everything else.
  public var graph: FollowGraph?
  /// A request: its kind is in `purpose`, and its end in `until`.
  var request: FriendRequest?
  /// A policy: who may ask is in `name`, whether followers are approved in `purpose`, and how many seconds requests stay
  /// open in `scope`.
  var policy: FriendPolicy?
  /// The content of a record that Kith has no rules for; as JSON in `description`.
  var content: DataObject?
  /// A text of the profile, or a setting: its name and value are in `name` and `description`.
  var setting: ExportedSetting?

  /// The kind of a follower.
  public static let follower = "follower"
  /// The kinds of rows that imports skip: others do not do what they are told, and settings belong to an app.
  public static let notImported = [follower] + ExportedSetting.Kind.allCases.map(\.rawValue)

  /// The kinds of all rows, as they are written.
  public static let kinds =
    [follower] + PortableRelationship.Kind.allCases.map(\.rawValue)
    + ExportedSetting.Kind.allCases.map(\.rawValue)

  /// Fields: kind (one of ``kinds``, or the collection of a record), did, handle,
  /// displayName, list (AT-URI), name, purpose and description (of a list, verbatim; name and value of a setting; the JSON of a record), since, record (AT-URI),
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
    if let word = policy?.whoMayAsk.word ?? setting?.name {
      fields.text(word)
    } else {
      fields.verbatim(draft?.name)
    }
    fields.text(draft?.purpose.word ?? request?.kind.rawValue ?? policy.map(\.approval))
    fields.verbatim(draft?.description ?? setting?.value ?? content.flatMap(\.json))
    fields.text((since ?? account?.since)?.description)
    fields.text((record ?? account?.record)?.description)
    fields.text((standing?.until ?? request?.expiresAt)?.description)
    fields.text(standing?.scope?.rawValue ?? policy?.lifetimeText ?? setting?.scope)
    fields.text(graph?.name)
  }

  /// The kind as text.
  public var kindText: String { kind?.rawValue ?? setting?.kind?.rawValue ?? Self.follower }
}

extension DataObject {
  /// The object as JSON; nil for one that has none.
  fileprivate var json: String? {
    (try? JSONCoding.encode(DataValue.object(self))).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A setting in an export.
public struct ExportedSetting: Sendable, Hashable {
  /// What it belongs to.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Who may answer and quote the account's posts.
    case post = "post-setting"
    /// The app that exports.
    case app = "setting"
  }

  /// Nil for a text of the profile, which can be imported.
  let kind: Kind?
  public let name: String
  public let value: String
  /// The account that it is for, if it is not for all.
  public let scope: String?

  init(_ kind: Kind?, _ name: String, _ value: String, scope: String? = nil) {
    (self.kind, self.name, self.value, self.scope) = (kind, name, value, scope)
  }

  /// Creates a setting of the app that exports.
  public init(ofApp name: String, _ value: String, for account: String?) {
    self.init(.app, name, value, scope: account)
  }
}

extension FriendPolicy {
  static let approvesFollowers = "approval"

  fileprivate var approval: String { requiresApproval ? Self.approvesFollowers : "no-approval" }

  fileprivate var lifetimeText: String? { requestLifetime.map { "\($0.components.seconds)" } }
}
