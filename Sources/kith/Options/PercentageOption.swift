// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A share from 0 to 1, written as `0.2` or `20%`.
struct PercentageOption: Sendable, Hashable {
  let value: Double

  /// - Throws: `ValidationError` with the valid forms.
  init(parsing text: String) throws {
    let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
    guard let number, (0...1).contains(number) else {
      throw ValidationError("use a share from 0 to 1 or from 0% to 100%, such as 0.3 or 30%")
    }
    value = number
  }
}
