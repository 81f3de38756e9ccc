// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KithCore

/// Folders of the user's choice, in which others may be able to write.
@Suite final class ChosenFolderTests {
  private let root = FileManager.default.temporaryDirectory.appending(
    path: "kith-chosen-\(UUID().uuidString)"
  ).path()
  private var path: String { "\(root)/backups" }
  /// For the check, what this user made belongs to another one.
  private static let others: Set<UInt32> = [geteuid() + 1]

  init() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func write(_ text: String, to name: String, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    try setMode(mode, "\(path)/\(name)")
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  private func reason<Value>(_ body: () throws(SecureFolderError) -> Value) -> SecureFolderError.Reason? {
    do throws(SecureFolderError) {
      _ = try body()
      return nil
    } catch { return error.reason }
  }

  // MARK: The folder

  @Test func isOwnIfNoOtherUserCanChangeOrReplaceIt() throws {
    func reason(_ owners: Set<UInt32> = [geteuid(), 0]) -> SecureFolderError.Reason? {
      self.reason { () throws(SecureFolderError) in try ChosenFolder(path: path, owners: owners).requireOwn()
      }
    }
    for mode in [0o700, 0o755, 0o711] {
      try setMode(mode, path)
      #expect(reason() == nil)
    }
    // That a folder is sticky does not keep others from adding something to it.
    for mode in [0o777, 0o1777, 0o703] {
      try setMode(mode, path)
      #expect(reason() == .parentWritableByOthers(mode: UInt32(mode)))
    }
    try setMode(0o700, path)
    #expect(reason(Self.others) == .foreignOwner(geteuid()))
    // A folder above.
    try setMode(0o777, root)
    #expect(reason() == .parentWritableByOthers(mode: 0o777))
    try setMode(0o1777, root)
    #expect(reason() == nil)
  }

  @Test func followsALinkOfItsOwnersOnly() throws {
    try link("inner", to: root)
    #expect(
      reason { () throws(SecureFolderError) in try ChosenFolder(path: "\(path)/inner").requireOwn() } == nil)
    #expect(
      reason { () throws(SecureFolderError) in
        try ChosenFolder(path: "\(path)/inner", owners: Self.others)
      } == .foreignOwner(geteuid()))
    let folder = try ChosenFolder(path: path)
    #expect(reason { () throws(SecureFolderError) in try folder.folder("inner") } == .notAFolder)
    try write("", to: "file")
    #expect(reason { () throws(SecureFolderError) in try ChosenFolder(path: "\(path)/file") } == .notAFolder)
    #expect(
      reason { () throws(SecureFolderError) in try ChosenFolder(path: "\(root)/absent") }
        == .system(.open, ENOENT))
    #expect(reason { () throws(SecureFolderError) in try ChosenFolder(path: "") } == .system(.open, ENOENT))
  }

  // MARK: What comes in

  @Test func takesInARegularFileThatOnlyItsOwnerCanChange() throws {
    let folder = try ChosenFolder(path: path)
    func reason(_ name: String, _ folder: ChosenFolder) -> SecureFolderError.Reason? {
      self.reason { () throws(SecureFolderError) in try folder.incoming(name) }
    }
    try write("copy", to: "file", mode: 0o644)
    #expect(reason("file", folder) == nil)
    #expect(reason("file", try ChosenFolder(path: path, owners: Self.others)) == .foreignOwner(geteuid()))
    for mode in [0o666, 0o602] {
      try write("copy", to: "open", mode: mode)
      #expect(reason("open", folder) == .writableByOthers(mode: UInt32(mode)))
    }
    try link("link", to: "file")
    #expect(reason("link", folder) == .symbolicLink)
    // Without waiting for its other end.
    #expect(mkfifo("\(path)/pipe", 0o600) == 0)
    #expect(reason("pipe", folder) == .notAFile)
    #expect(mkdir("\(path)/folder", 0o700) == 0)
    #expect(reason("folder", folder) == .notAFile)
    #expect(reason("absent", folder) == .system(.open, ENOENT))
  }

  @Test func copiesNoMoreThanWasThereWhenItWasOpened() throws {
    try write("copy", to: "file")
    let file = try ChosenFolder(path: path).incoming("file")
    try write("copy and more", to: "file")
    let handle = try FileHandle(forWritingTo: URL(filePath: "\(path)/file"))
    defer { try? handle.close() }
    try write("", to: "target")
    try file.copy(to: "\(path)/target")
    #expect(file.size == 4)
    #expect(try String(contentsOfFile: "\(path)/target", encoding: .utf8).utf8.count == 4)
  }

  // MARK: Removing

  @Test func removesNothingBehindALinkAndNothingThatIsInUse() throws {
    let victim = "\(root)/live"
    try Data("precious".utf8).write(to: URL(filePath: victim))
    try link("link", to: victim)
    try FileManager.default.linkItem(atPath: victim, toPath: "\(path)/hard")
    let folder = try ChosenFolder(path: path)
    let live = try #require(FileIdentity(path: victim))
    #expect(!folder.remove("hard", unless: [live]) && folder.contains("hard"))
    #expect(folder.remove("link", unless: [live]) && !folder.contains("link"))
    try link("folder", to: root)
    try FileManager.default.createDirectory(atPath: "\(path)/deep/deeper", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: "\(path)/deep/out", withDestinationPath: root)
    folder.removeEntries()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
  }

  @Test func listsOwnFoldersOnly() throws {
    try link("link", to: root)
    try write("", to: "file")
    #expect(mkdir("\(path)/own", 0o700) == 0 && mkdir("\(path)/open", 0o700) == 0)
    try setMode(0o777, "\(path)/open")
    #expect(try ChosenFolder(path: path).ownFolders == ["own"])
    #expect(try ChosenFolder(path: path, owners: Self.others).ownFolders.isEmpty)
  }

  // MARK: Files for other programs

  @Test func aTemporaryFolderCannotBeReplaced() throws {
    let folder = try TemporaryFolder(named: "kith", in: path)
    #expect(folder.path.hasPrefix("\(path)/kith-"))
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/out", withDestinationPath: root)
    folder.remove()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    try setMode(0o777, path)
    #expect(
      reason { () throws(SecureFolderError) in try TemporaryFolder(named: "kith", in: path) }
        == .parentWritableByOthers(mode: 0o777))
    try setMode(0o1777, path)
    try TemporaryFolder(named: "kith", in: path).remove()
    if geteuid() != 0 {
      // What belongs to root is trusted.
      #expect(
        reason { () throws(SecureFolderError) in
          try TemporaryFolder(named: "kith", in: path, owner: geteuid() + 1)
        } == .foreignOwner(geteuid()))
    }
  }
}
