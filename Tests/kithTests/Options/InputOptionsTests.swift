// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import kith

@Suite struct InputOptionsTests {
  @Test func aFileThatExistsIsReadWhateverItsNameLooksLike() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder.appending(path: "a:"), withIntermediateDirectories: true)
    try Data("bob.test\n".utf8).write(to: folder.appending(path: "a:/b.txt"))
    var options = try InputOptions.parse([])
    options.files = ["\(folder.path())/a://b.txt"]
    try options.validate(with: [String]())
    options.files = ["\(folder.path())/a://c.txt"]
    #expect(throws: ValidationError.self) { try options.validate(with: [String]()) }
  }

  @Test func aFieldMayBeNamedOnce() throws {
    #expect(try CommonOptions.positions(of: "did,pds", among: ["pds", "did"]) == [1, 0])
    #expect(throws: CommandFault(.usage, .repeatedField("did"))) {
      try CommonOptions.positions(of: "did,pds,did", among: ["pds", "did"])
    }
  }
}
