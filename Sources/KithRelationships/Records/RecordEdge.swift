// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons

/// The content of an edge record without its key and date: records with the same content are the same edge
/// (Q16).
public struct RecordEdge: Sendable, Hashable {
  private enum Subject: Sendable, Hashable {
    case account(DID)
    case list(ATURI)
  }

  /// The collection of its records.
  public let collection: NSID
  private let subject: Subject
  /// The list, if the record is a list item.
  private let memberList: ATURI?

  /// The collections of edge records.
  public static let collections: Set<NSID> = [.follow, .block, .listblock, .listitem]

  /// The account that it points to; nil for a block of a list.
  public var account: DID? { if case .account(let account) = subject { account } else { nil } }
  /// The list that is blocked, or that the account is put on; nil for a follow or block of an account.
  public var list: ATURI? { if case .list(let list) = subject { list } else { memberList } }

  /// Parses a record's value; nil if the collection is not one of ``collections``, or the value is not one
  /// of its records.
  package init?(_ value: DataValue, in collection: NSID) {
    guard value.type ?? collection.description == collection.description,
      let subject = value["subject"]?.string
    else { return nil }
    self.init(subject: subject, list: value["list"]?.string, in: collection)
  }

  /// The edge of a row: a record with a key and a subject, and with a list if it is a list item. The one rule
  /// for all readers of repositories: other members, such as a malformed date, do not matter, because an AppView
  /// may show the edge, and the record is deleted with it.
  package init?<Record: EdgeRecord>(_ row: RecordRow<Record>) {
    switch row {
    case .record(_, let record):
      let list = (record as? App.Bsky.Graph.Listitem)?.list
      self.init(subject: record.subject.description, list: list?.description, in: Record.nsid)
    case .malformed(let record):
      guard record.rkey != nil, let value = record.value, let subject = value["subject"]?.string else {
        return nil
      }
      self.init(subject: subject, list: value["list"]?.string, in: Record.nsid)
    }
  }

  /// The edge of a record, by the same rule as that of a row.
  package init?(_ record: KeptRecord, in collection: NSID) {
    guard let subject = record.subject else { return nil }
    let list = collection == .listitem ? record.value(in: collection)?["list"]?.string : nil
    self.init(subject: subject, list: list, in: collection)
  }

  private init?(subject: String, list: String?, in collection: NSID) {
    self.collection = collection
    switch collection {
    case .follow, .block:
      guard let account = DID(subject) else { return nil }
      (self.subject, memberList) = (.account(account), nil)
    case .listblock:
      guard let blocked = ATURI(subject) else { return nil }
      (self.subject, memberList) = (.list(blocked), nil)
    case .listitem:
      guard let account = DID(subject), let list = list.flatMap({ ATURI($0) }) else { return nil }
      (self.subject, memberList) = (.account(account), list)
    default: return nil
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
