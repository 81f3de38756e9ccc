// SPDX-License-Identifier: Apache-2.0

/// Durations as text.
enum DurationText {
  /// Seconds with three decimals: `0.412`.
  static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = String(attoseconds / 1_000_000_000_000_000)
    return "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
  }
}
