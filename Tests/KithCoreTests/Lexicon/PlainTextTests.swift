// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

/// Texts as programs and files have them.
@Suite struct PlainTextTests {
  @Test(arguments: [
    ("\u{FEFF}hello", "hello"), ("one\r\ntwo\r\n", "one\ntwo\n"), ("one\rtwo", "one\ntwo"),
    ("a\tb\n", "a\tb\n"),
    ("a\u{FEFF}b", "a\u{FEFF}b"), ("", ""), ("👩‍👩‍👧 é", "👩‍👩‍👧 é"),
  ])
  func aMarkAtTheBeginningAndOtherLineBreaksAreNotOfTheText(given: String, text: String) {
    #expect(PlainText(given).text == text && PlainText(given).control == nil)
  }

  @Test(arguments: [
    ("a\u{1B}[31mred", 0x1B), ("bell\u{7}", 7), ("\0", 0), ("\u{85}", 0x85), ("\u{7F}", 0x7F),
  ])
  func controlCharactersAreFound(text: String, scalar: UInt32) {
    #expect(PlainText(text).control?.value == scalar)
    let error = #expect(throws: ValidationError.self) { try PlainText.published(text, as: "name") }
    #expect(error?.path == "name" && error?.reason.contains(PlainText(text).controlName ?? "-") == true)
  }
}
