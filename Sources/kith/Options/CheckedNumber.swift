// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension Int {
  /// Checks the value of an option.
  ///
  /// - Throws: `ValidationError` that names both.
  func check(isIn range: ClosedRange<Int>, for option: String) throws(ValidationError) {
    guard range.contains(self) else {
      throw ValidationError(
        "\(option) must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(self).")
    }
  }

  /// Checks the value of an option that has no upper bound.
  ///
  /// - Throws: `ValidationError` that names both.
  func check(isIn range: PartialRangeFrom<Int>, for option: String) throws(ValidationError) {
    guard range.contains(self) else {
      throw ValidationError("\(option) must be a whole number of \(range.lowerBound) or more, not \(self).")
    }
  }
}
