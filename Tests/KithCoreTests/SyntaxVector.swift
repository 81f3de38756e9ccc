// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A text of the files in `Vectors/`; see the README there.
struct SyntaxVector: CustomTestStringConvertible {
  let text: String
  /// The byte offset of the fault in an invalid text.
  let offset: Int

  var testDescription: String { text.isEmpty ? "(nothing)" : String(text.prefix(60)) }

  static func valid(_ type: String) throws -> [SyntaxVector] {
    try VectorLine.all("\(type)_syntax_valid.txt", besideSource: #filePath).map { line in
      SyntaxVector(text: try VectorLine.expanding(line.text), offset: 0)
    }
  }

  static func invalid(_ type: String) throws -> [SyntaxVector] {
    try VectorLine.all("\(type)_syntax_invalid.txt", besideSource: #filePath).map { line in
      let (place, text) = try line.placeAndText()
      return SyntaxVector(text: try VectorLine.expanding(text), offset: try #require(Int(place)))
    }
  }
}
