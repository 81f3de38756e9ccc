// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder whose files only its owner can access.
///
/// The folder has mode 0700 and belongs to the owner; its files are regular, have mode 0600, the same owner
/// and one name. Anything else is rejected and never repaired, because another user may have read or changed
/// it. The folders above belong to the owner or to root, and other users cannot rename anything in them.
/// Files are opened relative to the checked folder, without following symbolic links.
package struct SecureFolder: Sendable {
  /// An absolute path.
  package let path: String
  private let owner: UInt32
  /// Writes to a descriptor like `write`; returns the number of bytes written.
  private let put: @Sendable (Int32, UnsafeRawBufferPointer) -> Int

  /// Creates a value for a folder, which need not exist.
  ///
  /// - Parameters:
  ///   - owner: The user that everything must belong to.
  ///   - put: The system's `write`, unless a test simulates a full disk.
  package init(
    path: String, owner: UInt32 = geteuid(),
    put: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> Int = {
      systemWrite($0, $1.baseAddress, $1.count)
    }
  ) {
    self.path = path
    self.owner = owner
    self.put = put
  }

  /// The path of a file in the folder.
  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// Creates the folder, and those above it, if it is absent, and checks it.
  package func create() throws(SecureFolderError) { try withFolder(creating: true) { _ in } }

  /// Returns the names of the files that do not begin with a dot; empty if the folder is absent.
  package func names() throws(SecureFolderError) -> [String] {
    try withFolder { Self.entries($0).filter { !$0.hasPrefix(".") } } ?? []
  }

  /// Returns the bytes of a file; nil if it is absent.
  ///
  /// - Parameter limit: The maximum number of bytes.
  package func read(_ name: String, limit: Int) throws(SecureFolderError) -> [UInt8]? {
    let bytes: [UInt8]?? = try withFolder { folder throws(SecureFolderError) in
      guard let descriptor = try open(name, in: folder, flags: O_RDONLY) else { return nil }
      defer { close(descriptor) }
      return try readAll(descriptor, name, limit: limit)
    }
    return bytes ?? nil
  }

  /// Checks a file that other code opens by its path, such as a database. Returns whether it exists.
  ///
  /// An existing file is not opened: a database has locks of this process on it (`fcntl`), and closing any descriptor of a
  /// file releases all of them.
  /// - Parameter creating: Whether to create it, empty, if it is absent.
  @discardableResult
  package func check(_ name: String, creating: Bool = false) throws(SecureFolderError) -> Bool {
    try withFolder(creating: creating) { folder throws(SecureFolderError) in
      if try isThere(name, in: folder) { return true }
      guard creating else { return false }
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = openat(folder, name, flags, 0o600)
      if descriptor >= 0 {
        close(descriptor)
      } else if errno != EEXIST {
        throw trouble(.open, name)
      }
      // Another process may have made it meanwhile.
      return try isThere(name, in: folder)
    } ?? false
  }

  /// Whether there is a socket of this name, which only the owner can connect to.
  ///
  /// - Throws: ``SecureFolderError`` if something else is there, or others have access.
  package func hasSocket(_ name: String) throws(SecureFolderError) -> Bool {
    try withFolder { folder throws(SecureFolderError) in
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        if errno == ENOENT { return false }
        throw trouble(.open, name)
      }
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw SecureFolderError(path: path(of: name), .notASocket)
      }
      try checkAccess(status, path(of: name), wanted: 0o600)
      return true
    } ?? false
  }

  /// Replaces a file atomically: the old one stays until the new one is on disk. Removes what processes that
  /// were killed during such a write left in the folder.
  ///
  /// - Parameter isFlushed: Whether to wait for the disk; if not, the file may be empty or cut off after a power failure.
  package func write(
    _ bytes: [UInt8], to name: String, isFlushed: Bool = true
  ) throws(SecureFolderError) {
    try withFolder(creating: true) { folder throws(SecureFolderError) in
      Self.removeLeftovers(in: folder)
      let temporary = Self.temporaryName(for: name)
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = openat(folder, temporary, flags, 0o600)
      guard descriptor >= 0 else { throw trouble(.write, name) }
      do throws(SecureFolderError) {
        defer { close(descriptor) }
        try writeAll(bytes, to: descriptor, name)
        guard fchmod(descriptor, 0o600) == 0, !isFlushed || fsync(descriptor) == 0,
          renameat(folder, temporary, folder, name) == 0
        else { throw trouble(.write, name) }
      } catch {
        unlinkat(folder, temporary, 0)
        throw error
      }
      if isFlushed { try sync(folder) }
    }
  }

  /// Removes a file, its lock, and leftovers of interrupted writes. The caller holds its lock, so no write is
  /// in progress.
  package func remove(_ name: String) throws(SecureFolderError) {
    try withFolder { folder throws(SecureFolderError) in
      guard unlinkat(folder, name, 0) == 0 || errno == ENOENT else { throw trouble(.remove, name) }
      for leftover in Self.entries(folder) where leftover.hasPrefix(".\(name).") {
        unlinkat(folder, leftover, 0)
      }
      unlinkat(folder, "\(name).lock", 0)
      try sync(folder)
    }
  }

  /// Removes the file of a lock that is not used again.
  package func removeLock(_ name: String) throws(SecureFolderError) {
    try withFolder { folder throws(SecureFolderError) in
      guard unlinkat(folder, name, 0) == 0 || errno == ENOENT else { throw trouble(.remove, name) }
    }
  }
}

