// SPDX-License-Identifier: Apache-2.0

/// A text folded for search, without case and accents: `zoe` finds `Zoë`.
struct FoldedText: Sendable, Hashable {
  private let text: String

  init(_ text: String) {
    // Most texts are ASCII, which has no accents.
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      self.text = text.lowercased()
      return
    }
    var folded = ""
    for character in text.lowercased() {
      if character.isASCII {
        folded.append(character)
      } else if let letter = Self.letters[character] {
        folded.append(letter)
      } else {
        for scalar in character.unicodeScalars where scalar.properties.generalCategory != .nonspacingMark {
          folded.unicodeScalars.append(scalar)
        }
      }
    }
    self.text = folded
  }

  /// Whether this text contains another one; every text contains the empty one.
  func contains(_ other: FoldedText) -> Bool { other.text.isEmpty || text.contains(other.text) }

  /// Precomposed letters with accents. A character equals its own decomposition, so lookup works for both
  /// forms.
  private static let letters: [Character: Character] = {
    let bases = [("a", "z"), ("α", "ω"), ("а", "я")].flatMap {
      (first: Unicode.Scalar, last: Unicode.Scalar) in
      (first.value...last.value).compactMap(Unicode.Scalar.init)
    }
    // Grave to caron, horn, and the marks below letters; of two marks, one is a shape and one a tone.
    let marks =
      (0x300...0x30C).compactMap(Unicode.Scalar.init) + ["\u{31B}", "\u{323}", "\u{327}", "\u{328}"]
    var letters: [Character: Character] = [:]
    for base in bases {
      var shaped = String.UnicodeScalarView()
      shaped.append(base)
      for mark in marks {
        letters[Character(String(shaped + [mark]))] = Character(base)
        for second in marks { letters[Character(String(shaped + [mark, second]))] = Character(base) }
      }
    }
    return letters
  }()
}
