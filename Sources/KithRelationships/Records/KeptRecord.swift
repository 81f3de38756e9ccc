// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore

/// A record of an account's own repository, in little memory.
package struct KeptRecord: Sendable, Hashable {
  private enum Content: Sendable, Hashable {
    /// The value has exactly the fields `$type`, `subject` and `createdAt`.
    case plain(createdAt: String)
    case value(DataValue)
    /// The value is not valid in the data model.
    case unreadable
  }

  /// The record key.
  package let rkey: RecordKey
  /// The subject as written; nil if it has none.
  package let subject: String?
  private let content: Content

  /// Creates a record from its value; nil if that is not valid in the data model.
  package init(_ rkey: RecordKey, _ value: DataValue?, in collection: NSID) {
    self.rkey = rkey
    subject = value?["subject"]?.string
    if let value, let subject, let createdAt = value["createdAt"]?.string,
      value == Self.plain(collection, subject, createdAt)
    {
      content = .plain(createdAt: createdAt)
    } else {
      content = value.map { .value($0) } ?? .unreadable
    }
  }

  /// Restores a record that was kept in the form of ``stored``.
  package init(_ rkey: RecordKey, subject: String?, stored: Stored) {
    self.rkey = rkey
    self.subject = subject
    switch stored {
    case .date(let createdAt): content = .plain(createdAt: createdAt)
    case .value(let value): content = .value(value)
    case .nothing: content = .unreadable
    }
  }

  /// What has to be stored beside key and subject.
  package enum Stored: Sendable, Hashable {
    /// The creation date of a record that has no other fields.
    case date(String)
    /// The whole value.
    case value(DataValue)
    /// Nothing: the value is not valid in the data model.
    case nothing
  }

  /// The part of the content that key, subject and collection do not determine.
  package var stored: Stored {
    switch content {
    case .plain(let createdAt): .date(createdAt)
    case .value(let value): .value(value)
    case .unreadable: .nothing
    }
  }

  /// The value, unchanged; nil if it is not valid in the data model.
  package func value(in collection: NSID) -> DataValue? {
    switch content {
    case .plain(let createdAt): subject.map { Self.plain(collection, $0, createdAt) }
    case .value(let value): value
    case .unreadable: nil
    }
  }

  private static func plain(_ collection: NSID, _ subject: String, _ createdAt: String) -> DataValue {
    [
      "$type": .string(collection.description), "subject": .string(subject), "createdAt": .string(createdAt),
    ]
  }

  /// The record as a row of a listing.
  func row<Record: LexiconRecord>(of repository: DID, as type: Record.Type = Record.self) -> RecordRow<Record>
  {
    let value = value(in: Record.nsid)
    let reason: String
    if let value {
      do { return .record(rkey, try value.decode(Record.self)) } catch { reason = "\(DecodingFault(error))" }
    } else {
      reason = "not valid in the data model"
    }
    let uri = ATURI(authority: .did(repository), collection: Record.nsid, recordKey: rkey)
    return .malformed(MalformedRecord(uri: uri.description, rkey: rkey, value: value, reason: reason))
  }
}

extension KeptRecord {
  private struct Subject<Identifier: Decodable>: Decodable {
    let subject: Identifier
  }

  /// The record as one that cannot be read, because it has no subject of its kind.
  func malformed(in kind: EdgeKind, of repository: DID) -> MalformedRecord {
    let value = value(in: kind.collection)
    var reason = "not valid in the data model"
    do {
      switch kind.target {
      case .account, .member: _ = try value?.decode(Subject<DID>.self)
      case .list: _ = try value?.decode(Subject<ATURI>.self)
      case .post: _ = try value?.decode(Subject<RecordVersion>.self)
      }
    } catch {
      reason = "\(DecodingFault(error))"
    }
    let uri = ATURI(authority: .did(repository), collection: kind.collection, recordKey: rkey)
    return MalformedRecord(uri: uri.description, rkey: rkey, value: value, reason: reason)
  }
}

/// The records of one collection of an account's own repository, complete but for those that were not asked for.
package struct OwnCollection: Sendable {
  /// The records, each key once.
  package var records: [KeptRecord] = []
  /// How many other records the collection has.
  package var others = 0
  /// Rows that are not records of the collection.
  package var unreadable = MalformedRecords()
  /// What stands before a key in a cursor, if it was read from a server that lists the oldest key first, in more than
  /// one page.
  var prefixOfAscendingCursors: String?

  /// Creates an empty collection.
  package init() {}
}

/// Which records of a collection to return; how they are found is up to the ``OwnRecordStore``.
package enum OwnRecordFilter: Sendable, Hashable {
  /// All of them.
  case all
  /// Those with one of these subjects or keys, and those without a subject.
  case some(subjects: Set<String> = [], keys: Set<RecordKey> = [])

  /// Whether a record is to be returned.
  package func passes(_ record: KeptRecord) -> Bool {
    switch self {
    case .all: true
    case .some(let subjects, let keys):
      record.subject.map(subjects.contains) ?? true || keys.contains(record.rkey)
    }
  }
}
