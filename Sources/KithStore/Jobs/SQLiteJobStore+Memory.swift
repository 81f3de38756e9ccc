// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
package import KithWriting

extension SQLiteJobStore {
  package func remember(_ change: LastChange, by account: DID?, at now: Instant) async throws {
    try await database.write { database in
      try database.execute(
        sql: LastChangeStatements.remember,
        arguments: [
          "account": account?.description ?? "", "title": change.title, "outcome": change.outcome.rawValue,
          "job": change.job?.number, "reversal": change.reversal, "now": now.databaseValue,
        ])
    }
  }

  package func lastChange(by account: DID) async throws -> RememberedChange? {
    try await database.read { database in
      let arguments: StatementArguments = ["account": account.description]
      return try Row.fetchOne(database, sql: LastChangeStatements.last, arguments: arguments).map { row in
        // What a newer version has written counts as done, and cannot be taken back here.
        let outcome = LastChange.Outcome(rawValue: row["outcome"]) ?? .done
        let change = LastChange(
          row["title"], outcome, job: (row["job"] as Int64?).map(JobID.init(number:)),
          reversal: row["reversal"])
        return RememberedChange(
          change, at: Datetime(at: row.time("at")), by: DID(row["account"] as String),
          newestJob: JobID(number: row["newest_job"]))
      }
    }
  }

  package func keep(_ bytes: [UInt8], as file: CID, at now: Instant) async throws -> Bool {
    let files = KeptFiles(beside: database)
    return try await database.write { try files.keep(bytes, as: file, in: $0, at: now) }
  }

  package func keptFiles(among wanted: Set<CID>) async throws -> Set<CID> {
    if wanted.isEmpty { return [] }
    let files = KeptFiles(beside: database)
    return try await database.read { database in
      try wanted.filter { try files.bytes(of: $0, in: database) != nil }
    }
  }

  package func file(_ file: CID) async throws -> [UInt8]? {
    let files = KeptFiles(beside: database)
    guard let bytes = try await database.read({ try files.bytes(of: file, in: $0) }) else { return nil }
    return try files.content(of: file, bytes: bytes)
  }
}

/// Copies of files in a folder beside the journal, which lists them. Every file is written and removed within a write
/// transaction of the journal, so that two processes do not remove what the other one keeps.
struct KeptFiles: Sendable {
  /// The most bytes of all copies.
  private static let mostBytes = 256 << 20

  private let folder: SecureFolder

  init(beside database: StoreDatabase) { folder = SecureFolder(path: "\(database.folder)/files") }

  /// Stores a copy; returns false if there is no room for it.
  func keep(_ bytes: [UInt8], as file: CID, in database: Database, at now: Instant) throws -> Bool {
    try tidy(database, at: now)
    let others = try Int.fetchOne(
      database, sql: FileStatements.bytesOfOthers, arguments: ["cid": file.description])
    guard (others ?? 0) + bytes.count <= Self.mostBytes else { return false }
    do throws(SecureFolderError) { try folder.write(bytes, to: file.description) } catch {
      // A copy is not worth a failed change; what is not kept is said before it.
      if error.isDiskFull { return false }
      throw StoreError(error)
    }
    try database.execute(
      sql: FileStatements.add,
      arguments: ["cid": file.description, "bytes": bytes.count, "now": now.databaseValue])
    return true
  }

  /// The size of a copy; nil if there is none.
  func bytes(of file: CID, in database: Database) throws -> Int? {
    guard
      let bytes = try Int.fetchOne(
        database, sql: FileStatements.bytes, arguments: ["cid": file.description])
    else { return nil }
    do throws(SecureFolderError) { return try folder.check(file.description) ? bytes : nil } catch {
      throw StoreError(error)
    }
  }

  /// The content of a copy; nil if there is none.
  func content(of file: CID, bytes: Int) throws(StoreError) -> [UInt8]? {
    do throws(SecureFolderError) { return try folder.read(file.description, limit: bytes) } catch {
      throw StoreError(error)
    }
  }

  /// Removes the copies that only a job needs that is about to be removed.
  func removeFiles(onlyOf job: Int64, in database: Database) throws {
    for file in try String.fetchAll(database, sql: FileStatements.onlyOf, arguments: ["job": job]) {
      try remove(file, in: database)
    }
  }

  /// Makes the folder and the list agree, and removes copies that no job needs.
  private func tidy(_ database: Database, at now: Instant) throws {
    let listed = Set(try String.fetchAll(database, sql: FileStatements.all))
    let present: Set<String>
    do throws(SecureFolderError) { present = Set(try folder.names()) } catch { throw StoreError(error) }
    let stale = try String.fetchAll(
      database, sql: FileStatements.stale, arguments: ["now": now.databaseValue])
    for file in listed.symmetricDifference(present).union(stale) { try remove(file, in: database) }
  }

  private func remove(_ file: String, in database: Database) throws {
    // A restored journal may list anything.
    guard CID(file) != nil else {
      return try database.execute(sql: FileStatements.remove, arguments: ["cid": file])
    }
    do throws(SecureFolderError) { try folder.remove(file) } catch { throw StoreError(error) }
    try database.execute(sql: FileStatements.remove, arguments: ["cid": file])
  }
}

extension Database {
  /// Removes a job, with the copies of files that only it needs.
  func removeJob(_ job: Int64, files: KeptFiles) throws {
    try files.removeFiles(onlyOf: job, in: self)
    try execute(sql: LastChangeStatements.rememberRemoved, arguments: ["job": job])
    try execute(sql: JobStatements.delete, arguments: ["job": job])
  }
}
