// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A line of a file of vectors that stands in this repository, with the rule that it keeps or breaks: the comment above.
public struct VectorLine: Sendable, CustomStringConvertible {
  /// A file or a line that cannot be used.
  public struct Fault: Error {
    let place: String
    let reason: String
  }

  /// What the line keeps, or breaks.
  public let rule: String
  public let text: String

  public var description: String { text }

  /// Reads a file of the folder `Vectors` of a target, whose own folder is that of the given source file.
  ///
  /// - Throws: also when there is no line in it: a test with no arguments would pass.
  public static func all(_ name: String, besideSource source: String) throws -> [VectorLine] {
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

  /// Takes a line apart at its first space: where something is wrong, and what it is in.
  public func placeAndText() throws -> (place: String, text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { throw Fault(place: text, reason: "it has no space") }
    return (parts[0], parts[1])
  }

  /// The text with `{U+0009}` put for a character, `{ab*3}` for `ababab`, and `{}` for nothing.
  public static func expanding(_ text: String) throws -> String {
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
