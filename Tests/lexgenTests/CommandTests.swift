// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import lexgen

@Suite struct CommandTests {
  @Test func generatesAndThenFindsNoDifference() throws {
    let path = NSTemporaryDirectory() + "lexgen-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lexicons = path + "/Lexicons"
    let output = path + "/Output"
    try write(#"{"lexicon": 1, "id": "com.example.doc", "defs": {"main": {"type": "query"}}}"#, to: lexicons)
    #expect(
      Command.run(["--check", lexicons, output])
        == Command.Outcome(
          status: 1,
          complaints: ["Namespaces.swift", "com.example.doc.swift"].map {
            "\(output)/\($0) is out of date; run lexgen again"
          }))
    #expect(Command.run([lexicons, output]) == Command.Outcome())
    #expect(Command.run(["--check", lexicons, output]) == Command.Outcome())

    try write(#"{"lexicon": 1, "id": "com.example.doc", "defs": {"main": {"type": "quest"}}}"#, to: lexicons)
    #expect(
      Command.run([lexicons, output])
        == Command.Outcome(
          status: 65,
          complaints: [
            "\(lexicons)/com/example/doc.json: defs.main: the type \"quest\" is unknown"
          ]))
  }

  private func write(_ document: String, to lexicons: String) throws {
    try FileManager.default.createDirectory(
      atPath: lexicons + "/com/example", withIntermediateDirectories: true)
    try Data(document.utf8).write(to: URL(filePath: lexicons + "/com/example/doc.json"))
    try Data("com.example.*".utf8).write(to: URL(filePath: lexicons + "/roots.txt"))
    try Data("com.example.doc 64 1000".utf8).write(to: URL(filePath: lexicons + "/bounds.txt"))
  }

  @Test(arguments: [[], ["Lexicons"], ["a", "b", "c"], ["--chekc", "a", "b"], ["a", "--check", "b"]])
  func explainsItsUsage(arguments: [String]) {
    #expect(
      Command.run(arguments)
        == Command.Outcome(status: 64, complaints: ["usage: lexgen [--check] LEXICONS OUTPUT"]))
  }

  @Test func reportsAMissingFolder() {
    #expect(Command.run(["/nonexistent", "/nonexistent"]).status == 74)
  }
}
