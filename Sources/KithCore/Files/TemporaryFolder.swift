// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A new folder for the files that a run exchanges with other programs, by their paths: only its owner can access it,
/// and no other user can put something in its place.
package struct TemporaryFolder: Sendable {
  /// An absolute path without symbolic links.
  package let path: String

  /// Creates the folder.
  ///
  /// - Parameters:
  ///   - name: how its name begins.
  ///   - parent: a folder such as `/tmp`, in which others cannot rename what is not theirs.
  ///   - owner: the user that it and the folders above it must belong to, unless those are root's.
  /// - Throws: ``SecureFolderError``: `parentWritableByOthers`, `foreignOwner`.
  package init(named name: String, in parent: String, owner: UInt32 = geteuid()) throws(SecureFolderError) {
    let parent = try ChosenFolder.absolute(parent)
    let location = FolderLocation(path: parent == "/" ? "/\(name)" : "\(parent)/\(name)", owner: owner)
    guard let place = try location.resolved(creating: false) else {
      throw SecureFolderError(path: parent, .system(.open, ENOENT))
    }
    var template = Array("\(place)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SecureFolderError(path: parent, .system(.create, errno)) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the folder and everything in it. If that fails, the system cleans up.
  package func remove() {
    do throws(SecureFolderError) { try ChosenFolder(path: path).removeEntries() } catch { return }
    rmdir(path)
  }
}
