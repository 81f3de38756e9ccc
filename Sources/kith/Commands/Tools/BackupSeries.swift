// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore
import KithStore

/// The existing files of this user.
struct UserFiles {
  let folder: String
  let present: [StoreFile]

  init(of process: RunContext) throws {
    let folder = try UserFolder.data.path(in: process.environment)
    self.folder = folder
    present = try Self.all.filter { try $0.exists(in: folder) }
  }

  static let all: [StoreFile] = [.journal, .history]

  /// Which files they are, so that they are not removed by another name.
  var identities: [FileIdentity] { Self.all.compactMap { FileIdentity(path: $0.path(in: folder)) } }

  /// Copies the files to a folder; returns the paths of the copies.
  func backUp(to target: ChosenFolder) async throws -> [String] {
    var copies: [String] = []
    for file in present { copies.append(try await StoreDatabase(folder: folder, file).backup(to: target)) }
    return copies
  }

  /// Keeps copies of files that are about to be replaced; moves a damaged one away.
  ///
  /// - Returns: the folder of the copies; nil if there was nothing to keep.
  func keepAside(_ wanted: [StoreFile], at now: Datetime) async throws -> String? {
    let there = wanted.filter(present.contains)
    if there.isEmpty { return nil }
    let target = try BackupSeries(folder: "\(folder)/before-restore", creating: true).makeFolder(at: now)
      .folder
    for file in there {
      do {
        try await StoreDatabase(folder: folder, file).backup(to: target)
      } catch let error as StoreError where error.code == .corrupt {
        for suffix in ["", "-wal", "-shm"] {
          // Both are folders of the store, in which no other user can exchange anything.
          rename(file.path(in: folder) + suffix, target.path(of: file.rawValue) + suffix)
        }
      }
    }
    return target.path
  }
}

/// The backups in a folder: one in the folder itself, or several in folders of their own, named by their time.
///
/// The folder is opened once, and only what belongs to this user is looked at.
struct BackupSeries {
  let folder: ChosenFolder

  /// - Parameter owners: the users whose backups are trusted.
  /// - Throws: `StoreError` if the folder cannot be opened.
  init(
    folder: String, owners: Set<uid_t> = [geteuid(), 0], creating: Bool = false
  ) throws(StoreError) {
    self.folder = try Self.stored { () throws(SecureFolderError) in
      try ChosenFolder(path: folder, owners: owners, creating: creating)
    }
  }

  private static let prefix = "kith-"

  /// Checks that no other user can put anything into the folder.
  ///
  /// - Throws: `StoreError` `unsafe`.
  func requireOwn() throws(StoreError) {
    try Self.stored { () throws(SecureFolderError) in try folder.requireOwn() }
  }

  private static func stored<Value>(
    _ body: () throws(SecureFolderError) -> Value
  ) throws(StoreError) -> Value {
    do throws(SecureFolderError) { return try body() } catch { throw StoreError(error) }
  }

  // MARK: A backup

  /// Makes the folder of a backup; that of a later second if it is taken.
  ///
  /// - Throws: `StoreError`.
  func makeFolder(at now: Datetime) throws(StoreError) -> (name: String, folder: ChosenFolder) {
    var moment = now
    while folder.contains(Self.name(at: moment)) { moment = Datetime(at: moment.instant + .seconds(1)) }
    let name = Self.name(at: moment)
    let made = try Self.stored { () throws(SecureFolderError) in try folder.folder(name, creating: true) }
    return (name, made)
  }

  private static func name(at moment: Datetime) -> String {
    "\(prefix)\(moment.description.prefix(19).filter { $0 != "-" && $0 != ":" })Z"
  }

  /// The files of a backup.
  static func files(in folder: ChosenFolder) -> [StoreFile] {
    UserFiles.all.filter { folder.contains($0.rawValue) }
  }

  /// Opens a file of a backup that is to be trusted.
  ///
  /// - Throws: `StoreError` `unsafe` if another user made it or can change it.
  static func copy(of file: StoreFile, in folder: ChosenFolder) throws(StoreError) -> IncomingFile {
    try stored { () throws(SecureFolderError) in try folder.incoming(file.rawValue) }
  }

  // MARK: All of them

  /// The folder with the files of the newest backup: the one that is named, or one in it; nil if there is none.
  ///
  /// - Throws: `StoreError` `unsafe` if another user can put a backup there.
  static func newest(
    in path: String, owners: Set<uid_t> = [geteuid(), 0], at now: Datetime
  ) throws(StoreError) -> ChosenFolder? {
    let series: BackupSeries
    do throws(StoreError) { series = try BackupSeries(folder: path, owners: owners) } catch {
      guard (error.underlying as? SecureFolderError)?.reason == .system(.open, ENOENT) else { throw error }
      return nil
    }
    try series.requireOwn()
    if !files(in: series.folder).isEmpty { return series.folder }
    // A name from the future was given while the clock was wrong; it counts only if there is no other.
    let names = series.names
    let past = names.filter { $0 <= name(at: now) }
    for name in (names.filter { !past.contains($0) } + past).reversed() {
      let found = try stored { () throws(SecureFolderError) in try series.folder.folder(name) }
      if !files(in: found).isEmpty { return found }
    }
    return nil
  }

  /// The names of the folders of backups that belong to this user, oldest first.
  private var names: [String] {
    folder.ownFolders.filter { name in
      // A name that is not one of ours is left alone.
      let time = name.dropFirst(Self.prefix.count)
      return name.hasPrefix(Self.prefix) && time.utf8.count == 16 && time.hasSuffix("Z")
        && time.dropFirst(8).first == "T"
        && time.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x54 || $0 == 0x5A }
    }.sorted()
  }

  /// Removes the oldest backups beyond a number. A folder with anything else in it stays, and so does one from the future,
  /// which does not count either.
  ///
  /// - Parameters:
  ///   - made: the one that was just made, whatever the clock says.
  ///   - inUse: files that are not removed under any name.
  /// - Returns: how many were removed.
  func removeAll(
    but count: Int, made: String, at now: Datetime, sparing inUse: [FileIdentity] = []
  ) -> Int {
    let others = names.filter { $0 != made && $0 <= Self.name(at: now) }
    return others.dropLast(max(0, count - 1)).count { name in
      guard let old = try? folder.folder(name) else { return false }
      for file in UserFiles.all { old.remove(file.rawValue, unless: inUse) }
      return folder.removeFolder(name)
    }
  }
}
