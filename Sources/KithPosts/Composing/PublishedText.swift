// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension String {
  /// The most marks per letter; more would cover the lines above.
  private static let mostMarks = 4

  /// A text of a stranger as it may be published under the name of an account: without characters that are not seen, or that change
  /// the direction of others, and of a bounded length.
  ///
  /// - Parameters:
  ///   - most: the most graphemes; a longer text ends with an ellipsis.
  ///   - bytes: the most bytes, since a grapheme may have any number of them.
  func published(most: Int, bytes: Int) -> String {
    let words = visible.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let text = words.count <= most ? words : words.prefix(most - 1) + "…"
    return text.shortened(toBytes: bytes)
  }

  private var visible: String {
    var scalars = String.UnicodeScalarView()
    for character in self {
      var marks = 0
      let last = character.unicodeScalars.count - 1
      for (place, scalar) in character.unicodeScalars.enumerated() {
        // A joiner within a cluster makes one emoji of several.
        let joins = scalar == "\u{200D}" && place > 0 && place < last
        if scalar.isMark { marks += 1 }
        guard joins || (scalar.isMark ? marks <= Self.mostMarks : !scalar.isHidden) else { continue }
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}

extension Unicode.Scalar {
  fileprivate var isMark: Bool {
    [.nonspacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  /// Whether it is not seen, or changes how others are seen.
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control: !properties.isWhitespace
    case .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    // The fillers of Hangul are letters, and invisible.
    case .otherLetter: properties.isDefaultIgnorableCodePoint
    default: false
    }
  }
}
