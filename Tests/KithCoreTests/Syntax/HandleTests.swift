// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct HandleTests {
  @Test(arguments: try SyntaxVector.valid("handle")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(Handle.self, vector.text, spelled: vector.text.lowercased())
  }

  @Test(arguments: try SyntaxVector.invalid("handle")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(Handle.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/handle_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(Handle.self, line, spelled: line.lowercased())
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/handle_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(Handle.self, line)
  }

  @Test(arguments: [
    ("", 0), ("alice", 5), ("alice.", 6), (".alice.test", 0), ("alice..test", 6), ("-alice.test", 0),
    ("alice-.test", 5), ("alice.-test", 6), ("alice.test-", 10), ("al_ice.test", 2), ("alice.1test", 6),
    ("@alice.test", 0), ("alice.test ", 10),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(Handle.self, text, at: offset)
  }

  @Test func acceptsSegmentsOfAtMost63Bytes() {
    let most = String(repeating: "a", count: 63)
    expectValid(Handle.self, "\(most).test")
    expectInvalid(Handle.self, "a.a\(most).test", at: 2 + 63)
  }

  @Test func acceptsAtMost253Bytes() {
    let most = String(repeating: "a.", count: 124) + "abcde"
    expectValid(Handle.self, most)
    expectInvalid(Handle.self, most + "f", at: 253)
  }

  @Test func turnsToLowerCase() throws {
    #expect(try Handle(parsing: "Alice.TEST").description == "alice.test")
    #expect(Handle("Alice.TEST") == Handle("alice.test"))
  }

  @Test func knowsTheMissingHandle() throws {
    #expect(Handle.invalid.description == "handle.invalid")
    #expect(try Handle(parsing: "Handle.Invalid").isInvalid)
    #expect(try !Handle(parsing: "alice.invalid").isInvalid)
  }
}
