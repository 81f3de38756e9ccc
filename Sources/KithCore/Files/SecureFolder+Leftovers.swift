// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension SecureFolder {
  /// How old a temporary file is at least before it counts as a leftover: the process that writes it may be one
  /// that this one cannot see, as in another container.
  private static let leftoverAge = 60

  /// Returns a name for a temporary file from which a file is replaced; it tells which process writes it.
  static func temporaryName(for name: String) -> String {
    ".\(name).\(getpid()).\(UInt32.random(in: 0...(.max)))"
  }

  /// Removes temporary files of processes that ended while they wrote them; they may contain secrets.
  static func removeLeftovers(in folder: Int32) {
    for name in entries(folder) {
      guard let process = writer(of: name), kill(process, 0) != 0, errno == ESRCH else { continue }
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG,
        time(nil) - modification(of: status) >= leftoverAge
      else { continue }
      unlinkat(folder, name, 0)
    }
  }

  /// The process that writes a temporary file; nil for any other file.
  private static func writer(of name: String) -> pid_t? {
    guard name.utf8.first == UInt8(ascii: ".") else { return nil }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 4, UInt32(parts[parts.count - 1]) != nil,
      let process = pid_t(parts[parts.count - 2]), process > 0
    else { return nil }
    return process
  }

  /// In whole seconds since 1970.
  static func modification(of status: stat) -> Int {
    #if canImport(Darwin)
      status.st_mtimespec.tv_sec
    #else
      status.st_mtim.tv_sec
    #endif
  }

  /// Calls the closure with the path of a temporary file, empty and with mode 0600, and removes the file.
  ///
  /// - Parameter name: What the file is a copy of.
  package func withTemporaryFile<Value>(
    for name: String, _ body: (_ path: String) throws -> Value
  ) throws -> Value {
    let temporary = Self.temporaryName(for: name)
    try check(temporary, creating: true)
    defer { _ = try? remove(temporary) }
    return try body(path(of: temporary))
  }
}
