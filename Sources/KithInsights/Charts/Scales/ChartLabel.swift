// SPDX-License-Identifier: Apache-2.0

/// Untrusted text, sanitized for images, pages and terminals.
enum ChartLabel {
  /// Longer text is truncated: a label is a short name.
  static let mostCharacters = 300
  /// Combining marks kept per letter; more of them overlap the lines above.
  private static let mostMarks = 4

  /// Removes characters that hide, reorder or break text: control and format characters, noncharacters.
  ///
  /// Line breaks and tabs become spaces. The zero-width joiner is kept because it combines emoji.
  static func clean(_ text: String, most: Int = mostCharacters) -> String {
    if text.utf8.count <= most, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var (cleaned, count, marks) = (String.UnicodeScalarView(), 0, 0)
    for scalar in text.unicodeScalars {
      if count >= most {
        cleaned.append("…")
        break
      }
      switch scalar.properties.generalCategory {
      case .control:
        guard scalar.value >= 0x09, scalar.value <= 0x0D else { continue }
        cleaned.append(" ")
      case .lineSeparator, .paragraphSeparator: cleaned.append(" ")
      case .format where scalar.value != 0x200D: continue
      case .surrogate: continue
      // The fillers of Hangul are letters, and invisible.
      case .otherLetter where scalar.properties.isDefaultIgnorableCodePoint: continue
      case .unassigned where scalar.properties.isNoncharacterCodePoint: continue
      case .nonspacingMark, .enclosingMark:
        marks += 1
        guard marks <= mostMarks else { continue }
        cleaned.append(scalar)
        continue
      default: cleaned.append(scalar)
      }
      marks = 0
      count += 1
    }
    return String(cleaned)
  }

  /// Clean text with `&`, `<`, `>` and both quotes escaped, for content and attributes in XML and HTML.
  static func escaped(_ text: String, most: Int = mostCharacters) -> String {
    escapingMarkup(of: clean(text, most: most))
  }

  /// All of the text, with `&`, `<`, `>` and both quotes escaped.
  static func escapingMarkup(of text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The cells that clean text takes on a terminal: two for a CJK character or an emoji.
  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Truncates to a number of cells, with an ellipsis if anything was cut.
  static func cut(_ text: String, to cells: Int) -> String {
    guard width(text) > cells else { return text }
    var (kept, used) = ("", 0)
    for character in text {
      used += width(character)
      if used > cells - 1 { break }
      kept.append(character)
    }
    return cells <= 0 ? "" : kept + "…"
  }

  /// Clean text in lines of at most this many cells; a longer word gets a line of its own.
  static func wrapped(_ text: String, to cells: Int) -> [String] {
    var (lines, line) = ([String](), "")
    for word in clean(text, most: 1_000).split(separator: " ") {
      if !line.isEmpty, width(line) + width(String(word)) >= cells {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The text in printable ASCII, with the same width.
  static func ascii(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    return text.reduce(into: "") { ascii, character in
      if let value = character.asciiValue, value >= 0x20, value < 0x7F {
        ascii.append(character)
      } else {
        ascii += substitutes[character] ?? String(repeating: "?", count: width(character))
      }
    }
  }

  private static let substitutes: [Character: String] = [
    "−": "-", "–": "-", "—": "-", "…": "~", "·": "-", "×": "x", "’": "'", "“": "\"", "”": "\"", "≥": ">",
    "≤": "<",
    "≈": "~", "▲": "^", "▼": "v", "±": "+", "→": ">", "\u{A0}": " ",
  ]

  static func width(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii >= 0x20 && ascii < 0x7F ? 1 : 0 }
    var cells = 0
    for scalar in character.unicodeScalars {
      if scalar.properties.isEmojiPresentation || scalar == "\u{FE0F}" { return 2 }
      switch scalar.properties.generalCategory {
      case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: continue
      default: cells = max(cells, isWide(scalar.value) ? 2 : 1)
      }
    }
    return cells
  }

  /// East Asian Wide and Fullwidth according to UAX #11, by whole blocks.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
