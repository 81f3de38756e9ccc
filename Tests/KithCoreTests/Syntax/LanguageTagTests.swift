// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct LanguageTagTests {
  @Test(arguments: try SyntaxVector.valid("language")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(LanguageTag.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("language")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(LanguageTag.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/language_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(LanguageTag.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/language_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(LanguageTag.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/language_parse_invalid.txt"))
  func refusesRepeatedSubtags(line: String) {
    expectInvalid(LanguageTag.self, line)
  }

  @Test(arguments: [
    ("", 0), ("j", 0), ("jaja", 3), ("JA", 0), ("ja-", 3), ("ja--x", 3), ("a-DE", 0), ("x", 1), ("ja-a_b", 4),
    ("ja-abcdefghi", 11), ("de-1901-1901", 8), ("de-rozaj-ROZAJ", 9), ("en-a-foo-A-bar", 9), ("ja JP", 2),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(LanguageTag.self, text, at: offset)
  }

  @Test(arguments: ["pt-BR", "i-klingon", "x-a-a", "en-x-rozaj-rozaj", "en-u-phonebk-phonebk", "zh-min-nan"])
  func takesWhatMayRepeat(text: String) {
    expectValid(LanguageTag.self, text)
  }

  @Test func acceptsAtMost128Bytes() {
    let most = "en-x" + String(repeating: "-abc", count: 31)
    expectValid(LanguageTag.self, most)
    expectInvalid(LanguageTag.self, most + "d", at: 128)
  }
}
