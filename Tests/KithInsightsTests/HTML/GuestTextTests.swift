// SPDX-License-Identifier: Apache-2.0

import KithInsights
import Testing

/// What of strangers' texts is shown.
@Suite struct GuestTextTests {
  @Test(arguments: [
    "", "alice <b> & \"c\"", "a\tb\nc", "Zoë", "日本語", "한국어", "Привет",
    // Persian: a non-joiner behind a letter, a digit and a vowel sign.
    "می‌خواهم", "۱۰‌ام", "خانهٔ‌ما",
    // Devanagari with a non-joiner, Sinhala and Bengali with joiners.
    "क्‌ष", "ශ්‍රී ලංකා", "র‍্যাম",
    "कार्त्स्न्यं",
    "👩‍👩‍👧", "🏳️‍🌈", "👩🏽‍🚀", "❤️‍🔥", "1️⃣", "♡︎", "👋🏽", "🇩🇪",
    // England, Scotland and Wales.
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "🏴",
    "שלום\u{200F}!", "a\u{200E}b", "\u{061C}ab",
    // The end of a verse, and a variant of a Han character.
    "\u{06DD}۱", "葛\u{E0100}",
  ])
  func whatScriptsAndEmojiNeedStays(text: String) { expect(text, text) }

  @Test(arguments: [
    // Bidirectional controls.
    0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,
    // Of no width: space, joiners without letters, word joiner, byte order mark, invisible operators.
    0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x2061, 0x2064,
    // Soft hyphen, grapheme joiner, vowel separator, fillers of Hangul, vowels of Khmer.
    0xAD, 0x34F, 0x180E, 0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4,
    // Tags, variation selectors, annotations, noncharacters, controls.
    0xE0001, 0xE0041, 0xE007F, 0xFE0F, 0xFE00, 0xE0100, 0xFFF9, 0xFFFE, 0xFDD0, 0x0, 0x7, 0x1B, 0x7F, 0x9B,
  ])
  func whatHidesOrReordersIsShown(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    for (before, after) in [("a", "b"), ("", ""), ("é", ""), ("日", "本")] {
      // Any character may have variants, except a letter of ASCII.
      if scalar.properties.isVariationSelector, before == "é" || before == "日" { continue }
      expect("\(before)\(scalar)\(after)", "\(before)\u{FFFD}\(after)")
    }
  }

  @Test func eachCharacterShowsOneVariationSelector() {
    expect("👋\u{FE0F}\u{E0101}\u{FE01}", "👋\u{FE0F}\u{FFFD}\u{FFFD}")
  }

  @Test func joinersStandAloneInScriptsThatHaveThem() {
    expect("می\u{200C}\u{200C}خ", "می\u{200C}\u{FFFD}خ")
    expect("می\u{200C} ب", "می\u{200C} ب")
    expect("👩\u{200D}", "👩\u{FFFD}")
    expect("a\u{200D}\u{301}", "a\u{FFFD}\u{301}")
  }

  @Test func tagsThatSpellNoFlagAreShown() {
    expect("🏴\u{E0067}\u{E0062}", "🏴\u{FFFD}\u{FFFD}")
    expect("👋\u{E0067}\u{E007F}", "👋\u{FFFD}\u{FFFD}")
    let text = String(repeating: "\u{E0061}", count: 40)
    expect("🏴\(text)\u{E007F}", "🏴" + String(repeating: "\u{FFFD}", count: 41))
  }

  @Test func marksDoNotPileUp() {
    expect(
      "e" + String(repeating: "\u{301}", count: 80) + "x", "e" + String(repeating: "\u{301}", count: 4) + "x")
  }

  @Test(arguments: ["\r\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"])
  func lineBreaksAreOfOneKind(text: String) { expect("é\(text)b", "é\nb") }

  /// Compares scalars: equal strings may differ in them.
  private func expect(_ text: String, _ shown: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let visible = GuestText.visible(text)
    #expect(
      visible.unicodeScalars.elementsEqual(shown.unicodeScalars), "\(visible.debugDescription)",
      sourceLocation: sourceLocation)
  }
}
