// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("plain text, 100 %", "plain text, 100 %"),
    ("朱迪 ジュディ", "朱迪 ジュディ"),
    ("\u{1B}[31mred\u{1B}[0m", "\u{FFFD}[31mred\u{FFFD}[0m"),
    ("\u{1B}]0;title\u{07}", "\u{FFFD}]0;title\u{FFFD}"),
    ("a\u{9B}2Jb", "a\u{FFFD}2Jb"),
    ("one\r\ntwo\tthree\u{0}\u{7F}", "one\u{FFFD}\u{FFFD}two\u{FFFD}three\u{FFFD}\u{FFFD}"),
    ("\u{202E}yrollaM\u{202C}", "\u{FFFD}yrollaM\u{FFFD}"),
    ("\u{2066}x\u{2069}", "\u{FFFD}x\u{FFFD}"),
    ("a\u{2028}b\u{2029}c", "a\u{FFFD}b\u{FFFD}c"),
    ("zero\u{200B}width\u{FEFF}", "zero\u{FFFD}width\u{FFFD}"),
    ("tag\u{E0041}", "tag\u{FFFD}"),
    ("private\u{E000}", "private\u{FFFD}"),
    ("\u{115F}\u{1160}\u{3164}\u{FFA0}한", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}한"),
  ])
  func replacesUnsafeCharacters(text: String, cleaned: String) {
    #expect(TerminalText.clean(text).unicodeScalars.elementsEqual(cleaned.unicodeScalars))
  }

  @Test(arguments: ["👨‍👩‍👧", "🏳️‍🌈", "👍🏽", "🇪🇺", "é", "e\u{301}", "1️⃣"])
  func keepsClustersWhole(text: String) {
    #expect(TerminalText.clean(text).unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test func joinersThatJoinNothingAreReplaced() {
    #expect(TerminalText.clean("a\u{200D}b") == "a\u{FFFD}b")
    #expect(TerminalText.clean("\u{200D}") == "\u{FFFD}")
  }

  @Test func marksOnOneLetterAreBounded() {
    let zalgo = "z" + String(repeating: "\u{0335}", count: 50) + "algo"
    #expect(TerminalText.clean(zalgo).unicodeScalars.count == "zalgo".count + 4)
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("朱迪", 4), ("ジュディ", 8), ("ｶﾅ", 2), ("한글", 4), ("🐳", 2), ("👨‍👩‍👧", 2), ("🇪🇺", 2), ("👍🏽", 2),
    ("e\u{301}", 1), ("é", 1), ("1️⃣", 2), ("☎", 1), ("☎️", 2), ("a\u{0}b", 2), ("…", 1), ("\u{FFFD}", 1),
  ])
  func measuresCells(text: String, width: Int) {
    #expect(TerminalText.width(text) == width)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("朱迪ジュ", 5, "朱迪…"), ("朱迪ジュ", 4, "朱…"), ("🐳🐳", 1, "…"),
  ])
  func truncatesByCellsAndNeverInsideACharacter(text: String, cells: Int, cut: String) {
    #expect(TerminalText.truncated(text, to: cells) == cut)
    #expect(TerminalText.width(cut) <= cells)
  }
}
