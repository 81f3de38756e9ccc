// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder that the user chose, in which other users may be able to write: one for backups or exports.
///
/// It is opened once. Its entries are created, read, renamed and removed relative to that descriptor, and no symbolic
/// link among them is followed. ``requireOwn()`` says whether other users can put something into it, and what is to be
/// trusted is opened with ``incoming(_:)``.
package final class ChosenFolder: Sendable {
  /// An absolute path.
  package let path: String
  private let descriptor: Int32
  private let owners: Set<UInt32>

  /// Opens a folder. A symbolic link at the path is followed if it belongs to one of the owners.
  ///
  /// - Parameters:
  ///   - path: relative to the current folder if it does not begin at the root.
  ///   - owners: the users whose files are trusted: this one and root.
  ///   - creating: whether to create the folder, for its owner alone, if it is absent.
  /// - Throws: ``SecureFolderError``; `foreignOwner` for a link of another user.
  package init(
    path: String, owners: Set<UInt32> = [geteuid(), 0], creating: Bool = false
  ) throws(SecureFolderError) {
    self.path = try Self.absolute(path)
    self.owners = owners
    if creating, mkdir(self.path, 0o700) != 0, errno != EEXIST {
      throw SecureFolderError(path: self.path, .system(.create, errno))
    }
    var found = stat()
    if lstat(self.path, &found) == 0, found.st_mode & S_IFMT == S_IFLNK, !owners.contains(found.st_uid) {
      throw SecureFolderError(path: self.path, .foreignOwner(found.st_uid))
    }
    descriptor = openFolder(self.path)
    guard descriptor >= 0 else {
      throw SecureFolderError(path: self.path, errno == ENOTDIR ? .notAFolder : .system(.open, errno))
    }
  }

  private init(name: String, in parent: ChosenFolder) throws(SecureFolderError) {
    (path, owners) = (parent.path(of: name), parent.owners)
    descriptor = openFolder(name, in: parent.descriptor)
    guard descriptor >= 0 else {
      let isOther = errno == ENOTDIR || errno == ELOOP
      throw SecureFolderError(path: path, isOther ? .notAFolder : .system(.open, errno))
    }
  }

  deinit { close(descriptor) }

  /// The path from the root, without a slash at its end.
  static func absolute(_ path: String) throws(SecureFolderError) -> String {
    guard !path.isEmpty else { throw SecureFolderError(path: path, .system(.open, ENOENT)) }
    let ending = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    if ending.hasPrefix("/") { return ending }
    guard let here = getcwd(nil, 0) else { throw SecureFolderError(path: path, .system(.open, errno)) }
    defer { free(here) }
    return "\(String(cString: here))/\(ending)"
  }

  /// The path of an entry, for messages.
  package func path(of name: String) -> String { path == "/" ? "/\(name)" : "\(path)/\(name)" }

  // MARK: What may be trusted

  /// Checks that no other user can add, rename or remove entries of the folder, or put another in its place.
  ///
  /// That a folder is sticky, like `/tmp`, is enough for those above it, but not for the folder itself.
  /// - Throws: ``SecureFolderError``: `foreignOwner`, `parentWritableByOthers`.
  package func requireOwn() throws(SecureFolderError) {
    let own = try status()
    guard owners.contains(own.st_uid) else { throw SecureFolderError(path: path, .foreignOwner(own.st_uid)) }
    let isOpen = SecureFolderError(path: path, .parentWritableByOthers(mode: UInt32(own.st_mode) & 0o7777))
    guard !Self.isWritableByOthers(own) else { throw isOpen }
    // With a dot behind it, the folder is one of those on the path, which are checked.
    guard let place = try FolderLocation(path: path(of: "."), owner: geteuid()).resolved(creating: false),
      FileIdentity(path: place) == FileIdentity(own)
    else { throw isOpen }
  }

  /// Opens a file whose content becomes trusted.
  ///
  /// - Throws: ``SecureFolderError`` for what is not a regular file, belongs to another user, or can be changed by others.
  package func incoming(_ name: String) throws(SecureFolderError) -> IncomingFile {
    // Without O_NONBLOCK, a named pipe would block this thread until its other end is opened.
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    let place = path(of: name)
    guard file >= 0 else {
      throw SecureFolderError(path: place, errno == ELOOP ? .symbolicLink : .system(.open, errno))
    }
    var status = stat()
    let reason: SecureFolderError.Reason? =
      if fstat(file, &status) != 0 {
        .system(.open, errno)
      } else if status.st_mode & S_IFMT != S_IFREG {
        .notAFile
      } else if !owners.contains(status.st_uid) {
        .foreignOwner(status.st_uid)
      } else if Self.isWritableByOthers(status) {
        .writableByOthers(mode: UInt32(status.st_mode) & 0o7777)
      } else {
        nil
      }
    if let reason {
      close(file)
      throw SecureFolderError(path: place, reason)
    }
    return IncomingFile(path: place, descriptor: file, size: Int(status.st_size))
  }

  /// The names of the folders in it that belong to one of the owners, and to which no other user can write.
  package var ownFolders: [String] {
    SecureFolder.entries(descriptor).filter { name in
      guard name != ".", name != "..", let found = status(of: name) else { return false }
      return found.st_mode & S_IFMT == S_IFDIR && owners.contains(found.st_uid)
        && !Self.isWritableByOthers(found)
    }
  }

  /// Whether there is anything of a name, be it a link that leads nowhere.
  package func contains(_ name: String) -> Bool { status(of: name) != nil }

  private static func isWritableByOthers(_ status: stat) -> Bool {
    let isOpenToGroup =
      status.st_mode & S_IWGRP != 0 && !PrivateGroup.isPrivate(status.st_gid, of: geteuid())
    return status.st_mode & S_IWOTH != 0 || isOpenToGroup
  }

  // MARK: Changes

  /// Opens a folder in it.
  ///
  /// - Parameter creating: whether to create it, for its owner alone; what is there already is an error then.
  /// - Throws: ``SecureFolderError``; `notAFolder` for a symbolic link, too.
  package func folder(_ name: String, creating: Bool = false) throws(SecureFolderError) -> ChosenFolder {
    if creating, mkdirat(descriptor, name, 0o700) != 0 {
      throw SecureFolderError(path: path(of: name), .system(.create, errno))
    }
    return try ChosenFolder(name: name, in: self)
  }

  /// Creates a file, opened for writing.
  ///
  /// - Returns: a descriptor; negative with `errno` if there is anything of that name, or it cannot be created.
  package func create(_ name: String, mode: UInt32) -> Int32 {
    openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
  }

  /// Gives an entry another name; one that has it already is replaced. Returns 0, or -1 with `errno`.
  package func rename(_ name: String, to other: String) -> Int32 {
    renameat(descriptor, name, descriptor, other)
  }

  /// Removes a file, or a link itself, unless it is one that is in use. Returns whether it is gone.
  @discardableResult
  package func remove(_ name: String, unless inUse: [FileIdentity] = []) -> Bool {
    guard let found = identity(of: name) else { return true }
    return !inUse.contains(found) && unlinkat(descriptor, name, 0) == 0
  }

  /// Removes an empty folder. Returns whether it is gone.
  @discardableResult
  package func removeFolder(_ name: String) -> Bool { unlinkat(descriptor, name, AT_REMOVEDIR) == 0 }

  /// Removes everything in it that can be removed; links are removed, not followed.
  package func removeEntries() {
    for name in SecureFolder.entries(descriptor) where name != "." && name != ".." {
      if let found = status(of: name), found.st_mode & S_IFMT == S_IFDIR {
        do throws(SecureFolderError) { try folder(name).removeEntries() } catch { continue }
        removeFolder(name)
      } else {
        remove(name)
      }
    }
  }

  // MARK: Identities

  /// Which file an entry is; nil if there is none.
  package func identity(of name: String) -> FileIdentity? { status(of: name).map(FileIdentity.init) }

  /// Whether the path still leads to this folder.
  var isInPlace: Bool {
    guard let own = FileIdentity(descriptor: descriptor) else { return false }
    return FileIdentity(path: path(of: ".")) == own
  }

  /// The permissions of the folder.
  var mode: UInt32 {
    var found = stat()
    return fstat(descriptor, &found) == 0 ? UInt32(found.st_mode) & 0o7777 : 0
  }

  private func status() throws(SecureFolderError) -> stat {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { throw SecureFolderError(path: path, .system(.open, errno)) }
    return found
  }

  private func status(of name: String) -> stat? {
    var found = stat()
    return fstatat(descriptor, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found : nil
  }
}

/// Which file it is, whatever its names are.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  fileprivate init(_ status: stat) {
    (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// The file at a path, not what a link there leads to; nil if there is none.
  package init?(path: String) {
    var found = stat()
    guard lstat(path, &found) == 0 else { return nil }
    self.init(found)
  }

  /// The file that is open.
  package init?(descriptor: Int32) {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { return nil }
    self.init(found)
  }
}

private func openFolder(_ path: String) -> Int32 { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

private func openFolder(_ name: String, in folder: Int32) -> Int32 {
  openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
}
