// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An output file that is replaced atomically: the previous content stays until the new file is complete, and
/// if the run fails.
///
/// A path that is not a regular file, such as `/dev/null` or a named pipe, is written directly.
final class OutputFile: Sendable {
  /// The display name.
  let name: String
  let descriptor: Int32
  /// The path with symbolic links resolved.
  private let path: String
  /// The temporary file; nil if the path is written directly.
  private let draft: String?
  /// The mode of the file that is replaced; nil if there is none.
  private let formerMode: mode_t?

  /// Opens a file for writing; a file that is replaced keeps its mode.
  ///
  /// - Parameter isPublic: whether others may read it, as far as the mask of the process allows. Otherwise only its
  ///   owner may, because relationships such as mutes are private.
  /// - Throws: ``CommandFault`` with the path and the system's reason; also if a file, link or pipe of another
  ///   user is there, who may have made it to read what is written, or to have another file replaced.
  init(path name: String, isPublic: Bool = false) throws(CommandFault) {
    self.name = name
    var status = stat()
    let isLinked = lstat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    if isLinked, ![0, geteuid()].contains(status.st_uid) { throw Self.foreign(name) }
    let isThere = stat(name, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFDIR { throw CommandFault(.fileTrouble, .isAFolder(name)) }
    if isThere, !Self.isOwn(status) { throw Self.foreign(name) }
    // A symbolic link is kept; its target is replaced.
    path = isThere ? Self.resolved(name) : name
    let isPlain = !isThere || status.st_mode & S_IFMT == S_IFREG
    draft = isPlain ? "\(path).\(getpid()).part" : nil
    formerMode = isThere && isPlain ? status.st_mode & 0o777 : nil
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    descriptor =
      draft.map { open($0, flags | O_EXCL | O_NOFOLLOW, isPublic ? 0o666 : 0o600) }
      ?? open(path, flags, 0o666)
    guard descriptor >= 0 else { throw Self.fault(name) }
    // What was there before may have been exchanged since.
    guard fstat(descriptor, &status) == 0, Self.isOwn(status) else {
      close(descriptor)
      throw Self.foreign(name)
    }
  }

  deinit {
    close(descriptor)
    // After `finish()`, the draft no longer exists.
    if let draft { unlink(draft) }
  }

  /// Moves the complete file to its path.
  ///
  /// - Throws: ``CommandFault`` with the path and the system's reason.
  func finish() throws(CommandFault) {
    guard let draft else { return }
    if let formerMode, fchmod(descriptor, formerMode) != 0 { throw Self.fault(name) }
    guard fsync(descriptor) == 0, rename(draft, path) == 0 else { throw Self.fault(name) }
  }

  /// Whether it is a device, or belongs to this user.
  private static func isOwn(_ status: stat) -> Bool {
    [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT) || status.st_uid == geteuid()
  }

  private static func foreign(_ name: String) -> CommandFault {
    CommandFault(
      .fileTrouble, .systemError(name, "it belongs to another user; remove it, or choose another path"))
  }

  private static func resolved(_ name: String) -> String {
    guard let found = realpath(name, nil) else { return name }
    defer { free(found) }
    return String(cString: found)
  }

  private static func fault(_ name: String) -> CommandFault {
    CommandFault(.fileTrouble, .systemError(name, String(cString: strerror(errno))))
  }
}
