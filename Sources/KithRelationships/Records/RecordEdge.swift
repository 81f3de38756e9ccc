// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons

/// The content of an edge record without its key and date: records with the same content are the same edge
/// (Q16).
public struct RecordEdge: Sendable, Hashable {
  /// What an edge points to.
  package enum Subject: Sendable, Hashable {
    case account(DID)
    case list(ATURI)
    case member(DID, of: ATURI)
    case post(ATURI)
  }

  /// The kind of its records.
  public let kind: EdgeKind
  package let subject: Subject

  private init(_ kind: EdgeKind, _ subject: Subject) { (self.kind, self.subject) = (kind, subject) }

  /// A follow of an account, in the graph of an app.
  public static func follow(_ account: DID, in graph: FollowGraph = .bluesky) -> RecordEdge {
    RecordEdge(graph.kind, .account(account))
  }

  /// A block of an account.
  public static func block(_ account: DID) -> RecordEdge { RecordEdge(.block, .account(account)) }

  /// A block of all members of a list.
  public static func blockOfList(_ list: ATURI) -> RecordEdge { RecordEdge(.listblock, .list(list)) }

  /// An account on a list.
  public static func member(_ account: DID, of list: ATURI) -> RecordEdge {
    RecordEdge(.listitem, .member(account, of: list))
  }

  /// The same edge with another list; itself if it names none.
  package func naming(_ list: ATURI) -> RecordEdge {
    switch subject {
    case .account, .post: self
    case .list: RecordEdge(kind, .list(list))
    case .member(let account, of: _): RecordEdge(kind, .member(account, of: list))
    }
  }

  /// The collection of its records.
  public var collection: NSID { kind.collection }

  /// The account that it points to; nil for a block of a list, and for an edge to a post.
  public var account: DID? {
    switch subject {
    case .account(let account), .member(let account, of: _): account
    case .list, .post: nil
    }
  }

  /// The list that is blocked, or that the account is put on; nil for an edge to an account.
  public var list: ATURI? {
    switch subject {
    case .list(let list), .member(_, of: let list): list
    case .account, .post: nil
    }
  }

  /// The post that it points to; nil for an edge to something else.
  public var post: ATURI? { if case .post(let post) = subject { post } else { nil } }

  /// Creates an edge to an account; nil for a kind that is about something else.
  public init?(_ kind: EdgeKind, to account: DID) {
    guard kind.target == .account else { return nil }
    (self.kind, subject) = (kind, .account(account))
  }

  /// Creates an edge to a list; nil for a kind that is about something else.
  public init?(_ kind: EdgeKind, to list: ATURI) {
    guard kind.target == .list else { return nil }
    (self.kind, subject) = (kind, .list(list))
  }

  /// Creates an edge to a post; nil for a kind that is about something else.
  package init?(_ kind: EdgeKind, toPost post: ATURI) {
    guard kind.target == .post else { return nil }
    (self.kind, subject) = (kind, .post(post))
  }

  /// Parses a record's value; nil if it is not a record of an edge.
  package init?(_ value: DataValue, in collection: NSID) {
    guard value.type ?? collection.description == collection.description,
      let kind = EdgeKind(of: collection),
      let subject = (kind.target == .post ? value["subject"]?["uri"] : value["subject"])?.string
    else { return nil }
    self.init(kind, subject: subject, list: value["list"]?.string)
  }

  /// The edge of a row: a record with a key and a subject, and with a list if it is a list item. The one rule
  /// for all readers of repositories: other members, such as a malformed date, do not matter, because an AppView
  /// may show the edge, and the record is deleted with it.
  package init?<Record: EdgeRecord>(_ row: RecordRow<Record>) {
    guard let kind = EdgeKind(of: Record.nsid) else { return nil }
    switch row {
    case .record(_, let record):
      let list = (record as? App.Bsky.Graph.Listitem)?.list
      self.init(kind, subject: record.subject.description, list: list?.description)
    case .malformed(let record):
      guard record.rkey != nil, let value = record.value, let subject = value["subject"]?.string else {
        return nil
      }
      self.init(kind, subject: subject, list: value["list"]?.string)
    }
  }

  /// The edge of a record, by the same rule as that of a row.
  package init?(_ record: KeptRecord, in collection: NSID) {
    guard let subject = record.subject, let kind = EdgeKind(of: collection) else { return nil }
    let list = kind.target == .member ? record.value(in: collection)?["list"]?.string : nil
    self.init(kind, subject: subject, list: list)
  }

  private init?(_ kind: EdgeKind, subject text: String, list: String?) {
    self.kind = kind
    switch kind.target {
    case .account:
      guard let account = DID(text) else { return nil }
      subject = .account(account)
    case .list:
      guard let list = ATURI(text) else { return nil }
      subject = .list(list)
    case .member:
      guard let account = DID(text), let list = list.flatMap({ ATURI($0) }) else { return nil }
      subject = .member(account, of: list)
    case .post:
      guard let post = ATURI(text) else { return nil }
      subject = .post(post)
    }
  }
}

/// An edge with its record.
package struct RecordedEdge: Sendable, Hashable {
  /// The content of the record.
  package let edge: RecordEdge
  /// The record.
  package let record: ATURI
  /// The creation date claimed by the author: that of the record, else that of its key; nil if neither has
  /// one.
  package let since: Datetime?
  /// Where ``since`` comes from.
  package let sinceSource: AccountView.DateSource

  /// Whether it is a follow of oneself in the graph of another app, which says nothing (as in Bluesky's, Q24).
  package var saysNothing: Bool {
    edge.kind.isOfOtherApp && edge.account.map { record.authority == .did($0) } == true
  }

  /// The account that it points to, with the record; nil for a block of a list.
  package var view: AccountView? {
    edge.account.map { AccountView($0, record: record, since: since, sinceSource: sinceSource) }
  }
}

extension RecordRow where Record: EdgeRecord {
  /// The edge with its record, or the row as an unreadable record.
  func recordedEdge(in repository: DID) -> Result<RecordedEdge, MalformedRecord> {
    let claimed: Datetime?
    let unreadable: MalformedRecord
    switch self {
    case .record(let rkey, let record):
      claimed = record.createdAt
      let uri = ATURI(authority: .did(repository), collection: Record.nsid, recordKey: rkey)
      unreadable = MalformedRecord(uri: uri.description, rkey: rkey, value: nil, reason: "not an edge")
    case .malformed(let record):
      claimed = record.value?["createdAt"]?.string.flatMap { Datetime($0) }
      unreadable = record
    }
    guard let rkey, let edge = RecordEdge(self) else { return .failure(unreadable) }
    let uri = ATURI(authority: .did(repository), collection: Record.nsid, recordKey: rkey)
    return .success(
      RecordedEdge(
        edge: edge, record: uri, since: claimed ?? uri.claimedDate,
        sinceSource: claimed == nil ? .key : .record))
  }
}

extension KeptRecord {
  /// The edge with its record, or the record as an unreadable one.
  func recordedEdge(_ kind: EdgeKind, in repository: DID) -> Result<RecordedEdge, MalformedRecord> {
    guard let edge = RecordEdge(self, in: kind.collection) else {
      return .failure(malformed(in: kind, of: repository))
    }
    let uri = ATURI(authority: .did(repository), collection: kind.collection, recordKey: rkey)
    let claimed = value(in: kind.collection)?["createdAt"]?.string.flatMap { Datetime($0) }
    return .success(
      RecordedEdge(
        edge: edge, record: uri, since: claimed ?? uri.claimedDate,
        sinceSource: claimed == nil ? .key : .record))
  }
}
