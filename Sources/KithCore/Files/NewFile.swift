// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A new file with mode 0600 in a folder that other users may be able to write to.
///
/// It is written through its descriptor only. Another user who renames it and puts an own file at its path
/// gets nothing of its content, and ``finish()`` notices.
package final class NewFile: Sendable {
  /// The path, for messages.
  package let path: String
  private let name: String
  private let folder: ChosenFolder
  private let descriptor: Int32
  private static let pieceSize = 1 << 20

  /// Creates the file.
  ///
  /// - Throws: ``SecureFolderError``; also if there is a file or link of that name.
  package init(_ name: String, in folder: ChosenFolder) throws(SecureFolderError) {
    (self.name, self.folder, path) = (name, folder, folder.path(of: name))
    descriptor = folder.create(name, mode: 0o600)
    guard descriptor >= 0 else { throw SecureFolderError(path: path, .system(.create, errno)) }
  }

  deinit { close(descriptor) }

  /// Writes the content of another file.
  ///
  /// - Throws: ``SecureFolderError``.
  package func write(contentsOf source: String) throws(SecureFolderError) {
    let input = open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard input >= 0 else { throw SecureFolderError(path: source, .system(.open, errno)) }
    defer { close(input) }
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = read(input, &piece, piece.count)
      if count == 0 { return }
      if count > 0 {
        try write(piece[..<count])
      } else if errno != EINTR {
        throw SecureFolderError(path: source, .system(.read, errno))
      }
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>) throws(SecureFolderError) {
    var remaining = bytes
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        remaining = remaining.dropFirst(count)
      } else if errno != EINTR {
        throw SecureFolderError(path: path, .system(.write, errno))
      }
    }
  }

  /// Waits until the content is on disk.
  ///
  /// - Throws: ``SecureFolderError``; `parentWritableByOthers` if another user put something else at the path.
  package func finish() throws(SecureFolderError) {
    guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else {
      throw SecureFolderError(path: path, .system(.write, errno))
    }
    guard isInPlace, folder.isInPlace else {
      throw SecureFolderError(path: folder.path, .parentWritableByOthers(mode: folder.mode))
    }
  }

  /// Removes the file, unless another is in its place.
  package func discard() { if isInPlace { folder.remove(name) } }

  private var isInPlace: Bool {
    guard let own = FileIdentity(descriptor: descriptor) else { return false }
    return folder.identity(of: name) == own
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
