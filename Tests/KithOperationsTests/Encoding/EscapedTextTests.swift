// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations

/// Names and descriptions of lists that an export writes to a pipe, and an import reads back.
@Suite struct EscapedTextTests {
  private static let texts = [
    "", "plain", "朱迪 👨‍👩‍👧 é", "two\nlines\r\n", "\u{1B}]0;own\u{7}", "\u{202E}gpj", "\u{200B}", "\u{3164}",
    "a\u{200D}",
    #"\"#, #"\\"#, #"\u"#, #"\u{"#, #"\u{1B}"#, #"\u{1b}"#, #"\\u{5C}"#, #"\u{41}"#, #"\u{110000}"#, #"\u{}"#,
    #"\u{5C}u{1B}"#, #"\u{0000001B}"#, "\\u{\u{1B}1B}", #"\u{\u{1B}}"#,
    "z\u{335}\u{335}\u{335}\u{335}\u{335}\u{335}",
    "\u{E000}", "\u{0}", "C:\\users\\u{A}",
  ]

  @Test(arguments: texts, [false, true])
  func importReadsBackWhatExportWrites(text: String, keepsUnsafe: Bool) {
    let escaped = EscapedText.escaped(text, keepsUnsafe: keepsUnsafe)
    #expect(EscapedText.unescaped(escaped).unicodeScalars.elementsEqual(text.unicodeScalars), "\(escaped)")
  }

  @Test(arguments: texts) func nothingUnsafeReachesATerminal(text: String) {
    let escaped = EscapedText.escaped(text)
    #expect(TerminalText.clean(escaped).unicodeScalars.elementsEqual(escaped.unicodeScalars))
  }

  @Test func whatNeedsNoEscapeStays() {
    for text in ["plain", #"C:\users"#, #"\u{41}"#, "朱迪 👨‍👩‍👧 é"] {
      #expect(EscapedText.escaped(text) == text)
      #expect(EscapedText.escaped(text, keepsUnsafe: true) == text)
    }
    #expect(EscapedText.escaped("a\nb", keepsUnsafe: true) == "a\nb")
    #expect(EscapedText.escaped("a\u{1B}b") == #"a\u{1B}b"#)
  }
}