// MARK: - Locks

extension SecureFolder {
  /// A lock on a file, held until it is released, the value is deallocated or the process ends.
  package final class Lock: Sendable {
    private let descriptor: PosixMutex<Int32>

    fileprivate init(descriptor: Int32) { self.descriptor = PosixMutex(descriptor) }

    deinit { release() }

    /// Releases the lock; further calls do nothing.
    package func release() {
      let descriptor = descriptor.withLock { descriptor in
        defer { descriptor = -1 }
        return descriptor
      }
      if descriptor >= 0 { close(descriptor) }
    }

    /// Writes a description of the holder into the locked file. Fails silently, such as on a full disk; the
    /// lock still holds.
    package func write(_ text: String) {
      descriptor.withLock { descriptor in
        let bytes = Array(text.utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, bytes, bytes.count, 0) }
      }
    }
  }

  /// Locks a file, which is created if it is absent; nil while another holder has the lock.
  ///
  /// - Parameter patience: How long to wait for the other holder; blocks the thread.
  package func lock(_ name: String, patience: Duration = .zero) throws(SecureFolderError) -> Lock? {
    let clock = ContinuousClock()
    let end = clock.now + patience
    while true {
      if let lock = try lockOnce(name) { return lock }
      guard clock.now < end else { return nil }
      usleep(1_000)
    }
  }

  /// Returns what the holder of a lock wrote into its file; nil if the lock is free or absent.
  package func holder(of name: String) throws(SecureFolderError) -> String? {
    let text: String?? = try withFolder { folder throws(SecureFolderError) in
      guard let descriptor = try open(name, in: folder, flags: O_RDONLY) else { return nil }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
      return Self.text(of: descriptor)
    }
    return text ?? nil
  }

  /// Reads the description of the holder from a lock file that is taken.
  private static func text(of descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func lockOnce(_ name: String) throws(SecureFolderError) -> Lock? {
    let lock: Lock?? = try withFolder(creating: true) { folder throws(SecureFolderError) in
      Self.removeLeftovers(in: folder)
      guard let descriptor = try open(name, in: folder, flags: O_RDWR | O_CREAT) else { return nil }
      // From here on the descriptor is closed unless it is locked.
      let lock = Lock(descriptor: descriptor)
      guard try Self.flocked(descriptor, path(of: name)) else { return nil }
      // A former holder may have removed the file together with its lock; another file of that name can then
      // be locked.
      var (held, named) = (stat(), stat())
      guard fstat(descriptor, &held) == 0, fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0,
        held.st_ino == named.st_ino
      else { return nil }
      return lock
    }
    return lock ?? nil
  }

  /// Locks an open file; false while another holder has the lock.
  ///
  /// - Throws: ``SecureFolderError`` if the file cannot be locked at all, as on some network drives.
  static func flocked(_ descriptor: Int32, _ path: String) throws(SecureFolderError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK || errno == EINTR else {
      throw SecureFolderError(path: path, .system(.lock, errno))
    }
    return false
  }
}

// MARK: - The folder

