// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// For caches, which keep what was used last.
extension SecureFolder {
  /// A regular file of a folder.
  package struct File: Sendable, Hashable {
    package let name: String
    package let bytes: Int
    /// The time of its last change, to the second.
    package let changed: Instant

    package init(name: String, bytes: Int, changed: Instant) {
      (self.name, self.bytes, self.changed) = (name, bytes, changed)
    }
  }

  /// Returns the regular files whose names do not begin with a dot; empty if the folder is absent.
  package func files() throws(SecureFolderError) -> [File] {
    try withFolder { folder in
      Self.entries(folder).compactMap { name in
        var status = stat()
        guard !name.hasPrefix("."), fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
          status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let changed = Instant(secondsSinceEpoch: Int64(Self.modification(of: status)))
        return File(name: name, bytes: Int(status.st_size), changed: changed)
      }
    } ?? []
  }

  /// Sets the time of a file's last change; does nothing if the file is absent.
  ///
  /// - Parameter age: how long ago that has to be at least, unless it is in the future; it spares a write on each use.
  package func touch(
    _ name: String, at now: Instant, ifOlderThan age: Duration = .zero
  ) throws(SecureFolderError) {
    try withFolder { folder throws(SecureFolderError) in
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        if errno == ENOENT { return }
        throw trouble(.open, name)
      }
      let changed = Instant(secondsSinceEpoch: Int64(Self.modification(of: status)))
      guard changed > now || now - changed >= age else { return }
      let time = timespec(tv_sec: time_t(now.secondsSinceEpoch), tv_nsec: 0)
      guard utimensat(folder, name, [time, time], AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT else {
        throw trouble(.write, name)
      }
    }
  }

  /// Removes files; their locks and what interrupted writes left stay, and so may the files if the machine fails now.
  package func removeFiles(_ names: some Sequence<String>) throws(SecureFolderError) {
    try withFolder { folder throws(SecureFolderError) in
      for name in names where unlinkat(folder, name, 0) != 0 && errno != ENOENT {
        throw trouble(.remove, name)
      }
    }
  }
}
