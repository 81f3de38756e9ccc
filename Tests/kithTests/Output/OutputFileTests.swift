// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import kith

/// Files that a run writes, in folders where other users may be able to write.
@Suite final class OutputFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "kith-output-\(UUID().uuidString)"
  ).path()
  private var path: String { "\(folder)/rows.csv" }
  /// For the check, what this user made belongs to another one.
  private let other = geteuid() + 1

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func write(_ text: String, to file: OutputFile) throws {
    try OutputDescriptor(number: file.descriptor, name: file.name).write(Array(text.utf8))
  }

  @Test func whatAnotherUserPutThereIsNotReplaced() throws {
    try Data("precious".utf8).write(to: URL(filePath: path))
    #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
    for path in [path, "\(folder)/pipe"] {
      let fault = #expect(throws: CommandFault.self) { try OutputFile(path: path, owner: other) }
      #expect(fault?.status == .fileTrouble)
    }
    #expect(try text(path) == "precious")
  }

  @Test func anOwnLinkIsKeptAndItsTargetIsReplaced() throws {
    try Data("old".utf8).write(to: URL(filePath: "\(folder)/target"))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder)/target")
    let file = try OutputFile(path: path)
    try write("new", to: file)
    #expect(try text(path) == "old")
    try file.finish()
    #expect(try text("\(folder)/target") == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "\(folder)/target")
  }

  /// Another user who can write to the folder puts an own file in the place of the one that is written.
  @Test func aDraftThatWasExchangedIsNotPublished() throws {
    try Data("old".utf8).write(to: URL(filePath: path))
    let draft = "\(path).\(getpid()).part"
    do {
      let file = try OutputFile(path: path)
      try write("new", to: file)
      try FileManager.default.moveItem(atPath: draft, toPath: "\(folder)/moved")
      try Data("theirs".utf8).write(to: URL(filePath: draft))
      let fault = #expect(throws: CommandFault.self) { try file.finish() }
      #expect(fault?.status == .fileTrouble)
    }
    #expect(try text(path) == "old" && text(draft) == "theirs")
  }

  @Test func aDraftThatIsNotFinishedIsRemoved() throws {
    do { try write("new", to: try OutputFile(path: path)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }
}
