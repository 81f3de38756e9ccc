// SPDX-License-Identifier: Apache-2.0

/// A value that generated code checks: its expression, and the name of its property as a literal.
struct CheckSubject {
  let value: String
  let isOptional: Bool
  let path: String

  /// Returns a call of a function of `Validation`.
  func check(_ name: String, _ arguments: [String] = []) -> Statement {
    .line("try Validation.\(name)(\(([value, "at: \(path)"] + arguments).joined(separator: ", ")))")
  }

  /// Returns a property of the value, checked at the same path.
  func member(_ name: String) -> CheckSubject {
    CheckSubject(value: "\(value)\(isOptional ? "?" : "").\(name)", isOptional: isOptional, path: path)
  }
}
