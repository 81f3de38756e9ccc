// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithCore
internal import KithHistory
internal import KithRelationships

/// The files of a user, separated by content so that taking a snapshot never delays a change.
package enum StoreFile: String, Sendable, CaseIterable {
  /// Jobs and the write budget. A completed transaction survives a power loss.
  case journal = "kith.sqlite"
  /// Snapshots. A power loss may lose the last of them.
  case history = "history.sqlite"
  /// Data that can be fetched again, in its own folder.
  case cache = "cache.sqlite"

  /// The files that SQLite opens beside the main file; a journal is read before the main file.
  fileprivate var sideFiles: [String] { ["-journal", "-wal", "-shm"].map { rawValue + $0 } }

  /// Returns the path of the file in a folder.
  package func path(in folder: String) -> String { "\(folder)/\(rawValue)" }

  /// Whether a folder contains the file; creates neither.
  ///
  /// - Throws: ``StoreError``; ``StoreError/Code/unsafe`` if other users have access to either.
  package func exists(in folder: String) throws(StoreError) -> Bool {
    do throws(SecureFolderError) { return try SecureFolder(path: folder).check(rawValue) } catch {
      throw StoreError(error)
    }
  }
}

extension StoreFile {
  /// The settings of a connection.
  fileprivate var connecting: String {
    switch self {
    // A completed transaction is on disk: after a crash, only the journal knows what was sent.
    case .journal: "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"
    case .cache: "PRAGMA synchronous = NORMAL"
    // Lookups of 100,000 accounts fit into 32 MiB; staged data need not survive a crash.
    case .history:
      """
      PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768;
      PRAGMA temp.journal_mode = MEMORY;
      \(HistorySchema.staging)
      """
    }
  }

  /// All versions of the file's tables.
  var migrator: DatabaseMigrator {
    switch self {
    case .journal: StoreSchema.migrator
    case .history: HistorySchema.migrator
    case .cache: CacheSchema.migrator
    }
  }
}

