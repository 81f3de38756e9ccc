// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithLexicons

/// All edge records of one kind by subject, including several records for one subject (Q16).
///
/// A malformed record counts if at least its subject is readable: the AppView may show it, and it is
/// deleted with the edge.
package struct OwnEdges: Sendable {
  /// The kind of the records.
  package let kind: EdgeKind

  /// In the order of their arrival: a subject may have thousands of records, which are sorted when they are
  /// read.
  private var entries: [String: [KeptRecord]] = [:]
  /// A key identifies one record, even if a server returns it twice.
  private var keys: Set<RecordKey> = []
  /// Records without a readable subject.
  package private(set) var unreadable = MalformedRecords()
  /// Number of records with a readable subject that were kept.
  package private(set) var count = 0
  /// Number of records read but not kept, because their subject was not requested, or is not an account, in another
  /// app's graph.
  package private(set) var passedOver = 0

  /// Creates an empty collection.
  package init(_ kind: EdgeKind) { self.kind = kind }

  /// Reads a collection: one call per 100 records, and one more on most servers.
  ///
  /// For what looks at the records: values are without what cannot be read, and not to be written again.
  /// - Parameters:
  ///   - subjects: the subjects to keep in memory; nil for all.
  ///   - read: called for each record that was read.
  /// - Throws: like ``RecordReader/records(_:)``.
  package init(
    _ kind: EdgeKind, of repository: DID, client: XRPCClient, about subjects: Set<String>? = nil,
    reading read: () -> Void = {}
  ) async throws {
    self.init(kind)
    let rows = RecordReader(of: repository, client: client).rows(
      in: kind.collection, reading: ReadableValue.self, mostPages: PaginationGuard.mostPagesOfEdges
    ) { ListedRow($0, of: repository, in: kind.collection) }
    for try await row in rows {
      if let rkey = row.rkey {
        insert(KeptRecord(rkey, row.value, in: kind.collection), of: repository, ifAbout: subjects)
      } else {
        unreadable.append(row.malformed(in: kind.collection, of: repository))
      }
      read()
    }
  }

  /// Creates the edges of a whole collection.
  ///
  /// - Parameter subjects: the subjects to keep in memory; nil for all.
  package init(
    _ kind: EdgeKind, _ collection: OwnCollection, of repository: DID, about subjects: Set<String>? = nil
  ) {
    self.init(kind)
    unreadable = collection.unreadable
    passedOver = collection.others
    for record in collection.records { insert(record, of: repository, ifAbout: subjects) }
  }

  /// The accounts with records; empty for a kind that is about lists.
  package var accounts: [DID] { entries.keys.compactMap { DID($0) } }

  /// The lists with records; empty for a kind that is about accounts.
  package var lists: [ATURI] { entries.keys.compactMap { ATURI($0) } }

  /// The records for a subject, sorted by key.
  package subscript(subject: some SyntaxIdentifier) -> [OwnRecord] { records(about: subject.description) }

  private func records(about subject: String) -> [OwnRecord] {
    (entries[subject] ?? []).sorted { $0.rkey.description < $1.rkey.description }
      .map { OwnRecord(rkey: $0.rkey, value: $0.value(in: kind.collection)) }
  }

  /// All records, sorted by key.
  var all: [OwnRecord] {
    entries.keys.flatMap(records).sorted { $0.rkey.description < $1.rkey.description }
  }

  /// The number of records for each subject that has several (Q16).
  var duplicated: [String: Int] { entries.mapValues(\.count).filter { $0.value > 1 } }

  /// The list that a record is about; linear search.
  package func list(of rkey: RecordKey) -> ATURI? {
    entries.first { $0.value.contains { $0.rkey == rkey } }.flatMap { ATURI($0.key) }
  }

  /// Adds a record, unless its subject is not wanted.
  mutating func insert(_ record: KeptRecord, of repository: DID, ifAbout subjects: Set<String>? = nil) {
    guard let subject = record.subject, kind.target.isMet(by: subject) else {
      if kind.isOfOtherApp, record.subject != nil {
        passedOver += 1
        return
      }
      unreadable.append(record.malformed(in: kind, of: repository))
      return
    }
    if let subjects, !subjects.contains(subject) {
      passedOver += 1
      return
    }
    guard keys.insert(record.rkey).inserted else { return }
    entries[subject, default: []].append(record)
    count += 1
  }
}

extension EdgeKind.Target {
  /// Whether a subject is of this kind.
  fileprivate func isMet(by subject: String) -> Bool {
    switch self {
    case .account, .member: DID(subject) != nil
    case .list, .post: ATURI(subject) != nil
    }
  }
}

/// A record that points from its repository's account to an account or a list.
package protocol EdgeRecord: LexiconRecord {
  /// The identifier of the other end: a DID, or the AT-URI of a list.
  associatedtype Subject: SyntaxIdentifier
  /// The other end.
  var subject: Subject { get }
  /// The creation date claimed by the author.
  var createdAt: Datetime { get }
}

extension App.Bsky.Graph.Follow: EdgeRecord {}
extension App.Bsky.Graph.Block: EdgeRecord {}
extension App.Bsky.Graph.Listblock: EdgeRecord {}
extension App.Bsky.Graph.Listitem: EdgeRecord {}

/// A record of the account's own repository that points to a subject.
package struct OwnRecord: Sendable, Hashable {
  /// The record key.
  package var rkey: RecordKey
  /// The record's value, for restoring it after a removal; nil if unknown.
  package var value: DataValue?

  /// Creates a record.
  package init(rkey: RecordKey, value: DataValue?) {
    self.rkey = rkey
    self.value = value
  }
}
