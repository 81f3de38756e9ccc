// SPDX-License-Identifier: Apache-2.0

/// A value that generated code checks: its expression, and its property's name as a literal.
struct CheckSubject {
  let value: String
  let isOptional: Bool
  let path: String

  /// A call of a check of `Validation`.
  func check(_ name: String, _ arguments: [String] = []) -> Statement {
    .line("try Validation.\(name)(\(([value, "at: \(path)"] + arguments).joined(separator: ", ")))")
  }

  /// A property of the value, checked in its place.
  func member(_ name: String) -> CheckSubject {
    CheckSubject(value: "\(value)\(isOptional ? "?" : "").\(name)", isOptional: isOptional, path: path)
  }
}
