// SPDX-License-Identifier: Apache-2.0

/// A rule that the code under test broke.
package struct BrokenInvariant: Error, CustomStringConvertible {
  package let description: String
}

/// Throws if the condition of a rule is not met.
func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws {
  guard condition else { throw BrokenInvariant(description: rule()) }
}
