// SPDX-License-Identifier: Apache-2.0

/// Text that strangers have written: names, handles, descriptions, posts.
package enum GuestText {
  /// Stands for a character that cannot be seen.
  private static let replacement: Unicode.Scalar = "\u{FFFD}"
  /// Combining marks kept per letter; more of them overlap the lines above.
  private static let mostMarks = 4

  /// The text with U+FFFD in place of each character that hides in it or would reorder it.
  ///
  /// What scripts and emoji need stays: joiners in words and emoji, variation selectors, marks of direction, tags
  /// of flags, tabs and line breaks. Marks after the fourth of a letter are removed.
  package static func visible(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var visible = String.UnicodeScalarView()
    for character in text {
      if character.isNewline {
        visible.append("\n")
      } else {
        append(Array(character.unicodeScalars), to: &visible)
      }
    }
    return String(visible)
  }

  private static func append(_ character: [Unicode.Scalar], to visible: inout String.UnicodeScalarView) {
    var marks = 0
    for (position, scalar) in character.enumerated() {
      marks = isMark(scalar) ? marks + 1 : 0
      guard marks <= mostMarks else { continue }
      let isShown =
        switch scalar.value {
        case 0x09: true
        // They say in which direction their neighbours go, and nothing beyond.
        case 0x061C, 0x200E, 0x200F: true
        case 0x200C: isJoinable(visible.last)
        case 0x200D: isJoinable(visible.last) || joinsEmoji(position, of: character)
        case 0xE0020...0xE007F: isFlag(character)
        default: scalar.properties.isVariationSelector ? hasVariants(visible.last) : !isHidden(scalar)
        }
      visible.append(isShown ? scalar : replacement)
    }
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
      || properties.generalCategory == .control
      // The annotations of other text.
      || (0xFFF9...0xFFFB).contains(scalar.value)
  }

  /// Whether a joiner can change what it follows. Arabic, Indic and related scripts choose the forms of letters with
  /// joiners; elsewhere, two names that differ by a joiner look the same.
  private static func isJoinable(_ last: Unicode.Scalar?) -> Bool {
    guard let last else { return false }
    switch last.value {
    case 0x0600...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFEFE, 0x1_0A00...0x1_1FFF, 0x1_E900...0x1_E95F:
      let properties = last.properties
      return properties.isAlphabetic || properties.numericType != nil
        || properties.canonicalCombiningClass != .notReordered
    default: return false
    }
  }

  private static func joinsEmoji(_ position: Int, of character: [Unicode.Scalar]) -> Bool {
    guard position > 0, position + 1 < character.count else { return false }
    return isEmoji(character[0]) && isEmoji(character[position + 1])
  }

  /// Whether tags spell a flag, of at most six of them and an end: `gbeng`.
  private static func isFlag(_ character: [Unicode.Scalar]) -> Bool {
    character.count <= 8 && character.first == "\u{1F3F4}" && character.last == "\u{E007F}"
  }

  /// Whether a variation selector can change what it follows. Each character has one at most: more would carry
  /// a text of their own.
  private static func hasVariants(_ last: Unicode.Scalar?) -> Bool {
    guard let last, last != replacement, !last.properties.isDefaultIgnorableCodePoint else { return false }
    return !last.isASCII || last.properties.isEmoji
  }

  private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII && scalar.properties.isEmoji
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    let category = scalar.properties.generalCategory
    return category == .nonspacingMark || category == .enclosingMark
  }
}
