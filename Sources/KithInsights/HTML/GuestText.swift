// SPDX-License-Identifier: Apache-2.0

/// Text that strangers have written: names, handles, descriptions, posts.
package enum GuestText {
  /// Stands for a character that cannot be seen.
  private static let replacement: Unicode.Scalar = "\u{FFFD}"

  /// The text with a mark in place of each character that hides in it, or that would reorder it. What scripts and emoji
  /// need stays: joiners between letters, marks of direction, the tags of flags.
  package static func visible(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var visible = String.UnicodeScalarView()
    for character in text {
      let scalars = character.unicodeScalars
      let isFlag = scalars.first == "\u{1F3F4}"
      for (position, scalar) in scalars.enumerated() {
        let isInside = position > 0 && position < scalars.count - 1
        visible.append(
          isHidden(scalar, inside: isInside, ofFlag: isFlag, after: visible.last) ? replacement : scalar)
      }
    }
    return String(visible)
  }

  private static func isHidden(
    _ scalar: Unicode.Scalar, inside isInside: Bool, ofFlag isFlag: Bool, after last: Unicode.Scalar?
  ) -> Bool {
    switch scalar.value {
    // The non-joiner of Persian and Indic scripts ends a cluster.
    case 0x200C: return last.map { $0.isASCII || !$0.properties.isAlphabetic } ?? true
    case 0x200D: return !isInside
    // They say in which direction their neighbours go, and nothing beyond.
    case 0x061C, 0x200E, 0x200F: return false
    case 0xE0020...0xE007F: return !isFlag
    default: break
    }
    switch scalar.properties.generalCategory {
    case .format: return true
    case .otherLetter: return scalar.properties.isDefaultIgnorableCodePoint
    default: return false
    }
  }
}
