// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
public import ATProtoLexicons

/// All records of one collection of edges by their subject, several of one subject included (Q16).
///
/// A malformed record counts as one of its subject where that much can be read of it: the AppView may show it,
/// and it goes when the edge goes.
public struct OwnEdges<Record: EdgeRecord>: Sendable {
  private enum Content: Sendable {
    case sound(Record)
    /// One that does not fit its lexicon, or was not read by it.
    case raw(DataValue)
  }

  private typealias Entry = (rkey: RecordKey, content: Content)

  private var entries: [Record.Subject: [Entry]] = [:]
  /// Records of which not even the subject can be read.
  public private(set) var unreadable = MalformedRecords()
  /// Records that point to a subject.
  public private(set) var count = 0
  /// Records that were read and not kept, for nobody asked about their subject.
  public private(set) var passedOver = 0

  /// No edges.
  public init() {}

  /// Lists a collection: a call for every 100 records, and at most servers one more.
  ///
  /// - Parameters:
  ///   - subjects: whom to keep in memory; nil for all.
  ///   - read: called for each record that was read.
  /// - Throws: as ``RecordReader/records(_:)``.
  public init(
    of repository: DID, client: XRPCClient, about subjects: Set<Record.Subject>? = nil,
    reading read: () -> Void = {}
  ) async throws {
    for try await row in RecordReader(of: repository, client: client).records(Record.self) {
      insert(row, ifAbout: subjects)
      read()
    }
  }

  /// The subjects that records point to.
  public var subjects: some Collection<Record.Subject> & Sendable { Array(entries.keys) }

  /// The records that point to a subject, by their keys.
  public subscript(subject: Record.Subject) -> [OwnRecord] {
    (entries[subject] ?? []).map { entry in
      let value: DataValue? =
        switch entry.content {
        case .sound(let record): try? DataValue(encoding: record)
        case .raw(let value): value
        }
      return OwnRecord(rkey: entry.rkey, value: value)
    }
  }

  /// The subjects that several records point to (Q16).
  var duplicated: [Record.Subject] { entries.filter { $0.value.count > 1 }.map(\.key) }

  /// The subject that a record points to; looks at all of them.
  public func subject(of rkey: RecordKey) -> Record.Subject? {
    entries.first { $0.value.contains { $0.rkey == rkey } }?.key
  }

  /// Takes a row of a listing; one of nobody among the subjects is passed over.
  public mutating func insert(_ row: RecordRow<Record>, ifAbout subjects: Set<Record.Subject>? = nil) {
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
    var known = entries[subject] ?? []
    // A key names one record, whatever a server says twice.
    guard !known.contains(where: { $0.rkey == entry.rkey }) else { return }
    known.append(entry)
    known.sort { $0.rkey.description < $1.rkey.description }
    entries[subject] = known
    count += 1
  }

  /// Takes a record that was just written.
  package mutating func insert(_ rkey: RecordKey, _ value: DataValue, about subject: Record.Subject) {
    insert((rkey, .raw(value)), about: subject, among: nil)
  }

  /// Takes a record out.
  public mutating func remove(_ rkey: RecordKey, about subject: Record.Subject) {
    guard var known = entries[subject], let index = known.firstIndex(where: { $0.rkey == rkey }) else {
      return
    }
    known.remove(at: index)
    entries[subject] = known.isEmpty ? nil : known
    count -= 1
  }
}

/// A record that points from its repository's account to an account or a list.
public protocol EdgeRecord: LexiconRecord {
  /// What names the other end: a DID, or the AT-URI of a list.
  associatedtype Subject: SyntaxIdentifier
  /// The other end.
  var subject: Subject { get }
  /// When it was made, by the word of whoever made it.
  var createdAt: Datetime { get }
}

extension App.Bsky.Graph.Follow: EdgeRecord {}
extension App.Bsky.Graph.Block: EdgeRecord {}
extension App.Bsky.Graph.Listblock: EdgeRecord {}
extension App.Bsky.Graph.Listitem: EdgeRecord {}

/// A record of the own repository that points to a subject.
public struct OwnRecord: Sendable, Hashable {
  /// Its name within its collection.
  public var rkey: RecordKey
  /// What it says, to be made again where its removal is undone; nil where that is not known.
  public var value: DataValue?

  /// Names a record.
  public init(rkey: RecordKey, value: DataValue?) {
    self.rkey = rkey
    self.value = value
  }
}
