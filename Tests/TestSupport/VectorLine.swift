// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A line of a vector file in this repository, with the rule that it keeps or breaks: the comment above it.
package struct VectorLine: Sendable, CustomStringConvertible {
  /// A file or a line that cannot be used.
  package struct Fault: Error {
    let place: String
    let reason: String
  }

  /// The rule that the line keeps or breaks.
  package let rule: String
  package let text: String

  package var description: String { text }

  /// Reads a file in the folder `Vectors` of a target, which is found from the given source file.
  ///
  /// - Throws: Also if the file has no lines, because a test without arguments would pass.
  package static func all(_ name: String, besideSource source: String) throws -> [VectorLine] {
    let folder = URL(filePath: source).deletingLastPathComponent().appending(path: "Vectors")
    let content = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    var rule = ""
    var lines: [VectorLine] = []
    for line in content.split(separator: "\n") {
      if line.hasPrefix("#") {
        rule = String(line.dropFirst(2))
      } else {
        lines.append(VectorLine(rule: rule, text: String(line)))
      }
    }
    if lines.isEmpty { throw Fault(place: name, reason: "it has no lines") }
    return lines
  }

  /// Splits a line at its first space: the location of the fault, and the text.
  package func placeAndText() throws -> (place: String, text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { throw Fault(place: text, reason: "it has no space") }
    return (parts[0], parts[1])
  }

  /// Expands `{U+0009}` to a character, `{ab*3}` to `ababab`, and `{}` to nothing.
  package static func expanding(_ text: String) throws -> String {
    var expanded = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}") else {
        throw Fault(place: text, reason: "a brace stays open")
      }
      expanded += rest[..<open]
      let inner = rest[rest.index(after: open)..<close]
      rest = rest[rest.index(after: close)...]
      if inner.isEmpty { continue }
      if inner.hasPrefix("U+"),
        let scalar = UInt32(inner.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      {
        expanded.unicodeScalars.append(scalar)
      } else if let star = inner.lastIndex(of: "*"), let count = Int(inner[inner.index(after: star)...]) {
        expanded += String(repeating: String(inner[..<star]), count: count)
      } else {
        throw Fault(place: text, reason: "{\(inner)} is not known")
      }
    }
    return expanded + rest
  }
}
