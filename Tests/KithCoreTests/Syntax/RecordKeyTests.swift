// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct RecordKeyTests {
  @Test(arguments: try SyntaxVector.valid("recordkey")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(RecordKey.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("recordkey")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(RecordKey.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/recordkey_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(RecordKey.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/recordkey_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(RecordKey.self, line)
  }

  @Test(arguments: [("", 0), (".", 0), ("..", 0), ("a/b", 1), ("a b", 1), ("é", 0), ("a%", 1)])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(RecordKey.self, text, at: offset)
  }

  @Test func acceptsAtMost512Bytes() {
    let most = String(repeating: "a", count: 512)
    expectValid(RecordKey.self, most)
    expectInvalid(RecordKey.self, most + "a", at: 512)
  }

  @Test func isMadeOfATID() throws {
    let tid = try TID(parsing: "3jzfcijpj2z2a")
    #expect(RecordKey(tid: tid).description == "3jzfcijpj2z2a")
    #expect(RecordKey(tid: tid).tid == tid)
    #expect(RecordKey.literalSelf.description == "self")
    #expect(RecordKey.literalSelf.tid == nil)
  }
}
