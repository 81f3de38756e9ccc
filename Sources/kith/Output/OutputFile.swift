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

  /// Opens a file for writing. A new file is readable only by its owner, because relationships such as mutes
  /// are private.
  ///
  /// - Throws: ``CommandFault`` with the path and the system's reason.
  init(path name: String) throws(CommandFault) {
    self.name = name
    var status = stat()
    let isThere = stat(name, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFDIR { throw CommandFault(.fileTrouble, .isAFolder(name)) }
    // A symbolic link is kept; its target is replaced.
    path = isThere ? Self.resolved(name) : name
    let isPlain = !isThere || status.st_mode & S_IFMT == S_IFREG
    draft = isPlain ? "\(path).\(getpid()).part" : nil
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    descriptor =
      draft.map { open($0, flags | O_EXCL | O_NOFOLLOW, isThere ? status.st_mode & 0o777 : 0o600) }
      ?? open(path, flags, 0o666)
    guard descriptor >= 0 else { throw Self.fault(name) }
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
    guard fsync(descriptor) == 0, rename(draft, path) == 0 else { throw Self.fault(name) }
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
