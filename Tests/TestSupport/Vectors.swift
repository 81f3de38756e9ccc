// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A folder of test vectors outside the package, found through an environment variable.
///
/// Tests that read one use `.enabled(if: vectors.areThere)`, so a clone without it can still be tested.
package struct Vectors: Sendable {
  /// The interoperability vectors of the protocol, in the folder that `KITH_INTEROP` names.
  package static let interop = Vectors(variable: "KITH_INTEROP")
  /// The lexicon documents of the protocol, in the folder that `KITH_LEXICONS` names.
  package static let lexicons = Vectors(variable: "KITH_LEXICONS")

  /// The folder; nil if the variable is not set.
  package let folder: String?

  private init(variable: String) {
    let value = ProcessInfo.processInfo.environment[variable] ?? ""
    folder = value.isEmpty ? nil : value
  }

  /// Whether the vectors can be read.
  package var areThere: Bool { folder != nil }

  /// Returns the contents of a file; empty if the vectors are not available.
  ///
  /// - Throws: If they are available but the file cannot be read.
  package func bytes(_ path: String) throws -> [UInt8] {
    guard let folder else { return [] }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)")))
  }

  /// Returns the lines of a file that are neither empty nor comments, with their white space.
  ///
  /// - Throws: Also if the vectors are available but the file has no such line, because a test without
  ///   arguments would pass.
  package func lines(_ path: String) throws -> [String] {
    let lines = String(decoding: try bytes(path), as: UTF8.self)
      .split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map(String.init)
    if lines.isEmpty, areThere { throw CocoaError(.fileReadCorruptFile) }
    return lines
  }
}
