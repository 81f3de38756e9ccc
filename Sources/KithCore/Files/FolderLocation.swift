// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The path from the root to a folder, on which no other user can put another folder in its place.
///
/// Each folder above it belongs to the owner or to root. Other users cannot write to them, unless the folder
/// is sticky like `/tmp`, or the group is the owner's private one. Symbolic links on the path also belong to
/// the owner or root.
struct FolderLocation: Sendable {
  let path: String
  let owner: UInt32

  /// Returns the path of the folder without symbolic links, which other users cannot change; nil if a folder
  /// above it is absent.
  ///
  /// Walks down from the root: in a folder that was checked, no other user can replace the next one.
  func resolved(creating: Bool) throws(SecureFolderError) -> String? {
    var remaining = Array(path.split(separator: "/").reversed())
    guard path.hasPrefix("/"), !remaining.isEmpty else { throw SecureFolderError(path: path, .relativePath) }
    let name = remaining.removeFirst()
    var place = ""
    var links = 0
    try checkParent("/", try status(of: "/"))
    while let part = remaining.popLast() {
      if part == "." { continue }
      if part == ".." {
        place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        continue
      }
      let next = "\(place)/\(part)"
      var found = stat()
      if lstat(next, &found) != 0 {
        guard errno == ENOENT else { throw SecureFolderError(path: next, .system(.open, errno)) }
        guard creating else { return nil }
        try createFolder(next)
        found = try status(of: next)
      }
      guard found.st_mode & S_IFMT == S_IFLNK else {
        try checkParent(next, found)
        place = next
        continue
      }
      try checkParentOwner(next, found)
      links += 1
      guard links <= Self.mostLinks else { throw SecureFolderError(path: path, .system(.open, ELOOP)) }
      let target = try target(of: next)
      if target.hasPrefix("/") { place = "" }
      remaining += target.split(separator: "/").reversed()
    }
    let found = "\(place)/\(name)"
    if creating { try createFolder(found) }
    return found
  }

  /// The limit of Linux for one path.
  private static let mostLinks = 40

  private func createFolder(_ place: String) throws(SecureFolderError) {
    guard mkdir(place, 0o700) == 0 || errno == EEXIST || (errno == EROFS && access(place, F_OK) == 0) else {
      throw SecureFolderError(path: place, .system(.create, errno))
    }
  }

  private func checkParent(_ place: String, _ status: stat) throws(SecureFolderError) {
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SecureFolderError(path: place, .notAFolder) }
    try checkParentOwner(place, status)
    // In a sticky folder only the owner of an entry can rename it.
    if status.st_mode & S_ISVTX != 0 { return }
    let isOpenToGroup =
      status.st_mode & S_IWGRP != 0 && !PrivateGroup.isPrivate(status.st_gid, of: owner)
    if status.st_mode & S_IWOTH != 0 || isOpenToGroup {
      throw SecureFolderError(path: place, .parentWritableByOthers(mode: UInt32(status.st_mode) & 0o7777))
    }
  }

  private func checkParentOwner(_ place: String, _ status: stat) throws(SecureFolderError) {
    guard status.st_uid == 0 || status.st_uid == owner else {
      throw SecureFolderError(path: place, .foreignOwner(status.st_uid))
    }
  }

  private func status(of place: String) throws(SecureFolderError) -> stat {
    var found = stat()
    guard lstat(place, &found) == 0 else { throw SecureFolderError(path: place, .system(.open, errno)) }
    return found
  }

  private func target(of link: String) throws(SecureFolderError) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &bytes, bytes.count)
    guard count > 0 else { throw SecureFolderError(path: link, .system(.open, errno)) }
    return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
