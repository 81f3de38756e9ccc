// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A part of a whole, from nothing to all of it, as a person writes it: `0.2` or `20%`.
struct Share: Sendable, Hashable {
  let value: Double

  /// - Throws: `ValidationError` that says what may be written.
  init(parsing text: String) throws {
    let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
    guard let number, (0...1).contains(number) else {
      throw ValidationError("it takes a share from 0 to 1 or from 0% to 100%, such as 0.3 or 30%")
    }
    value = number
  }
}
