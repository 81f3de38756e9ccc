// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A length of time as a person writes it: `90m`, `12h`, `7d`, `2w`.
struct Span: Sendable, Hashable {
  let duration: Duration

  /// Beyond ten years a number is a mistake.
  private static let longest = 10 * 365 * 86_400
  private static let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

  /// - Throws: `ValidationError` that says what may be written.
  init(parsing text: String) throws {
    guard let unit = text.last.flatMap({ Self.seconds[$0] }), let count = Int(text.dropLast()), count > 0,
      count <= Self.longest / unit
    else {
      throw ValidationError("it takes a number and s, m, h, d or w, such as 12h or 7d; ten years at most")
    }
    duration = .seconds(count * unit)
  }
}