/// A file that all stores of one kind share.
///
/// Its contents are executed with the user's session. So the folder, its files and its locks must belong to
/// the user alone: modes 0700 and 0600, no symbolic links, and no other user can replace a folder above. Any
/// number of processes may have it open.
package final class StoreDatabase: Sendable {
  /// The folder of the file and the locks.
  package let folder: String
  /// The kind of file.
  package let file: StoreFile
  /// The lock files of processes that run a job, plan changes or take a snapshot.
  let locks: SecureFolder
  let queue: DatabaseQueue

  /// The path of the file.
  package var path: String { file.path(in: folder) }

  /// Opens the file in a folder; creates both if they are absent.
  ///
  /// - Parameters:
  ///   - folder: An absolute path without a trailing slash.
  ///   - busyTimeout: How long to wait for another process that writes.
  /// - Throws: ``StoreError``; ``StoreError/Code/unsafe`` if other users have access to the folder or a file.
  package init(
    folder: String, _ file: StoreFile = .journal, busyTimeout: Duration = .seconds(10)
  ) throws(StoreError) {
    self.folder = folder
    self.file = file
    locks = SecureFolder(path: "\(folder)/locks")
    let path = file.path(in: folder)
    let opening: SecureFolder.Lock?
    do throws(SecureFolderError) {
      let files = SecureFolder(path: folder)
      try files.create()
      // Otherwise two that open an absent store at once would both create its tables, and one that creates the file would
      // give up the other's locks on it when it closes the new file.
      opening = try locks.lock("opening", patience: busyTimeout)
      if opening != nil {
        // SQLite gives its other files the mode of this one. It opens all of them by path, which other users
        // cannot redirect once the folder has been found secure.
        try files.check(file.rawValue, creating: true)
        for name in file.sideFiles { try files.check(name) }
      }
    } catch {
      throw StoreError(error)
    }
    guard let opening else {
      throw StoreError(
        .locked, path: path, "another process is still opening the store; try again later")
    }
    defer { opening.release() }
    do {
      queue = try Self.connect(to: path, file, busyTimeout: busyTimeout)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  /// Opens the cache; a file that is damaged, or of a newer version, is replaced by a new one.
  static func cache(in folder: String) throws(StoreError) -> StoreDatabase {
    // A cache is not worth a long wait.
    func open() throws(StoreError) -> StoreDatabase {
      try StoreDatabase(folder: folder, .cache, busyTimeout: .seconds(1))
    }
    do throws(StoreError) { return try open() } catch {
      guard error.code == .corrupt || error.code == .newer else { throw error }
      for name in [StoreFile.cache.rawValue] + StoreFile.cache.sideFiles {
        try? SecureFolder(path: folder).remove(name)
      }
      return try open()
    }
  }

  /// Opens the file and migrates its tables.
  ///
  /// - Parameter isCopy: whether the file came from elsewhere: it may hold nothing that no version has made.
  static func connect(
    to path: String, _ file: StoreFile, busyTimeout: Duration, isCopy: Bool = false
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(seconds(busyTimeout))
    // Functions in the file's own schema are not run unless SQLite knows them to be harmless.
    configuration.prepareDatabase { try $0.execute(sql: StoreSchema.distrust) }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // Before anything is written, which would run a trigger.
    if isCopy, let stranger = try queue.read(file.strangers).first {
      throw StoreError(.corrupt, path: path, stranger)
    }
    try queue.writeWithoutTransaction { try $0.execute(sql: file.connecting) }
    let migrator = file.migrator
    if try queue.read(migrator.hasBeenSuperseded) {
      throw StoreError(
        .newer, path: path,
        "a newer version wrote this store; use that version, or another data folder")
    }
    if try !queue.read(migrator.hasCompletedMigrations) { try migrator.migrate(queue) }
    return queue
  }

  /// Returns the name of the lock file of a job.
  static func lockName(of job: Int64) -> String { "job-\(job)" }

  /// Returns the name of the lock file for planning changes of an account.
  ///
  /// A DID may be longer than a file name, so its hash is used. Two accounts with the same hash wait for each
  /// other, without other effects.
  static func planningLock(of account: DID) -> String { "planning-\(hash(account.description))" }

  /// Returns the name of the lock file for taking a snapshot of a listing.
  static func snapshotLock(of listing: HistoryListing) -> String {
    "snapshot-\(hash("\(listing.actor) \(listing.side.rawValue) \(listing.part)"))"
  }

  /// Returns the FNV-1a hash of a text in hexadecimal.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }

  /// Removes the lock file of a deleted job, whose number is never used again.
  func removeLock(of job: Int64) throws(StoreError) {
    do throws(SecureFolderError) { try locks.removeLock(Self.lockName(of: job)) } catch {
      throw StoreError(error)
    }
  }

  /// Reads and writes in one transaction, which is completed even if the task is cancelled.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await unbroken { queue in try await queue.write(body) }
  }

  /// Reads the file and writes temporary tables, which do not affect other connections.
  func stage<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await unbroken { queue in
      try await queue.writeWithoutTransaction { database in
        try database.beginTransaction(.deferred)
        do {
          let value = try body(database)
          try database.commit()
          return value
        } catch {
          try? database.rollback()
          throw error
        }
      }
    }
  }

  /// Runs a closure that cannot run within a transaction.
  func withoutTransaction(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
    try await unbroken { queue in try await queue.writeWithoutTransaction(body) }
  }

  /// Reads in one transaction.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await unbroken { queue in try await queue.read(body) }
  }

  private func unbroken<Value: Sendable>(
    _ access: @escaping @Sendable (DatabaseQueue) async throws -> Value
  ) async throws -> Value {
    let queue = queue
    switch await Task(operation: { try await access(queue) }).result {
    case .success(let value): return value
    case .failure(let error as DatabaseError): throw StoreError(error, path: path)
    case .failure(let error): throw error
    }
  }

  private static func storeError(_ error: any Error, path: String) -> StoreError {
    switch error {
    case let error as StoreError: error
    case let error as DatabaseError: StoreError(error, path: path)
    default: StoreError(.failed, path: path, "the store cannot be opened: \(error)", underlying: error)
    }
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
