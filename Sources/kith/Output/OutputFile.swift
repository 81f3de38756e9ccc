// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that appears under its name once it is whole: what was there before stays until then, and for good where the
/// run fails.
///
/// A name that leads to no file, as `/dev/null` or a named pipe, is written to at once.
final class OutputFile: Sendable {
  /// What a person calls it.
  let name: String
  let descriptor: Int32
  /// Where the name leads.
  private let path: String
  /// Where the file is written; nil where that is the place itself.
  private let draft: String?

  /// Opens a file for writing. A new one is its owner's alone: mutes are private, and who reads a file of relationships
  /// should be who was given it.
  ///
  /// - Throws: ``CommandFault`` with the path and the system's reason.
  init(path name: String) throws(CommandFault) {
    self.name = name
    var status = stat()
    let isThere = stat(name, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFDIR { throw CommandFault(.fileTrouble, .isAFolder(name)) }
    // A link goes on to lead where it led.
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
    // Nothing is there any more once the draft has its name.
    if let draft { unlink(draft) }
  }

  /// Gives the file its name.
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
