// SPDX-License-Identifier: Apache-2.0

/// A value that its lexicon does not allow, with the path that leads to it.
public struct ValidationError: Error, Hashable, CustomStringConvertible {
  /// Property names and array indexes from the root of the value: `subject`, `others[30]`.
  public let path: String
  /// What is wrong, as a half-sentence with the limit in it: `31 elements, 30 are allowed`.
  public let reason: String

  /// Makes an error about the value at a path.
  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The same fault, seen from the value that holds this one under a name or an index.
  func below(_ name: String) -> ValidationError {
    let joint = path.isEmpty || path.hasPrefix("[") || name.isEmpty ? "" : "."
    return ValidationError(path: name + joint + path, reason: reason)
  }

  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
