// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The sentences in the sources of a target, used to find those that a catalogue lacks.
package struct SourceLiterals {
  /// One string literal: its text between interpolations.
  package struct Literal: Sendable, CustomStringConvertible {
    let pieces: [String]

    package var description: String { pieces.joined(separator: "…") }

    /// Whether a text contains all pieces, in order.
    func fits(_ text: String) -> Bool {
      var rest = Substring(text)
      for piece in pieces where !piece.isEmpty {
        guard let range = rest.firstRange(of: piece) else { return false }
        rest = rest[range.upperBound...]
      }
      return true
    }
  }

  /// The literals that were found.
  package private(set) var all: [Literal] = []

  /// Finds each literal that follows one of the markers, with only white space in between.
  ///
  /// - Parameter target: The folder below `Sources`.
  package init(of target: String, after markers: [String]) throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/\(target)")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for marker in markers {
        for range in text.ranges(of: marker) {
          var scanner = LiteralScanner(rest: text[range.upperBound...].drop(while: \.isWhitespace))
          if let pieces = scanner.literal() { all.append(Literal(pieces: pieces)) }
        }
      }
    }
  }
}

extension WordingCatalogue {
  /// Returns the literals that no line contains.
  package func lacks(_ literals: SourceLiterals) -> [String] {
    literals.all.filter { literal in !allLines.contains { literal.fits($0) } }.map(\.description).sorted()
  }
}

/// Parses a Swift string literal, without the text of its interpolations.
private struct LiteralScanner {
  var rest: Substring

  /// Returns the pieces of a literal that begins here; nil if there is none, or a multi-line one.
  mutating func literal() -> [String]? {
    guard rest.first == "\"", !rest.hasPrefix("\"\"\"") else { return nil }
    rest.removeFirst()
    var pieces = [""]
    while let character = rest.popFirst(), character != "\"" {
      guard character == "\\" else {
        pieces[pieces.count - 1].append(character)
        continue
      }
      guard let escaped = rest.popFirst() else { return nil }
      if escaped == "(" {
        skipInterpolation()
        pieces.append("")
      } else {
        pieces[pieces.count - 1].append(escaped == "n" ? "\n" : escaped)
      }
    }
    return pieces
  }

  private mutating func skipInterpolation() {
    var depth = 1
    while depth > 0, let character = rest.first {
      if character == "\"" {
        _ = literal()
        continue
      }
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      rest.removeFirst()
    }
  }
}
