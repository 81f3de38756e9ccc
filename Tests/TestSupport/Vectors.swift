// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A folder of test vectors that stands outside the package, found through an environment variable.
///
/// Tests that read one carry `.enabled(if: vectors.areThere)`, so that a clone without it still tests.
public struct Vectors: Sendable {
  /// The interoperability vectors of the protocol, in the folder that `KITH_INTEROP` names.
  public static let interop = Vectors(variable: "KITH_INTEROP")
  /// The lexicon documents of the protocol, in the folder that `KITH_LEXICONS` names.
  public static let lexicons = Vectors(variable: "KITH_LEXICONS")

  /// The folder, or nil where the variable is not set.
  public let folder: String?

  private init(variable: String) {
    let value = ProcessInfo.processInfo.environment[variable] ?? ""
    folder = value.isEmpty ? nil : value
  }

  /// Whether the vectors can be read.
  public var areThere: Bool { folder != nil }

  /// The content of a file, or nothing where the vectors are not there.
  ///
  /// - Throws: When they are there but the file is not.
  public func bytes(_ path: String) throws -> [UInt8] {
    guard let folder else { return [] }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)")))
  }

  /// The lines of a file that are neither empty nor a comment, with the white space they have.
  ///
  /// - Throws: also when the vectors are there and the file has no such line: a test with no arguments would pass.
  public func lines(_ path: String) throws -> [String] {
    let lines = String(decoding: try bytes(path), as: UTF8.self)
      .split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map(String.init)
    if lines.isEmpty, areThere { throw CocoaError(.fileReadCorruptFile) }
    return lines
  }
}
