// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file whose content becomes trusted: a regular file that only its owner can change, checked when it was opened.
package final class IncomingFile: Sendable {
  /// Where it was found, for messages.
  package let path: String
  /// Its size in bytes when it was opened; reading stops there.
  package let size: Int
  private let descriptor: Int32
  private static let pieceSize = 1 << 20

  init(path: String, descriptor: Int32, size: Int) {
    (self.path, self.descriptor, self.size) = (path, descriptor, size)
  }

  deinit { close(descriptor) }

  /// Writes the content into an existing file, from the start of both.
  ///
  /// - Throws: ``SecureFolderError`` with the path of the one that cannot be read or written.
  package func copy(to path: String) throws(SecureFolderError) {
    let target = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard target >= 0 else { throw SecureFolderError(path: path, .system(.open, errno)) }
    defer { close(target) }
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    var place = 0
    while place < size {
      let count = pread(descriptor, &piece, min(piece.count, size - place), off_t(place))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SecureFolderError(path: self.path, .system(.read, errno)) }
      // Its owner made it shorter meanwhile.
      if count == 0 { return }
      var written = 0
      while written < count {
        let more = piece.withUnsafeBytes { bytes in
          pwrite(target, bytes.baseAddress.map { $0 + written }, count - written, off_t(place + written))
        }
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { throw SecureFolderError(path: path, .system(.write, errno)) }
        written += more
      }
      place += count
    }
  }
}
