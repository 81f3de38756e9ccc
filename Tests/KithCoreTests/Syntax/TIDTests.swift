// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct TIDTests {
  @Test(arguments: try SyntaxVector.valid("tid")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(TID.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("tid")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(TID.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/tid_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(TID.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/tid_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(TID.self, line)
  }

  @Test(arguments: [
    ("", 0), ("3jzfcijpj2z2", 12), ("3jzfcijpj2z2aa", 13), ("3jzfcijpj2z21", 12), ("3Jzfcijpj2z2a", 1),
    ("kjzfcijpj2z2a", 0),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(TID.self, text, at: offset)
  }

  @Test(
    arguments: [
      (0, 0, "2222222222222"), (1, 0, "2222222222322"), (0, 1, "2222222222223"), (0, 1_023, "22222222222zz"),
      (Instant(1 << 53 - 1), 1_023, "bzzzzzzzzzzzz"),
    ] as [(Instant, UInt16, String)])
  func spellsTimeAndClock(instant: Instant, clockID: UInt16, text: String) throws {
    let tid = TID(at: instant, clockID: clockID)
    #expect(tid.description == text)
    #expect(tid.instant == instant)
    #expect(tid.clockID == clockID)
    #expect(try TID(parsing: text) == tid)
  }

  @Test func movesTimesThatDoNotFit() {
    #expect(TID(at: -5, clockID: 0).instant == 0)
    #expect(TID(at: .distantFuture, clockID: 0).instant == Instant(1 << 53 - 1))
    #expect(TID(at: 0, clockID: .max).clockID == 1_023)
  }

  @Test(arguments: ["2222222222222", "3jzfcijpj2z2a", "jzzzzzzzzzzzz"])
  func isTheSameAgainFromItsBits(text: String) throws {
    #expect(TID(bits: try TID(parsing: text).bits).description == text)
  }

  @Test func readsTimesBeyond53Bits() throws {
    let tid = try TID(parsing: "jzzzzzzzzzzzz")
    #expect(tid.instant == Instant(1 << 54 - 1))
    #expect(tid.description == "jzzzzzzzzzzzz")
  }

  @Test func sortsAsTheTextsDo() {
    let tids = [(0, 5), (1, 0), (31, 7), (32, 0), (1_000_000, 3)].map {
      TID(at: $0, clockID: $1)
    }
    #expect(tids.reversed().sorted() == tids)
    #expect(tids.map(\.description).sorted() == tids.map(\.description))
  }
}
