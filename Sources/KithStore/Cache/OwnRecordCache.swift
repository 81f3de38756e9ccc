// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
package import KithRelationships

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// The own records of accounts, in a file that may be deleted at any time.
///
/// About 150 bytes per record. Opens the file on first use; if that fails, nothing is kept.
package actor OwnRecordCache: OwnRecordStore {
  /// Up to this many subjects and keys are looked up one by one; with more, the collection is read.
  private static let mostLookups = 2_000

  private let folder: String
  private var isOpened = false
  private var database: StoreDatabase?

  /// - Parameter folder: The folder of the cache.
  package init(folder: String) { self.folder = folder }

  private func opened() -> StoreDatabase? {
    if !isOpened {
      isOpened = true
      database = try? StoreDatabase.cache(in: folder)
    }
    return database
  }

  package func collections(of account: DID) async -> Set<NSID> {
    guard let database = opened() else { return [] }
    let kept = try? await database.read { database in
      try String.fetchAll(database, sql: OwnRecordStatements.collections, arguments: [Data(account.packed)])
    }
    return Set((kept ?? []).compactMap { NSID($0) })
  }

  package func collection(
    _ collection: NSID, of account: DID, at commit: RepositoryCommit, where filter: OwnRecordFilter
  ) async -> OwnCollection? {
    guard let database = opened() else { return nil }
    // What cannot be read is read from the server again.
    return try? await database.read { database -> OwnCollection? in
      let row = try Row.fetchOne(
        database, sql: OwnRecordStatements.collection,
        arguments: [Data(account.packed), commit.cid.description, commit.revision, collection.description])
      guard let row else { return nil }
      let id: Int64 = row[0]
      var found = OwnCollection()
      found.records = try Self.records(in: collection, id, where: filter, database)
      found.others = row[1] - found.records.count
      return found
    } ?? nil
  }

  private static func records(
    in collection: NSID, _ id: Int64, where filter: OwnRecordFilter, _ database: Database
  ) throws -> [KeptRecord] {
    guard case .some(let subjects, let keys) = filter, subjects.count + keys.count <= mostLookups else {
      let rows = try Row.fetchCursor(database, sql: OwnRecordStatements.all, arguments: [id])
      var records: [KeptRecord] = []
      while let row = try rows.next() {
        let record = try record(row)
        if filter.passes(record) { records.append(record) }
      }
      return records
    }
    var records: [RecordKey: KeptRecord] = [:]
    func execute(_ statement: String, _ arguments: StatementArguments) throws {
      let rows = try Row.fetchCursor(try database.cachedStatement(sql: statement), arguments: arguments)
      while let row = try rows.next() {
        let record = try record(row)
        records[record.rkey] = record
      }
    }
    try execute(OwnRecordStatements.withoutSubject, [id])
    for subject in subjects { try execute(OwnRecordStatements.about, [id, subject]) }
    for key in keys { try execute(OwnRecordStatements.named, [id, key.description]) }
    return Array(records.values)
  }

  /// - Throws: If the row is not one that was written here.
  private static func record(_ row: Row) throws -> KeptRecord {
    guard let rkey = RecordKey(row[0] as String) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let stored: KeptRecord.Stored
    if let date: String = row[2] {
      stored = .date(date)
    } else if let value: Data = row[3] {
      stored = .value(try JSONCoding.decode(DataValue.self, from: Array(value)))
    } else {
      stored = .nothing
    }
    return KeptRecord(rkey, subject: row[1], stored: stored)
  }

  package func keep(
    _ collections: [NSID: [KeptRecord]], of account: DID, at commit: RepositoryCommit
  ) async -> Bool {
    guard let database = opened() else { return false }
    do {
      try await database.write { database in
        let owner = Data(account.packed)
        // Records of another commit are of no use any longer.
        try Self.forget(
          OwnRecordStatements.others, [owner, commit.cid.description, commit.revision], database)
        for (collection, records) in collections {
          try Self.forget(OwnRecordStatements.former, [owner, collection.description], database)
          try database.execute(
            sql: OwnRecordStatements.begin,
            arguments: [
              owner, collection.description, commit.cid.description, commit.revision, records.count,
            ])
          let id = database.lastInsertedRowID
          for record in records { try Self.insert(record, id, database) }
        }
      }
      return true
    } catch {
      return false
    }
  }

  package func forget(_ account: DID) async -> Bool {
    guard let database = opened() else { return false }
    do {
      try await database.write {
        try Self.forget(OwnRecordStatements.ofOwner, [Data(account.packed)], $0)
      }
      return true
    } catch {
      return false
    }
  }

  private static func forget(
    _ collections: String, _ arguments: StatementArguments, _ database: Database
  ) throws {
    for id in try Int64.fetchAll(database, sql: collections, arguments: arguments) {
      try database.execute(sql: OwnRecordStatements.forgetRecords, arguments: [id])
      try database.execute(sql: OwnRecordStatements.forget, arguments: [id])
    }
  }

  package func apply(
    _ changes: [OwnRecordChange], to account: DID, from former: RepositoryCommit, to commit: RepositoryCommit
  ) async {
    // If this fails, the file stays at the former commit, and the records are read again.
    try? await opened()?.write { database in
      let owner = Data(account.packed)
      for change in changes {
        let id = try Int64.fetchOne(
          try database.cachedStatement(sql: OwnRecordStatements.collection),
          arguments: [owner, former.cid.description, former.revision, change.collection.description])
        guard let id else { continue }
        try database.cachedStatement(sql: OwnRecordStatements.remove)
          .execute(arguments: [id, change.rkey.description])
        let removed = database.changesCount
        if let record = change.record { try Self.insert(record, id, database) }
        try database.cachedStatement(sql: OwnRecordStatements.count)
          .execute(arguments: [(change.record == nil ? 0 : 1) - removed, id])
      }
      try database.execute(
        sql: OwnRecordStatements.carryOn,
        arguments: [
          commit.cid.description, commit.revision, owner, former.cid.description, former.revision,
        ])
    }
  }

  private static func insert(_ record: KeptRecord, _ id: Int64, _ database: Database) throws {
    var (date, value): (String?, Data?)
    switch record.stored {
    case .date(let text): date = text
    case .value(let content): value = Data(try JSONCoding.encode(content))
    case .nothing: break
    }
    try database.cachedStatement(sql: OwnRecordStatements.insert)
      .execute(arguments: [id, record.rkey.description, record.subject, date, value])
  }
}
