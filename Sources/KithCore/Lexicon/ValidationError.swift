// SPDX-License-Identifier: Apache-2.0

/// A value that violates a constraint of its lexicon, with the path to it.
public struct ValidationError: CodedError {
  public static let domain = "lexicon"

  /// The property names and array indexes from the root of the value: `subject`, `others[30]`.
  public let path: String
  /// What is wrong, as a phrase that includes the limit: `31 elements, at most 30 allowed`.
  public let reason: String

  /// Creates an error about the value at a path.
  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// Returns the same error with a name or an index put before its path.
  func below(_ name: String) -> ValidationError {
    let joint = path.isEmpty || path.hasPrefix("[") || name.isEmpty ? "" : "."
    return ValidationError(path: name + joint + path, reason: reason)
  }

  public var code: InvalidValueCode { .invalid }
  /// The path.
  public var subject: String { path }
  /// The reason.
  public var detail: String { reason }
}
