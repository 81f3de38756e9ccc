// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KithCore

@Suite final class NewFileTests {
  private let root = FileManager.default.temporaryDirectory.appending(path: "kith-new-\(UUID().uuidString)")
    .path()
  private var path: String { "\(root)/copy" }
  private var source: String { "\(root)/source" }

  init() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try Data("private".utf8).write(to: URL(filePath: source))
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  @Test func holdsTheContentForItsOwnerAlone() throws {
    let mask = umask(0)
    defer { umask(mask) }
    let file = try NewFile("copy", in: ChosenFolder(path: root))
    try file.write(contentsOf: source)
    try file.finish()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "private")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func doesNotWriteIntoWhatIsThere() throws {
    for make in [
      { [path] in try Data().write(to: URL(filePath: path)) },
      { [path, source] in
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: source)
      },
    ] {
      try make()
      let error = #expect(throws: SecureFolderError.self) {
        try NewFile("copy", in: ChosenFolder(path: root))
      }
      #expect(error?.reason == .system(.create, EEXIST))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Another user who can write to the folder renames the file, and puts one of their own in its place.
  @Test func givesNothingToAFileThatTookItsPlace() throws {
    let file = try NewFile("copy", in: ChosenFolder(path: root))
    try FileManager.default.moveItem(atPath: path, toPath: "\(root)/moved")
    try Data().write(to: URL(filePath: path))
    try file.write(contentsOf: source)
    let error = #expect(throws: SecureFolderError.self) { try file.finish() }
    #expect(error?.code == .parentWritableByOthers && error?.path == root)
    #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
    file.discard()
    #expect(FileManager.default.fileExists(atPath: path), "it is not this file")
  }

  @Test func isRemovedIfItIsNotWanted() throws {
    let file = try NewFile("copy", in: ChosenFolder(path: root))
    file.discard()
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
