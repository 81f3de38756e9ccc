// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Pictures that never change, in a folder of their own that may be deleted at any time.
///
/// A folder that cannot be used, or a full disk, only means that nothing is kept. An actor, so that one thread at most waits
/// for the disk.
package actor PictureCache {
  private let folder: SecureFolder
  private let mostBytes: Int
  /// The bytes written since the files were last counted; nil before that.
  private var written: Int?

  /// A process counts the files again after it has written this many bytes: so rarely that it costs little, so often that a
  /// hundred files are removed at a time, and not thousands.
  private var share: Int { mostBytes / 50 }

  /// - Parameters:
  ///   - folder: for these pictures only; created when one is kept. Two processes can share it.
  ///   - mostBytes: the maximum of all files together.
  package init(in folder: SecureFolder, mostBytes: Int = 200_000_000) {
    (self.folder, self.mostBytes) = (folder, mostBytes)
  }

  /// Returns a picture, and notes that it is used now; nil if it is not here.
  func picture(at address: PictureAddress, now: Instant) -> FetchedPicture? {
    guard let name = address.fileName else { return nil }
    let file: [UInt8]?
    do throws(SecureFolderError) { file = try folder.read(name, limit: PictureProxy.mostBytes) } catch {
      file = nil
      if case .tooLarge = error.reason { try? folder.removeFiles([name]) }
    }
    guard let file else { return nil }
    guard let picture = FetchedPicture(file) else {
      try? folder.removeFiles([name])
      return nil
    }
    try? folder.touch(name, at: now, ifOlderThan: .days(1))
    return picture
  }

  /// Keeps a picture if its address names its content.
  func keep(_ picture: FetchedPicture, of address: PictureAddress, now: Instant) {
    let size = picture.bytes.count
    guard let name = address.fileName, size <= share else { return }
    do throws(SecureFolderError) {
      if (written ?? share) + size > share {
        try removeUnused()
        written = 0
      }
      // A page of fifty faces would wait a second for the disk, only to save fetching the last ones again.
      try folder.write(picture.bytes, to: name, isFlushed: false)
      written = (written ?? 0) + size
      try folder.touch(name, at: now)
    } catch { return }
  }

  /// Removes the least recently used files until there is room for the shares of two processes.
  private func removeUnused() throws(SecureFolderError) {
    let files = try folder.files()
    var excess = files.reduce(0) { $0 + $1.bytes } - (mostBytes - 2 * share)
    guard excess > 0 else { return }
    var unused: [String] = []
    for file in files.sorted(by: { ($0.changed, $0.name) < ($1.changed, $1.name) }) where excess > 0 {
      unused.append(file.name)
      excess -= file.bytes
    }
    try folder.removeFiles(unused)
  }
}