extension SecureFolder {
  /// Calls the closure with the open folder; nil if the folder is absent.
  @discardableResult
  func withFolder<Value>(
    creating: Bool = false, _ body: (Int32) throws(SecureFolderError) -> Value
  ) throws(SecureFolderError) -> Value? {
    guard let place = try FolderLocation(path: path, owner: owner).resolved(creating: creating) else {
      return nil
    }
    let folder = openFile(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else {
      switch errno {
      case ENOENT where !creating: return nil
      case ELOOP, ENOTDIR: throw SecureFolderError(path: path, isLink(place) ? .symbolicLink : .notAFolder)
      default: throw SecureFolderError(path: path, .system(.open, errno))
      }
    }
    defer { close(folder) }
    var status = stat()
    guard fstat(folder, &status) == 0 else { throw SecureFolderError(path: path, .system(.open, errno)) }
    try checkAccess(status, path, wanted: 0o700)
    return try body(folder)
  }

  private func isLink(_ place: String) -> Bool {
    var found = stat()
    return lstat(place, &found) == 0 && found.st_mode & S_IFMT == S_IFLNK
  }

  static func entries(_ folder: Int32) -> [String] {
    let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    guard let listing = fdopendir(descriptor) else {
      close(descriptor)
      return []
    }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      names.append(name)
    }
    return names
  }
}

// MARK: - Files in it

extension SecureFolder {
  /// Opens a file of the folder and checks it; nil if it is absent.
  private func open(_ name: String, in folder: Int32, flags: Int32) throws(SecureFolderError) -> Int32? {
    // Without O_NONBLOCK, opening a named pipe would block this thread until its other end is opened.
    let descriptor = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw SecureFolderError(path: path(of: name), .symbolicLink)
      case EISDIR: throw SecureFolderError(path: path(of: name), .notAFile)
      default: throw trouble(.open, name)
      }
    }
    do throws(SecureFolderError) {
      try checkFile(descriptor, path(of: name))
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Whether a file of the folder exists; checks it.
  private func isThere(_ name: String, in folder: Int32) throws(SecureFolderError) -> Bool {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return false }
      throw trouble(.open, name)
    }
    if status.st_mode & S_IFMT == S_IFLNK { throw SecureFolderError(path: path(of: name), .symbolicLink) }
    try checkFile(status, path(of: name))
    return true
  }

  private func checkFile(_ descriptor: Int32, _ path: String) throws(SecureFolderError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SecureFolderError(path: path, .system(.open, errno)) }
    try checkFile(status, path)
  }

  private func checkFile(_ status: stat, _ path: String) throws(SecureFolderError) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw SecureFolderError(path: path, .notAFile) }
    try checkAccess(status, path, wanted: 0o600)
    guard status.st_nlink <= 1 else { throw SecureFolderError(path: path, .hardLink) }
  }

  private func checkAccess(_ status: stat, _ path: String, wanted: UInt32) throws(SecureFolderError) {
    guard status.st_uid == owner else { throw SecureFolderError(path: path, .foreignOwner(status.st_uid)) }
    guard status.st_mode & 0o077 == 0 else {
      let mode = UInt32(status.st_mode) & 0o7777
      throw SecureFolderError(path: path, .accessibleToOthers(mode: mode, wanted: wanted))
    }
  }

  private func readAll(_ descriptor: Int32, _ name: String, limit: Int) throws(SecureFolderError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let piece = bytes.withUnsafeMutableBytes { buffer in
        systemRead(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if piece == 0 { return Array(bytes.prefix(count)) }
      if piece > 0 {
        count += piece
      } else if errno != EINTR {
        throw trouble(.read, name)
      }
    }
    throw SecureFolderError(path: path(of: name), .tooLarge(limit: limit))
  }

  private func writeAll(
    _ bytes: [UInt8], to descriptor: Int32, _ name: String
  ) throws(SecureFolderError) {
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { put(descriptor, $0) }
      if count > 0 {
        remaining = remaining.dropFirst(count)
      } else if errno != EINTR {
        throw trouble(.write, name)
      }
    }
  }

  /// Flushes the entries of the folder to disk.
  private func sync(_ folder: Int32) throws(SecureFolderError) {
    // File systems that do not support this for folders return EINVAL, and do not need it.
    guard fsync(folder) == 0 || errno == EINVAL else {
      throw SecureFolderError(path: path, .system(.write, errno))
    }
  }

  func trouble(_ attempt: SecureFolderError.Attempt, _ name: String) -> SecureFolderError {
    SecureFolderError(path: path(of: name), .system(attempt, errno))
  }
}

private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
