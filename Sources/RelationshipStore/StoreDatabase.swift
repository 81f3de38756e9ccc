// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import GRDB

/// The file that all stores of a user share, `kith.sqlite` in the data folder.
///
/// What it holds is carried out with the user's session, so that the folder, its files and its locks have to be the
/// user's alone: modes 0700 and 0600, no symbolic links, and nobody else can replace a folder above it. Any number
/// of processes may have it open. A transaction that has ended survives the loss of power.
public final class StoreDatabase: Sendable {
  /// The folder, which holds the file and the locks.
  public let folder: String
  /// The files that are locked by who runs a job, or plans changes.
  let locks: SecureFolder
  private let queue: DatabaseQueue

  private static let name = "kith.sqlite"
  /// The files that SQLite opens beside the first; a journal is read before the first file is.
  private static let sideFiles = ["-journal", "-wal", "-shm"].map { name + $0 }

  /// The path of the file.
  public var path: String { Self.path(in: folder) }

  /// Whether a folder has the file; creates neither.
  ///
  /// - Throws: ``StoreError``, ``StoreError/Code/unsafe`` where other users have access to either.
  public static func exists(in folder: String) throws(StoreError) -> Bool {
    do throws(SecureFolderError) { return try SecureFolder(path: folder).check(name) } catch {
      throw StoreError(error)
    }
  }

  private static func path(in folder: String) -> String { "\(folder)/\(name)" }

  /// Opens the file in a folder; creates both where they are absent.
  ///
  /// - Parameters:
  ///   - folder: an absolute path without a slash at its end.
  ///   - busyTimeout: how long to wait for another process that writes.
  /// - Throws: ``StoreError``, ``StoreError/Code/unsafe`` where other users have access to the folder or a file.
  public init(folder: String, busyTimeout: Duration = .seconds(10)) throws(StoreError) {
    self.folder = folder
    locks = SecureFolder(path: "\(folder)/locks")
    let path = Self.path(in: folder)
    let opening: SecureFolder.Lock?
    do throws(SecureFolderError) {
      let files = SecureFolder(path: folder)
      // SQLite gives its other files the mode of this one. It opens all of them by path: no other user can change
      // what lies there once the folder is found to be secure.
      try files.check(Self.name, creating: true)
      for file in Self.sideFiles { try files.check(file) }
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
      queue = try Self.connect(to: path, busyTimeout: busyTimeout)
    } catch {
      throw Self.storeError(error, path: path)
    }
  }

  /// Opens the file and brings its tables up to date.
  private static func connect(to path: String, busyTimeout: Duration) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(seconds(busyTimeout))
    // Functions named in the file's own schema are not run unless SQLite knows them to be harmless.
    configuration.prepareDatabase { try $0.execute(sql: Schema.distrust) }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: Schema.durability) }
    if try queue.read(Schema.migrator.hasBeenSuperseded) {
      throw StoreError(
        .newer, path: path,
        "a newer version of Kith wrote this store; use that version, or another data folder")
    }
    if try !queue.read(Schema.migrator.hasCompletedMigrations) { try Schema.migrator.migrate(queue) }
    return queue
  }

  /// The file that is locked by who runs the job.
  static func lockName(of job: Int64) -> String { "job-\(job)" }

  /// The file that is locked by who plans changes of an account.
  ///
  /// A DID may be longer than the name of a file: its FNV-1a hash stands for it. Two accounts that share one wait for
  /// each other, and nothing else comes of it.
  static func planningLock(of account: DID) -> String {
    let hash = account.description.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return "planning-\(String(hash, radix: 16))"
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
