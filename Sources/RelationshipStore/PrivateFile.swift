// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Files and folders that only their owner can read.
enum PrivateFile {
  /// Whether there is a file or folder of that path.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Makes a folder, and those above it, with mode 0700; those that are there stay as they are.
  static func makeFolder(_ path: String) throws(StoreError) {
    if mkdir(path, 0o700) == 0 { return }
    let fault = errno
    if fault == EEXIST { return }
    if fault == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex {
      try makeFolder(String(path[..<slash]))
      if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    }
    throw StoreError(.unusable, path: path, "the folder cannot be made: \(reason(errno))")
  }

  /// Opens a file for reading and writing, and makes it with mode 0600 where it is absent. Others are shut out of
  /// one that is there.
  ///
  /// - Returns: its descriptor, which does not pass to other programs.
  static func open(_ path: String) throws(StoreError) -> Int32 {
    let descriptor = systemOpen(path)
    guard descriptor >= 0 else {
      let fault = errno
      throw StoreError(
        fault == ENOSPC ? .full : .unusable, path: path,
        "the file cannot be opened for writing: \(reason(fault))")
    }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
    return descriptor
  }

  /// Makes a file with mode 0600 where it is absent, and shuts others out of one that is there.
  static func touch(_ path: String) throws(StoreError) { systemClose(try open(path)) }

  /// Locks an open file for whoever opened it; the lock ends with the descriptor, or with the process.
  ///
  /// - Parameters:
  ///   - path: what it is told by where it cannot be locked at all, as on some network drives.
  ///   - patience: how long to wait for another one who has it.
  /// - Returns: whether it is locked now; if not, another one has it.
  static func lock(_ descriptor: Int32, at path: String, patience: Duration) throws(StoreError) -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + patience
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let fault = errno
      guard fault == EWOULDBLOCK || fault == EINTR else {
        throw StoreError(.unusable, path: path, "the file cannot be locked: \(reason(fault))")
      }
      guard clock.now < end else { return false }
      usleep(1_000)
    }
    return true
  }

  /// Gives a descriptor back, and its lock.
  static func close(_ descriptor: Int32) { systemClose(descriptor) }

  /// Takes a file away, where it is there.
  static func remove(_ path: String) { unlink(path) }

  private static func systemOpen(_ path: String) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #elseif canImport(Musl)
      Musl.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #else
      Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #endif
  }

  private static func systemClose(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
