// SPDX-License-Identifier: Apache-2.0

/// Cleans untrusted text for a terminal and measures its width in cells.
package enum TerminalText {
  /// Replaces characters that must not reach a terminal.
  private static let replacement = "\u{FFFD}"

  /// The most marks per letter; more would overlap the lines above.
  private static let mostMarks = 4

  /// Replaces characters that could move the cursor, or reorder or hide text: control characters, escapes,
  /// bidirectional controls, line and paragraph separators, invisible tags and letters. Joiners inside emoji
  /// stay.
  package static func clean(_ text: some StringProtocol) -> String {
    rewritten(text) { isMark($0) ? "" : replacement }
  }

  /// Copies a text with something else in place of unsafe characters, and of marks beyond the limit.
  package static func rewritten(
    _ text: some StringProtocol, _ replacement: (Unicode.Scalar) -> String
  ) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return String(text) }
    var rewritten = String.UnicodeScalarView()
    for character in text {
      var marks = 0
      let last = character.unicodeScalars.count - 1
      for (position, scalar) in character.unicodeScalars.enumerated() {
        // A zero-width joiner inside a cluster combines several emoji into one.
        let joins = scalar == "\u{200D}" && position > 0 && position < last
        if isMark(scalar) { marks += 1 }
        if joins || (isMark(scalar) ? marks <= mostMarks : !mayBeUnsafe(scalar)) {
          rewritten.append(scalar)
        } else {
          rewritten.append(contentsOf: replacement(scalar).unicodeScalars)
        }
      }
    }
    return String(rewritten)
  }

  /// Whether there are texts in which the character is unsafe.
  package static func mayBeUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    // The fillers of Hangul are letters, and invisible.
    case .otherLetter: scalar.properties.isDefaultIgnorableCodePoint
    default: isMark(scalar)
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
  }

  /// The width of a text in cells: two for a CJK character or an emoji, none for a mark.
  package static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  /// Truncates to a number of cells, with an ellipsis.
  package static func truncated(_ text: String, to cells: Int) -> String {
    guard width(text) > cells else { return text }
    if cells <= 0 { return "" }
    var kept = ""
    var used = 0
    for character in text {
      let width = width(character)
      if used + width > cells - 1 { break }
      kept.append(character)
      used += width
    }
    return kept + "…"
  }

  /// Breaks a text between words into lines of this many cells; a longer word is cut, or gets a longer line of its own.
  package static func wrapped(_ text: String, to cells: Int, cutting cuts: Bool = true) -> [String] {
    let cells = max(1, cells)
    guard width(text) > cells else { return [text] }
    var lines: [String] = []
    var line = ""
    func fitted(_ line: String) -> String { cuts ? truncated(line, to: cells) : line }
    for word in text.split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if width(line) + 1 + width(word) <= cells {
        line += " \(word)"
      } else {
        lines.append(fitted(line))
        line = String(word)
      }
    }
    return lines + [fitted(line)]
  }

  private static func width(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii >= 0x20 && ascii < 0x7f ? 1 : 0 }
    var cells = 0
    for scalar in character.unicodeScalars {
      if scalar.properties.isEmojiPresentation || scalar == "\u{FE0F}" { return 2 }
      cells = max(cells, width(scalar))
    }
    return cells
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: 0
    default: isWide(scalar.value) ? 2 : 1
    }
  }

  /// East Asian Wide and Fullwidth (UAX #11), by whole blocks.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
