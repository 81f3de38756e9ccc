// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The file that all stores of a user share, `kith.sqlite` in the data folder.
///
/// Any number of processes may have it open. A transaction that has ended survives the loss of power.
public final class StoreDatabase: Sendable {
  /// The folder, which holds the file and the locks.
  public let folder: String
  private let queue: DatabaseQueue

  /// The path of the file.
  public var path: String { Self.path(in: folder) }

  /// Whether a folder has the file.
  public static func exists(in folder: String) -> Bool { PrivateFile.exists(path(in: folder)) }

  private static func path(in folder: String) -> String { folder + "/kith.sqlite" }

  /// Opens the file in a folder, or makes it; only the owner can read either.
  ///
  /// - Parameters:
  ///   - folder: an absolute path without a slash at its end.
  ///   - busyTimeout: how long to wait for another process that writes.
  /// - Throws: ``StoreError``.
  public init(folder: String, busyTimeout: Duration = .seconds(10)) throws(StoreError) {
    self.folder = folder
    let path = Self.path(in: folder)
    try PrivateFile.makeFolder(folder)
    try PrivateFile.makeFolder(Self.locks(in: folder))
    // SQLite gives its other files the mode of this one.
    try PrivateFile.touch(path)
    // Two processes that open an absent store at once would both make its tables.
    let lockPath = Self.locks(in: folder) + "/opening"
    let opening = try PrivateFile.open(lockPath)
    defer { PrivateFile.close(opening) }
    guard try PrivateFile.lock(opening, at: lockPath, patience: busyTimeout) else {
      throw StoreError(
        .locked, path: path, "another process has been opening the store for long; try again, or end it")
    }
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

  /// The file that is locked by whoever runs the job.
  func lockPath(of job: Int64) -> String { Self.locks(in: folder) + "/job-\(job)" }

  /// The file that is locked by whoever plans changes.
  var planningLockPath: String { Self.locks(in: folder) + "/planning" }

  private static func locks(in folder: String) -> String { folder + "/locks" }

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
