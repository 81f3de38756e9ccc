// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

/// An output file that is replaced atomically: the previous content stays until the new file is complete, and
/// if the run fails.
///
/// A path that is not a regular file, such as `/dev/null` or a named pipe, is written directly.
final class OutputFile: Sendable {
  /// The display name.
  let name: String
  let descriptor: Int32
  private let target: Target

  private enum Target {
    /// What is at the path is written directly.
    case direct
    /// A temporary file gets another name in its folder once it is complete.
    ///
    /// - formerMode: the mode of the file that is replaced; nil if there is none.
    case draft(String, of: String, in: ChosenFolder, formerMode: mode_t?)
  }

  /// Opens a file for writing; a file that is replaced keeps its mode.
  ///
  /// - Parameters:
  ///   - isPublic: whether others may read it, if the mask of the process allows it. Otherwise only its
  ///     owner may, because relationships such as mutes are private.
  ///   - owner: this user.
  /// - Throws: ``CommandFault`` with the path and the system's reason; also if a file, link or pipe of another
  ///   user is there, who may have made it to read what is written, or to have another file replaced.
  init(path name: String, isPublic: Bool = false, owner: uid_t = geteuid()) throws(CommandFault) {
    self.name = name
    var status = stat()
    let isLinked = lstat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    if isLinked, ![0, owner].contains(status.st_uid) { throw Self.foreign(name) }
    let isThere = stat(name, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFDIR { throw CommandFault(.fileTrouble, .isAFolder(name)) }
    if isThere, !Self.isOwn(status, owner) { throw Self.foreign(name) }
    // A symbolic link is kept; its target is replaced.
    let path = isThere ? Self.resolved(name) : name
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      target = .direct
      descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    } else {
      let (folder, file) = try Self.place(of: path, named: name)
      let draft = "\(file).\(getpid()).part"
      target = .draft(draft, of: file, in: folder, formerMode: isThere ? status.st_mode & 0o777 : nil)
      descriptor = folder.create(draft, mode: isPublic ? 0o666 : 0o600)
    }
    guard descriptor >= 0 else { throw Self.fault(name) }
    // What was there before may have been exchanged since.
    guard fstat(descriptor, &status) == 0, Self.isOwn(status, owner) else { throw Self.foreign(name) }
  }

  deinit {
    // After `finish()`, the draft no longer exists.
    if case .draft(let draft, of: _, in: let folder, formerMode: _) = target, isInPlace(draft, in: folder) {
      folder.remove(draft)
    }
    close(descriptor)
  }

  /// Moves the complete file to its path.
  ///
  /// - Throws: ``CommandFault`` with the path and the system's reason.
  func finish() throws(CommandFault) {
    guard case .draft(let draft, of: let file, in: let folder, formerMode: let formerMode) = target else {
      return
    }
    if let formerMode, fchmod(descriptor, formerMode) != 0 { throw Self.fault(name) }
    guard fsync(descriptor) == 0 else { throw Self.fault(name) }
    // Another user who can write to the folder may have put an own file in the place of the draft.
    guard isInPlace(draft, in: folder) else { throw Self.foreign(name) }
    guard folder.rename(draft, to: file) == 0 else { throw Self.fault(name) }
  }

  private func isInPlace(_ draft: String, in folder: ChosenFolder) -> Bool {
    guard let own = FileIdentity(descriptor: descriptor) else { return false }
    return folder.identity(of: draft) == own
  }

  /// The folder of a path, and the name in it.
  private static func place(
    of path: String, named name: String
  ) throws(CommandFault) -> (folder: ChosenFolder, file: String) {
    let slash = path.lastIndex(of: "/")
    let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let file = slash.map { String(path[path.index(after: $0)...]) } ?? path
    do throws(SecureFolderError) { return (try ChosenFolder(path: parent), file) } catch {
      throw CommandFault(error, about: name)
    }
  }

  /// Whether it is a device, or belongs to this user.
  private static func isOwn(_ status: stat, _ owner: uid_t) -> Bool {
    [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT) || status.st_uid == owner
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
