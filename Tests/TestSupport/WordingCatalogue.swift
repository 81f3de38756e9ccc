// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Sentences in a checked-in file, one per line after its code: the only place where tests assert wording.
///
/// With `KITH_WORDING=write` in the environment the file is written (`make wording`).
package struct WordingCatalogue {
  private let file: URL
  private(set) var allLines: [String] = []
  /// The codes that have a line.
  package private(set) var codes: Set<String> = []

  /// Whether files are written instead of compared.
  package static let isWritten = ProcessInfo.processInfo.environment["KITH_WORDING"] == "write"

  /// Creates an empty catalogue, to be compared with a file beside the test.
  package init(_ name: String = "errors.txt", beside test: String) {
    file = URL(filePath: test).deletingLastPathComponent().appending(path: name)
  }

  /// Adds the sentence of a code; a code may have several.
  package mutating func add(_ code: some CustomStringConvertible, _ sentence: some CustomStringConvertible) {
    codes.insert(code.description)
    allLines.append("\(code) | \(sentence)".replacing("\n", with: "\\n"))
  }

  /// Returns the lines that the file has in addition (`-`) or lacks (`+`); writes the file instead if
  /// requested.
  package func differences() throws -> [String] {
    let text = allLines.map { $0 + "\n" }.joined()
    if Self.isWritten { try Data(text.utf8).write(to: file) }
    let known = try String(contentsOf: file, encoding: .utf8)
    let old = known.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    return allLines.difference(from: old).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
  }
}
