// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import GRDB
internal import Relationships

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A file of a user, by what it holds: to take a snapshot never delays a change.
public enum StoreFile: String, Sendable, CaseIterable {
  /// Jobs and the write budget. A transaction that has ended survives the loss of power.
  case journal = "kith.sqlite"
  /// Snapshots. The loss of power may take the last of them back.
  case history = "history.sqlite"
  /// What can be learned again, in a folder of its own.
  case cache = "cache.sqlite"

  /// The files that SQLite opens beside the first; a journal is read before the first file is.
  fileprivate var sideFiles: [String] { ["-journal", "-wal", "-shm"].map { rawValue + $0 } }

  /// Where it is in a folder.
  public func path(in folder: String) -> String { "\(folder)/\(rawValue)" }

  /// Whether a folder has the file; creates neither.
  ///
  /// - Throws: ``StoreError``, ``StoreError/Code/unsafe`` where other users have access to either.
  public func exists(in folder: String) throws(StoreError) -> Bool {
    do throws(SecureFolderError) { return try SecureFolder(path: folder).check(rawValue) } catch {
      throw StoreError(error)
    }
  }
}

extension StoreFile {
  /// What a connection is set to.
  fileprivate var connecting: String {
    switch self {
    // A transaction is on the disk when it has ended: the journal is what tells after a crash what was sent.
    case .journal: "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"
    case .cache: "PRAGMA synchronous = NORMAL"
    // Look-ups of 100,000 accounts fit into 32 MiB; what is gathered need not survive a crash.
    case .history:
      """
      PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768;
      PRAGMA temp.journal_mode = MEMORY;
      \(HistorySchema.staging)
      """
    }
  }

  /// All versions of its tables.
  fileprivate var migrator: DatabaseMigrator {
    switch self {
    case .journal: Schema.migrator
    case .history: HistorySchema.migrator
    case .cache: CacheSchema.migrator
    }
  }
}

/// A file that all stores of one kind share.
///
/// What it holds is carried out with the user's session, so that the folder, its files and its locks have to be the
/// user's alone: modes 0700 and 0600, no symbolic links, and nobody else can replace a folder above it. Any number
/// of processes may have it open.
public final class StoreDatabase: Sendable {
  /// The folder, which holds the file and the locks.
  public let folder: String
  /// What it holds.
  public let file: StoreFile
  /// The files that are locked by who runs a job, plans changes or takes a snapshot.
  let locks: SecureFolder
  private let queue: DatabaseQueue

  /// The path of the file.
  public var path: String { file.path(in: folder) }

  /// Opens the file in a folder; creates both where they are absent.
  ///
  /// - Parameters:
  ///   - folder: an absolute path without a slash at its end.
  ///   - busyTimeout: how long to wait for another process that writes.
  /// - Throws: ``StoreError``, ``StoreError/Code/unsafe`` where other users have access to the folder or a file.
  public init(
    folder: String, _ file: StoreFile = .journal, busyTimeout: Duration = .seconds(10)
  ) throws(StoreError) {
    self.folder = folder
    self.file = file
    locks = SecureFolder(path: "\(folder)/locks")
    let path = file.path(in: folder)
    let opening: SecureFolder.Lock?
    do throws(SecureFolderError) {
      let files = SecureFolder(path: folder)
      // SQLite gives its other files the mode of this one. It opens all of them by path: no other user can change
      // what lies there once the folder is found to be secure.
      try files.check(file.rawValue, creating: true)
      for name in file.sideFiles { try files.check(name) }
      // Two processes that open an absent store at once would both make its tables.
      opening = try locks.lock("opening", patience: busyTimeout)
    } catch {
      throw StoreError(error)
    }
    guard let opening else {
      throw StoreError(
        .locked, path: path, "another process has been opening the store for long; try again, or end it")
    }
    defer { opening.release() }
    do {
      queue = try Self.connect(to: path, file, busyTimeout: busyTimeout)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  /// Opens what can be learned again; a file that is damaged, or that a newer version wrote, is made new.
  static func cache(in folder: String) throws(StoreError) -> StoreDatabase {
    // Nobody waits long for what can be learned again.
    func open() throws(StoreError) -> StoreDatabase {
      try StoreDatabase(folder: folder, .cache, busyTimeout: .seconds(1))
    }
    do throws(StoreError) { return try open() } catch {
      guard error.code == .corrupt || error.code == .newer else { throw error }
      for name in [StoreFile.cache.rawValue] + StoreFile.cache.sideFiles {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
      return try open()
    }
  }

  /// Opens the file and brings its tables up to date.
  private static func connect(
    to path: String, _ file: StoreFile, busyTimeout: Duration
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(seconds(busyTimeout))
    // Functions named in the file's own schema are not run unless SQLite knows them to be harmless.
    configuration.prepareDatabase { try $0.execute(sql: Schema.distrust) }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: file.connecting) }
    let migrator = file.migrator
    if try queue.read(migrator.hasBeenSuperseded) {
      throw StoreError(
        .newer, path: path,
        "a newer version of Kith wrote this store; use that version, or another data folder")
    }
    if try !queue.read(migrator.hasCompletedMigrations) { try migrator.migrate(queue) }
    return queue
  }

  /// The file that is locked by who runs the job.
  static func lockName(of job: Int64) -> String { "job-\(job)" }

  /// The file that is locked by who plans changes of an account.
  ///
  /// A DID may be longer than the name of a file: its hash stands for it. Two accounts that share one wait for each
  /// other, and nothing else comes of it.
  static func planningLock(of account: DID) -> String { "planning-\(hash(account.description))" }

  /// The file that is locked by who takes a snapshot of a listing, as for an account's changes.
  static func snapshotLock(of listing: HistoryListing) -> String {
    "snapshot-\(hash("\(listing.actor) \(listing.side.rawValue) \(listing.list?.description ?? "")"))"
  }

  /// The FNV-1a hash of a text, in hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }

  /// Removes the lock of a job that is gone; its number is never used again.
  func removeLock(of job: Int64) throws(StoreError) {
    do throws(SecureFolderError) { try locks.removeLock(Self.lockName(of: job)) } catch {
      throw StoreError(error)
    }
  }

  /// Reads and writes in one transaction, which is not given up half-way where the task is cancelled.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await unbroken { queue in try await queue.write(body) }
  }

  /// Reads the file and writes temporary tables, which no other connection sees or waits for.
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

  /// Does what cannot be done within a transaction.
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
