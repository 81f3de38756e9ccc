// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder whose files are for its owner alone.
struct PrivateFolder: Sendable {
  /// A lock that is held until it is released.
  struct Lock: Sendable {
    fileprivate let descriptor: Int32

    func release() { close(descriptor) }
  }

  let path: String
  /// Writes to a descriptor as `write` does, and says with how many bytes.
  private let put: @Sendable (Int32, UnsafeRawBufferPointer) -> Int

  /// The most bytes of a file.
  private static let mostBytes = 64 << 10

  /// - Parameter put: the system's, unless a test has a disk that is full.
  init(
    path: String,
    put: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> Int = {
      systemWrite($0, $1.baseAddress, $1.count)
    }
  ) {
    self.path = path
    self.put = put
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The names of the files; none where there is no folder.
  func names() throws(SessionError) -> [String] {
    try exists() ? entries().filter { !$0.hasPrefix(".") } : []
  }

  /// The bytes of a file; nil where there is none.
  func read(_ name: String) throws(SessionError) -> [UInt8]? {
    guard try exists() else { return nil }
    // Nobody waits for the other end of what may be a pipe.
    let descriptor = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      if errno == ELOOP { throw unsafe(path(of: name), "it is a symbolic link; remove it") }
      throw trouble("cannot be read", path(of: name))
    }
    defer { close(descriptor) }
    try check(descriptor, path(of: name), type: S_IFREG, mode: "600")
    var bytes = [UInt8](repeating: 0, count: Self.mostBytes + 1)
    var count = 0
    while count < bytes.count {
      let piece = bytes.withUnsafeMutableBytes { buffer in
        systemRead(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if piece == 0 { return Array(bytes.prefix(count)) }
      if piece > 0 {
        count += piece
      } else if errno != EINTR {
        throw trouble("cannot be read", path(of: name))
      }
    }
    throw SessionError(.malformedFile, subject: path(of: name), detail: "it is far larger than a session")
  }

  /// Writes a file as a whole: until the new one is on the disk, the old one stands.
  func write(_ bytes: [UInt8], to name: String) throws(SessionError) {
    try make()
    let temporary = path(of: ".\(name).\(getpid()).\(UInt32.random(in: 0...(.max)))")
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw trouble("cannot be written", path(of: name)) }
    do throws(SessionError) {
      defer { close(descriptor) }
      try writeAll(bytes, to: descriptor, path(of: name))
      guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, rename(temporary, path(of: name)) == 0
      else { throw trouble("cannot be written", path(of: name)) }
    } catch {
      unlink(temporary)
      throw error
    }
    try sync()
  }

  /// Removes a file and what torn writes may have left of it.
  func remove(_ name: String) throws(SessionError) {
    guard try exists() else { return }
    guard unlink(path(of: name)) == 0 || errno == ENOENT else {
      throw trouble("cannot be removed", path(of: name))
    }
    for rest in entries() where rest.hasPrefix(".\(name).") { unlink(path(of: rest)) }
    unlink(path(of: "\(name).lock"))
    try sync()
  }

  /// Takes a lock; nil while somebody else has it.
  func lock(_ name: String) throws(SessionError) -> Lock? {
    try make()
    let descriptor = open(path(of: name), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == ELOOP { throw unsafe(path(of: name), "it is a symbolic link; remove it") }
      throw trouble("cannot be opened", path(of: name))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      close(descriptor)
      if reason == EWOULDBLOCK || reason == EINTR { return nil }
      errno = reason
      throw trouble("cannot be locked", path(of: name))
    }
    // Whoever signed out has removed the file with its lock: another one may lock a new file of that name.
    var (held, named) = (stat(), stat())
    guard fstat(descriptor, &held) == 0, lstat(path(of: name), &named) == 0, held.st_ino == named.st_ino
    else {
      close(descriptor)
      return nil
    }
    return Lock(descriptor: descriptor)
  }
}

extension PrivateFolder {
  /// Whether the folder is there; refuses one that others can enter.
  private func exists() throws(SessionError) -> Bool {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      if errno == ELOOP || errno == ENOTDIR {
        throw unsafe(path, "it is no folder but a symbolic link or a file; remove it")
      }
      throw trouble("cannot be opened", path)
    }
    defer { close(descriptor) }
    try check(descriptor, path, type: S_IFDIR, mode: "700")
    return true
  }

  private func make() throws(SessionError) {
    if try exists() { return }
    var place = ""
    for part in path.split(separator: "/") {
      place += "/\(part)"
      guard mkdir(place, 0o700) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS else {
        throw trouble("cannot be made", place)
      }
    }
    guard try exists() else { throw trouble("cannot be made", path) }
  }

  private func check(_ descriptor: Int32, _ path: String, type: mode_t, mode: String) throws(SessionError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw trouble("cannot be read", path) }
    guard status.st_mode & S_IFMT == type else {
      throw unsafe(path, "it is something else than it should be")
    }
    guard status.st_uid == geteuid() else {
      throw unsafe(path, "it belongs to another user (\(status.st_uid)); remove it, or run as that user")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw unsafe(
        path, "others can read or change it: chmod \(mode) '\(path)', and sign in anew if they may have")
    }
  }

  private func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(SessionError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { put(descriptor, $0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw trouble("cannot be written", path)
      }
    }
  }

  /// Puts the folder's own entries on the disk.
  private func sync() throws(SessionError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw trouble("cannot be opened", path) }
    defer { close(descriptor) }
    // File systems that cannot do this for folders say so, and need it not.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw trouble("cannot be written", path) }
  }

  private func entries() -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      names.append(name)
    }
    return names
  }

  private func unsafe(_ path: String, _ reason: String) -> SessionError {
    SessionError(.unsafeFile, subject: path, detail: "not used, for \(reason)")
  }

  private func trouble(_ attempt: String, _ path: String) -> SessionError {
    SessionError(.fileTrouble, subject: path, detail: "\(attempt): \(String(cString: strerror(errno)))")
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
