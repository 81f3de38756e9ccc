// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithRelationships

/// A time span written as `90m`, `12h`, `7d`, `2w`, `6mo` or `1y`.
struct DurationOption: Sendable, Hashable {
  let duration: Duration

  /// More than ten years is treated as a typing error.
  private static let longest = Duration.seconds(10 * 366 * 86_400)

  /// - Throws: `ValidationError` with the valid forms.
  init(parsing text: String) throws {
    guard let duration = Duration(span: text), duration <= Self.longest else {
      throw ValidationError(
        "use a number and \(Duration.spanUnits), such as 12h or 7d; ten years at most")
    }
    self.duration = duration
  }
}
