// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Relationships

/// A length of time as a person writes it: `90m`, `12h`, `7d`, `2w`, `6mo`, `1y`.
struct Span: Sendable, Hashable {
  let duration: Duration

  /// Beyond ten years a number is a mistake.
  private static let longest = Duration.seconds(10 * 366 * 86_400)

  /// - Throws: `ValidationError` that says what may be written.
  init(parsing text: String) throws {
    guard let duration = Duration(span: text), duration <= Self.longest else {
      throw ValidationError(
        "it takes a number and \(Duration.spanUnits), such as 12h or 7d; ten years at most")
    }
    self.duration = duration
  }
}
