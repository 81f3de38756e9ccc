// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithWording

/// Durations as text.
enum DurationText {
  /// Seconds with three decimals: `0.412`.
  static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = String(attoseconds / 1_000_000_000_000_000)
    return "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
  }

  /// A duration rounded up to seconds, in its two largest units: `40 s`, `4 min 50 s`, `3 h 20 min`.
  static func span(_ duration: Duration) -> String { TimeWords.span(duration) }

  /// A wait, rounded up to one unit so a retry is not too early: `40 s`, `15 min`, `3 h`.
  static func rounded(_ duration: Duration) -> String { duration.roundedUp }
}
