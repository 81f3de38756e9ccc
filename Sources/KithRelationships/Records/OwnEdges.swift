// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
public import KithLexicons

/// All edge records of one collection by subject, including several records for one subject (Q16).
///
/// A malformed record counts if at least its subject is readable: the AppView may show it, and it is
/// deleted with the edge.
package struct OwnEdges<Record: EdgeRecord>: Sendable {
  private enum Content: Sendable {
    case sound(Record)
    /// A record that does not match its lexicon, or was not decoded with it.
    case raw(DataValue)
  }

  private typealias Entry = (rkey: RecordKey, content: Content)

  /// In the order of their arrival: a subject may have thousands of records, which are sorted when they are
  /// read.
  private var entries: [Record.Subject: [Entry]] = [:]
  /// A key identifies one record, even if a server returns it twice.
  private var keys: Set<RecordKey> = []
  /// Records without a readable subject.
  package private(set) var unreadable = MalformedRecords()
  /// Number of records with a readable subject that were kept.
  package private(set) var count = 0
  /// Number of records read but not kept, because their subject was not requested.
  package private(set) var passedOver = 0

  /// Creates an empty collection.
  package init() {}

  /// Reads a collection: one call per 100 records, and one more on most servers.
  ///
  /// - Parameters:
  ///   - subjects: the subjects to keep in memory; nil for all.
  ///   - read: called for each record that was read.
  /// - Throws: like ``RecordReader/records(_:)``.
  package init(
    of repository: DID, client: XRPCClient, about subjects: Set<Record.Subject>? = nil,
    reading read: () -> Void = {}
  ) async throws {
    for try await row in RecordReader(of: repository, client: client).records(Record.self) {
      insert(row, ifAbout: subjects)
      read()
    }
  }

  /// Creates the edges of a whole collection.
  ///
  /// - Parameter subjects: the subjects to keep in memory; nil for all.
  package init(_ collection: OwnCollection, of repository: DID, about subjects: Set<Record.Subject>? = nil) {
    unreadable = collection.unreadable
    passedOver = collection.others
    for record in collection.records {
      // Decoding the other records would dominate the cost.
      if let subjects, let subject = record.subject.flatMap({ Record.Subject($0) }),
        !subjects.contains(subject)
      {
        passedOver += 1
      } else {
        insert(record.row(of: repository), ifAbout: subjects)
      }
    }
  }

  /// The subjects with records.
  package var subjects: some Collection<Record.Subject> & Sendable { Array(entries.keys) }

  /// The records for a subject, sorted by key.
  package subscript(subject: Record.Subject) -> [OwnRecord] {
    (entries[subject] ?? []).sorted { $0.rkey.description < $1.rkey.description }.map { entry in
      let value: DataValue? =
        switch entry.content {
        case .sound(let record): try? DataValue(encoding: record)
        case .raw(let value): value
        }
      return OwnRecord(rkey: entry.rkey, value: value)
    }
  }

  /// Subjects with several records (Q16).
  var duplicated: [Record.Subject] { entries.filter { $0.value.count > 1 }.map(\.key) }

  /// The subject of a record; linear search.
  package func subject(of rkey: RecordKey) -> Record.Subject? {
    entries.first { $0.value.contains { $0.rkey == rkey } }?.key
  }

  /// Adds a row of a listing, unless its subject is not wanted.
  package mutating func insert(_ row: RecordRow<Record>, ifAbout subjects: Set<Record.Subject>? = nil) {
    switch row {
    case .record(let rkey, let record):
      insert((rkey, .sound(record)), about: record.subject, among: subjects)
    case .malformed(let record):
      guard let rkey = record.rkey, let value = record.value,
        let subject = value["subject"]?.string.flatMap({ Record.Subject($0) })
      else {
        unreadable.append(record)
        return
      }
      insert((rkey, .raw(value)), about: subject, among: subjects)
    }
  }

  private mutating func insert(
    _ entry: Entry, about subject: Record.Subject, among subjects: Set<Record.Subject>?
  ) {
    if let subjects, !subjects.contains(subject) {
      passedOver += 1
      return
    }
    guard keys.insert(entry.rkey).inserted else { return }
    entries[subject, default: []].append(entry)
    count += 1
  }

  /// Adds a record.
  mutating func insert(_ rkey: RecordKey, _ value: DataValue, about subject: Record.Subject) {
    insert((rkey, .raw(value)), about: subject, among: nil)
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
